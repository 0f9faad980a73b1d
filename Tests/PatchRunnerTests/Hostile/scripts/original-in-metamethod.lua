-- outcome: answered 1001
patch.replace("T.run", function(original, x)
  return setmetatable({}, {__index = function() return original(x) end}).y
end)
