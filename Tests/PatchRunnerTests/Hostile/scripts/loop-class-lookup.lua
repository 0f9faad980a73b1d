-- outcome: failed script-limit
Class = waxClass{"T"}
patch.replace("T.run", function(original, x)
  local Cart = {}
  while true do pcall(function() return Class[('x'):rep(50000)] end) end
end)
