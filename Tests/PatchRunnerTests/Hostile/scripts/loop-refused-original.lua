-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  while true do pcall(original, 'x') end
end)
