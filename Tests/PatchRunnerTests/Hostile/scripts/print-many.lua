-- outcome: failed script
patch.replace("T.run", function(original, x)
  local s = ('x'):rep(950000)
  print(s:byte(1, -1))
  return x
end)
