-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  table.move({}, math.mininteger, -2, 1)
  return x
end)
