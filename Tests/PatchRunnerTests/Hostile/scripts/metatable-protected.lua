-- outcome: failed script
patch.replace("T.run", function(original, x)
  local t = setmetatable({}, {__metatable = 'mine'})
  setmetatable(t, {})
  return x
end)
