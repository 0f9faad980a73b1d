patch.replace('Basket.fill', function(original, basket, bytes)
  basket:add('pen') basket:add(bytes)
  if basket:count() > 1 then pcall(basket.fail, basket) end
  kept = basket
  return original(basket, bytes .. '\0')
end)
