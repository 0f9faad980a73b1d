-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s, t = ('x'):rep(1e6), {}
  for i = 1, 200 do t[i] = s end
  return #table.concat(t)
end)
