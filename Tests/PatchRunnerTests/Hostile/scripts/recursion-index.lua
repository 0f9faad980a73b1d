-- outcome: failed script
patch.replace("T.run", function(original, x)
  local t = {}
  setmetatable(t, {__index = function(_, k) return t[k] end})
  return t.x
end)
