-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local s = ''
  for i = 1, 1e9 do s = i .. '' end
end)
