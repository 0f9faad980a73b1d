-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local t = {}
  for i = 1, 1e9 do table.insert(t, 1, i) end
end)
