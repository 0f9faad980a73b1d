-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  return #('x'):rep(1 << 40)
end)
