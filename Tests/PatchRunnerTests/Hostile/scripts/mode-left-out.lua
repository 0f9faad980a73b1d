-- outcome: answered 1
patch.replace("T.run", function(original, x)
  setmetatable({}, {__mode = 'k'})
  return x
end)
