-- outcome: failed script
patch.replace("T.run", function(original, x)
  error(nil)
end)
