-- outcome: failed script
patch.replace("T.run", function(original, x)
  error(('x'):rep(1e6))
end)
