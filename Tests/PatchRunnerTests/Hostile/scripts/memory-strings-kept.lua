-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local t = {}
  for i = 1, 1e9 do t[i] = 'key' .. i end
end)
