-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s = 'x'
  while true do s = s .. s end
end)
