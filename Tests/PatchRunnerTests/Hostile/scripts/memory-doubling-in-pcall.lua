-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  while true do pcall(function() local s = 'x' while true do s = s .. s end end) end
end)
