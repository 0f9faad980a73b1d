-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  return #(('x'):rep(4000000):gsub('', {}))
end)
