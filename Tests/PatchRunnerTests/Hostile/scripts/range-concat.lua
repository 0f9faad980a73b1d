-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  return #table.concat(setmetatable({}, {__index = function() return '' end}), '', 1, 1e15)
end)
