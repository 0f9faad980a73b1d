-- lint: unknown-class in line 2
-- doc: The app has functions of Cart, and none of Crat.
-- @replaces Cart.total
waxClass{"Crat"}
function total(self, price, quantity)
  return self:ORIGtotal(price, quantity)
end
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: none
-- doc: The app has functions of this class.
-- @replaces Cart.total
waxClass{"Cart"}
function total(self, price, quantity)
  return self:ORIGtotal(price, quantity)
end
-- lint: unknown-class in line 1:11
waxClass{'Ordr'}
function total(self) return 1 end
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: none
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) return 1 end
