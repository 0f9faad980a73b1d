-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  pcall(function() while true do end end)
  return original(x)
end)
