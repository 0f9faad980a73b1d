-- outcome: failed script
patch.replace("T.run", function(original, x)
  return #(('a'):rep(1000):match(('a?'):rep(1000) .. ('a'):rep(1000)))
end)
