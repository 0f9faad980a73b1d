-- outcome: answered 1001
patch.replace("T.run", function(original, x)
  local r
  table.sort({2, 1}, function(a, b) r = r or original(x) return a < b end)
  return r
end)
