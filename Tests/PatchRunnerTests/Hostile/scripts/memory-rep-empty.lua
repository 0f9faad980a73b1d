-- outcome: answered 0
patch.replace("T.run", function(original, x)
  return #(''):rep(1 << 60)
end)
