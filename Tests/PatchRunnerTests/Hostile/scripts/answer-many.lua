-- outcome: answered 1
patch.replace("T.run", function(original, x)
  return x, 'and', 'more'
end)
