-- lint: replaces-unused in line 1
-- doc: The head lists Cart.tax, which the script leaves as it is.
-- @replaces Cart.total, Cart.tax
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: none
-- doc: The head lists only the functions that the script replaces.
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: replaces-unused in line 1:27
-- @replaces Order.total, Order.clear
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
patch.replace('Order.clear', function() end)
