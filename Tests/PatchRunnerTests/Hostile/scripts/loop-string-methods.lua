-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s = ('x'):rep(1000000)
  while true do s:upper():lower():reverse() end
end)
