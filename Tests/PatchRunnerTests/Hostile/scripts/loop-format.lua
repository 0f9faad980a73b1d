-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  while true do string.format('%99.99f %s', 1 / 3, x) end
end)
