-- lint: replaces-missing in line 5
-- doc: The head lists only Cart.total, so the app refuses the patch.
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
patch.replace("Cart.tax", function(original, price)
  return 0
end)
-- lint: none
-- doc: The head lists all that the script replaces.
-- @replaces Cart.total, Cart.tax
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
patch.replace("Cart.tax", function(original, price)
  return 0
end)
-- lint: replaces-missing in line 3:16
-- @replaces Order.total
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
patch.replace('Order.clear', print)
