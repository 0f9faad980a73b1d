-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local a, b = ('x'):rep(1e6) .. 'a', ('x'):rep(1e6) .. 'b'
  while a < b do end
end)
