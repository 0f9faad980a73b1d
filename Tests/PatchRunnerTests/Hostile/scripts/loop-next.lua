-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local t = {}
  for i = 1, 50000 do t[i] = i end
  for i = 1, 50000 do t[i] = nil end
  while true do next(t) end
end)
