-- lint: endless-loop in line 3
-- doc: Nothing in the loop changes `left`, so a call runs until its fuel ends.
patch.replace("Cart.total", function(original, price, quantity)
  local left = quantity
  while left > 0 do log.info(price) end
  return original(price, quantity)
end)
-- lint: none
-- doc: Each round brings the loop closer to its end.
patch.replace("Cart.total", function(original, price, quantity)
  local left = quantity
  while left > 0 do
    log.info(price)
    left = left - 1
  end
  return original(price, quantity)
end)
-- lint: endless-loop in line 3
patch.replace('Cart.split', function(original, a, b)
  local i = 1
  while i <= b do
  a = a + i
  end return a end)
-- lint: none
patch.replace('Cart.split', function(original, a, b)
  local i = 1
  while i <= b do
  a = a + i
  i = i + 1
  end return a end)
-- lint: endless-loop in line 1
patch.replace('Cart.total', function(original, a, b) while true do a = a + 1 end end)
-- lint: none
patch.replace('Cart.total', function(original, a, b) while true do a = a + 1 if a > 5 then return a end end end)
