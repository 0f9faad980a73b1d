-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  return #(''):rep(1 << 40, 'ab')
end)
