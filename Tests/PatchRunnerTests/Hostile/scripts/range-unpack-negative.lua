-- outcome: failed script
patch.replace("T.run", function(original, x)
  return select('#', table.unpack({}, math.mininteger, math.maxinteger))
end)
