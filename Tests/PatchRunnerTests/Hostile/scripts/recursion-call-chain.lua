-- outcome: failed script
patch.replace("T.run", function(original, x)
  local t = setmetatable({}, {__call = setmetatable({}, {__call = print})})
  return t()
end)
