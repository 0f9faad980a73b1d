-- outcome: failed script
patch.replace("T.run", function(original, x)
  return math.huge
end)
