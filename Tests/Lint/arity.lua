-- lint: arity in line 1
-- doc: The app calls Cart.total with two arguments, so `discount` is always nil.
patch.replace("Cart.total", function(original, price, quantity, discount)
  return original(price, quantity) - (discount or 0)
end)
-- lint: none
-- doc: The parameters are the original, and the app's arguments.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: arity in line 1:16
patch.replace('Order.total', function(original, a, b, c) return a end)
-- lint: none
patch.replace('Order.total', function(original, a, ...) return a end)
