-- lint: tags in line 1
-- doc: No tag has the version of the patch.
-- @patch    com.example.shop.cart-total
-- @app      com.example.shop
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: none
-- doc: The head has @patch, @version, @app and @replaces.
-- @patch    com.example.shop.cart-total
-- @version  1
-- @app      com.example.shop
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: unknown-tag in line 5
-- doc: The patch does not expire, because the tag is @expires.
-- @patch    com.example.shop.cart-total
-- @version  1
-- @app      com.example.shop
-- @replaces Cart.total
-- @expire   2030-01-01T00:00:00Z
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: none
-- doc: Each tag is one that pack reads.
-- @patch    com.example.shop.cart-total
-- @version  1
-- @app      com.example.shop
-- @replaces Cart.total
-- @expires  2030-01-01T00:00:00Z
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: file-name in line 1
-- doc: The name has a space.
-- file: cart total.lua
-- @patch    com.example.shop.cart-total
-- @version  1
-- @app      com.example.shop
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, quantity)
end)
-- lint: none
-- doc: The name has only letters, digits, - and _.
-- file: cart-total.lua
-- @patch    com.example.shop.cart-total
-- @version  1
-- @app      com.example.shop
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, quantity)
end)
-- lint: duplicate in copy.lua line 1
-- doc: Both files say that they are version 1 of one patch.
-- file: cart.lua
-- @patch    com.example.shop.cart-total
-- @version  1
-- @app      com.example.shop
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- file: copy.lua
-- @patch    com.example.shop.cart-total
-- @version  1
-- @app      com.example.shop
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: none
-- doc: Each version has one script.
-- file: cart.lua
-- @patch    com.example.shop.cart-total
-- @version  1
-- @app      com.example.shop
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- file: newer.lua
-- @patch    com.example.shop.cart-total
-- @version  2
-- @app      com.example.shop
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: unreadable in all of it
-- doc: The file is not there.
-- file: missing.lua
-- lint: none
-- doc: The file can be read.
-- @patch    com.example.shop.cart-total
-- @version  1
-- @app      com.example.shop
-- @replaces Cart.total
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
