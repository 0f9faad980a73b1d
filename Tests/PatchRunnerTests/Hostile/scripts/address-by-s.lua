-- outcome: answered 1
patch.replace("T.run", function(original, x)
  assert(string.format('%s %10s', {}, print) == 'table   function')
  return x
end)
