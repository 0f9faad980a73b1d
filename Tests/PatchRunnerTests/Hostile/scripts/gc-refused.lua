-- outcome: failed script
patch.replace("T.run", function(original, x)
  setmetatable({}, {__gc = function() while true do end end})
  return x
end)
