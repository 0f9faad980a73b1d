-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s = ('\0'):rep(8e6)
  return #string.format('%q', s)
end)
