-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  return #(('a'):rep(5000):match(('.-'):rep(20) .. 'b') or '')
end)
