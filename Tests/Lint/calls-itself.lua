-- lint: calls-itself in line 2
-- doc: `host.call` calls this replacement again, without an end.
patch.replace("Cart.total", function(original, price, quantity)
  return host.call("Cart.total", price, quantity)
end)
-- lint: none
-- doc: `original` is the function that is replaced.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, quantity)
end)
-- lint: calls-itself in line 1: the replacement of Order.total calls Order.total, which calls the replacement again, on each path
patch.replace('Order.total', function(original, a, b) return host.call('Order.total', a, b) end)
