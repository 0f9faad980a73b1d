-- outcome: failed script
patch.replace("T.run", function(original, x)
  return original(x) + original(x)
end)
