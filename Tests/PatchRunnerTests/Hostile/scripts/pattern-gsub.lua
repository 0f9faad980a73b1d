-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  return #(('a'):rep(3000):gsub(('.-'):rep(10) .. 'b', ''))
end)
