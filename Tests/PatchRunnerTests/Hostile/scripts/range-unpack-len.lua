-- outcome: failed script
patch.replace("T.run", function(original, x)
  return (table.unpack(setmetatable({}, {__len = function() return 1 << 50 end})))
end)
