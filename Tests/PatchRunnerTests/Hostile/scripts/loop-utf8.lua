-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s = ('é'):rep(300000)
  while true do utf8.len(s) end
end)
