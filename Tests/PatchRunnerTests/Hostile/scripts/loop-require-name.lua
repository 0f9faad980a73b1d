-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s = ('x'):rep(400000)
  while true do pcall(require, s) end
end)
