-- outcome: failed script
patch.replace("T.run", function(original, x)
  local t = {}
  for i = 1, 200 do t[i] = i end
  table.sort(t, function() return true end)
  return x
end)
