-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local t = {}
  for i = 1, 1e6 do t[i] = ('x'):rep(1e6) .. i end
end)
