-- outcome: failed script
patch.replace("T.run", function(original, x)
  error('%s%n%p')
end)
