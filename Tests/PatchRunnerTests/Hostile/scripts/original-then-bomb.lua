-- outcome: failed-answered script-limit 1001
patch.replace("T.run", function(original, x)
  original(x)
  local s = 'x' while true do s = s .. s end
end)
