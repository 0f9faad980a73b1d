-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s = ('x'):rep(100000)
  while true do pcall(host.throw, s) end
end)
