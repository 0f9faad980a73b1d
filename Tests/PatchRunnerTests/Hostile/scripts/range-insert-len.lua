-- outcome: failed script
patch.replace("T.run", function(original, x)
  local t = setmetatable({}, {__len = function() return 1 << 50 end})
  table.insert(t, 1, x)
  return x
end)
