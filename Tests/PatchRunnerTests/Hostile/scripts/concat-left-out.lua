-- outcome: answered 1
patch.replace("T.run", function(original, x)
  setmetatable({}, {__concat = function() end})
  return x
end)
