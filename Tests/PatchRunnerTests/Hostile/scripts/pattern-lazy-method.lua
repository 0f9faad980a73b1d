-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s = ('a'):rep(3000)
  return #(s:find(('a*'):rep(15) .. 'b') or '')
end)
