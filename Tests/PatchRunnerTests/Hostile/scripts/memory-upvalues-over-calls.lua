-- outcome: answered 1
patch.replace("T.run", function(original, x)
  kept = kept or {}
  kept[#kept + 1] = ('x'):rep(1000)
  return x
end)
