-- outcome: answered 1001
patch.replace("T.run", function(original, x)
  local sum = 0
  for i = 1, 100 do sum = sum + i end
  return original(x)
end)
