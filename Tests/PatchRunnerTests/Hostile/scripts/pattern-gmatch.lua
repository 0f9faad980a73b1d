-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  for _ in ('a'):rep(100000):gmatch('.-b') do end
  return x
end)
