-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  while true do pcall(function() while true do end end) end
end)
