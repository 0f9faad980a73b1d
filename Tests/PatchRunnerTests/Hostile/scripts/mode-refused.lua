-- outcome: failed script
patch.replace("T.run", function(original, x)
  setmetatable({}, {__mode = 'k'})
  return x
end)
