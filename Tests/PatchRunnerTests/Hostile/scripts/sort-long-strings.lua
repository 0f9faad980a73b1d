-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local a, b, t = ('x'):rep(1e6) .. 'a', ('x'):rep(1e6) .. 'b', {}
  for i = 1, 5000 do t[i] = i % 2 == 0 and a or b end
  table.sort(t)
  return x
end)
