-- lint: cannot-throw in line 2
-- doc: Cart.tax does not throw, so the app has no place for the error.
patch.replace("Cart.tax", function(original, price)
  if price < 0 then host.throw("a negative price") end
  return original(price)
end)
-- lint: none
-- doc: The replacement answers something that the app can use.
patch.replace("Cart.tax", function(original, price)
  if price < 0 then return 0 end
  return original(price)
end)
-- lint: cannot-throw in line 1: Order.total cannot throw, so host.throw is a failure, and the original answers
patch.replace('Order.total', function(original, a, b) host.throw('no') end)
