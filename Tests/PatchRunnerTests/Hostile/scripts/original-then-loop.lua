-- outcome: failed-answered script-limit 1001
patch.replace("T.run", function(original, x)
  original(x)
  while true do end
end)
