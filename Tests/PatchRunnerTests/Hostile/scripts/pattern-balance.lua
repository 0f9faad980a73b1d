-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s = ('('):rep(1000000)
  return #(s:match('%b()') or '')
end)
