waxClass{'Cart'}
function total(self, price, quantity) return self:ORIGtotal(price, quantity) + self:total(1, 1) end
function name(self, text, flag) return self:ORIGname(text, flag) end
-- Cart.total Cart.name
