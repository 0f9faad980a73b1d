-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  return #(('x'):rep(10000):gsub('x', ('y'):rep(10000)))
end)
