-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s, t = ('k'):rep(100000), {}
  for i = 1, 1e9 do t[s .. i] = nil end
end)
