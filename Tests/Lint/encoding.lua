-- lint: encoding in line 2
-- doc: The file is saved in Latin-1, and the app refuses a string that is not UTF-8.
patch.replace("Cart.total", function(original, price, quantity)
  log.info("caf�")
  return original(price, quantity)
end)
-- lint: none
-- doc: The file is saved in UTF-8.
patch.replace("Cart.total", function(original, price, quantity)
  log.info("café")
  return original(price, quantity)
end)
-- lint: encoding in line 2
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
x = 'Gr��e'
-- lint: encoding in line 2:9
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- 'a', ‮x
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
x = 'שלום עליכם'
