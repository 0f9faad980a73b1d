-- outcome: answered 1
patch.replace("T.run", function(original, x)
  assert(tostring({}) == 'table' and tostring(print) == 'function')
  return x
end)
