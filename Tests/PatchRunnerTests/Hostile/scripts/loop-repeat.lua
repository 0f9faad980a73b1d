-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  repeat until false
end)
