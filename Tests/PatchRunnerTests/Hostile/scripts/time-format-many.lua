-- outcome: answered 1
patch.replace('T.run', function(original, x)
  local ok, message = pcall(string.format, ('%d'):rep(251), 1)
  assert(not ok and message:find('too many conversions'), message)
  return x
end)
