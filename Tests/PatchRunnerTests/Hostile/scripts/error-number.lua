-- outcome: failed script
patch.replace("T.run", function(original, x)
  error(42, 0)
end)
