-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  xpcall(error, function() while true do end end)
  return x
end)
