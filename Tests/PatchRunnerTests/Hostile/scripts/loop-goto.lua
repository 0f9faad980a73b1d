-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  ::again:: goto again
end)
