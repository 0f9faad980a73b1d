-- lint: unknown-function in line 1
-- doc: The app has Cart.total, and no Cart.totl.
patch.replace("Cart.totl", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: none
-- doc: The name is in the app's interface.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: unknown-function in line 1: the app has no function Order.totl
patch.replace('Order.total', function(original, a, b) return host.call('Order.totl', a, b) end)
-- lint: unknown-function in line 3:16
-- @replaces Order.total
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
patch.replace('Order.totl', function() end)
-- lint: unknown-function in line 1:27
-- @replaces Order.total, Order.all
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: replaces-missing in line 3
-- @replaces Order.total
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
patch.replace('Order.clear', function() end)
-- lint: replaces-unused in line 1: @replaces lists Order.total, which the script does not replace; it replaces Order.totl
-- lint: unknown-function in line 2: the app has no function Order.totl; did you mean Order.total?
-- @replaces Order.total
patch.replace('Order.totl', function() end)
-- lint: unknown-function in line 2: the app has no function Cart.totl; did you mean Cart.total?
patch.replace('Cart.total', function(original, price, quantity)
  return host.has('Cart.discount') and host.call('Cart.totl', price, 1) or original(price, quantity) end)
