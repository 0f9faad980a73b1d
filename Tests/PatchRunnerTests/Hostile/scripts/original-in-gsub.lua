-- outcome: answered 1001
patch.replace("T.run", function(original, x)
  local r
  ('a'):gsub('a', function() r = original(x) end)
  return r
end)
