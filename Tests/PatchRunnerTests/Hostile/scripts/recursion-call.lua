-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local t = setmetatable({}, {__call = function(self) return 1 + self() end})
  return t()
end)
