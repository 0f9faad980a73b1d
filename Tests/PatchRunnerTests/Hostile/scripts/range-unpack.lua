-- outcome: failed script
patch.replace("T.run", function(original, x)
  return select('#', table.unpack({}, 1, 1e7))
end)
