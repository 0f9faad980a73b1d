-- outcome: answered 1001
patch.replace("T.run", function(original, x)
  string.format, table.sort, pcall, error = nil
  return original(x)
end)
