-- outcome: answered 1
patch.replace("T.run", function(original, x)
  local t = {5, 4, 3, 2, 1}
  pcall(table.sort, t, function(a, b) t[1] = nil return (a or 0) < (b or 0) end)
  return x
end)
