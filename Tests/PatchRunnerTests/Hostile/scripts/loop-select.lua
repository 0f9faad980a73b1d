-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  while true do select('#', table.unpack({}, 1, 200)) end
end)
