-- outcome: failed script
patch.replace("T.run", function(original, x)
  table.remove(setmetatable({}, {__len = function() return 1 << 50 end}), 1)
  return x
end)
