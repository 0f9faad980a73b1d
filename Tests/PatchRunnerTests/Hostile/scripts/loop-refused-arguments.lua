-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local t = {}
  for i = 1, 60000 do t[i] = i end
  t[60001] = 'x'
  while true do pcall(host.call, 'T.array', t) end
end)
