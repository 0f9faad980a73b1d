-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  return #(('x'):rep(10000):gsub('.*', ('%0'):rep(5000)))
end)
