-- lint: missing-return in line 4
-- doc: For all other quantities the replacement answers nil.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity < 0 then return 0 end
  original(price, quantity)
end)
-- lint: none
-- doc: Each path ends with a `return`.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity < 0 then return 0 end
  return original(price, quantity)
end)
-- lint: missing-return in line 1: Order.total returns number, but one path through the replacement ends without a return
patch.replace('Order.total', function(original, a, b) if a > 1 then return 1 end end)
