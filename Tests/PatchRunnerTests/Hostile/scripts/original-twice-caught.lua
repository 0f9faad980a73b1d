-- outcome: answered 1001
patch.replace("T.run", function(original, x)
  local first = original(x)
  local ok = pcall(original, x)
  assert(not ok)
  return first
end)
