-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local _, failure = pcall(host.throw, ('x'):rep(400000))
  while true do local text = failure.message end
end)
