-- outcome: answered 1
patch.replace("T.run", function(original, x)
  local _, message = pcall(error, {})
  assert(type(message) == 'table')
  local _, text = pcall(function() return {} + 1 end)
  assert(not text:find('0x'))
  return x
end)
