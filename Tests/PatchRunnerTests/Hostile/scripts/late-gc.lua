-- outcome: answered 1
patch.replace("T.run", function(original, x)
  local m = {}
  for i = 1, 100 do setmetatable({}, m) end
  m.__gc = function() while true do end end
  return x
end)
