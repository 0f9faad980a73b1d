-- @patch    com.example.shop.cart-total
-- @version  7
-- @app      com.example.shop >=2.3.0 <2.5.0
-- @replaces Cart.total
--
-- A cart with a negative quantity has a negative total, and the payment
-- service takes that for a refund. Such a line is worth nothing.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity < 0 then
    log.warn("negative quantity " .. quantity)
    return 0
  end
  return original(price, quantity)
end)
