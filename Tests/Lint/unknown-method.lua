-- lint: unknown-method in line 2
-- doc: A Wallet has the methods balance and spend.
patch.replace("Cart.pay", function(original, wallet, cents)
  return wallet:balanse() >= cents
end)
-- lint: none
-- doc: The class exposes the method.
patch.replace("Cart.pay", function(original, wallet, cents)
  return wallet:balance() >= cents
end)
-- lint: unknown-method in line 1: strings have no method uper
patch.replace('Order.total', function(original, a, b) return #('x'):uper() end)
-- lint: unknown-method in line 1: Basket has no method ad
patch.replace('Order.fill', function(original, a, b, c) a:ad(b) end)
-- lint: unknown-method in line 3:40
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) return self:view(a, b) end
-- lint: none
-- @replaces Order.total
waxClass{'Order'}
function view(self) return 1 end
function total(self, a, b) return self:view() end
-- lint: unknown-method in line 1
patch.replace('Cart.names', function(original, a, b) a:sort() return a end)
