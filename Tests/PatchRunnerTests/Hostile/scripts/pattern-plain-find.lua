-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s = ('a'):rep(1000000)
  return (s:find(('a'):rep(100000) .. 'b', 1, true)) or x
end)
