-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local digits = ('9'):rep(1000000)
  while true do tonumber(digits) end
end)
