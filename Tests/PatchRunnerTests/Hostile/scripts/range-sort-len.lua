-- outcome: failed script
patch.replace("T.run", function(original, x)
  table.sort(setmetatable({}, {__len = function() return 1 << 30 end}))
  return x
end)
