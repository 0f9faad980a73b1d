-- outcome: failed script
patch.replace("T.run", function(original, x)
  setmetatable({}, {__close = function() end})
  return x
end)
