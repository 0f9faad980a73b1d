patch.replace('Cart.list', function(original, numbers, names)
  local sum = {}
  for i, x in ipairs(numbers) do sum[i] = x + (names.a or 0) // 1 end
  return original(sum, {b = 2.5})
end)
