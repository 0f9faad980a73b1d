-- outcome: answered 3
patch.replace("T.run", function(original, x)
  return 6 / 2
end)
