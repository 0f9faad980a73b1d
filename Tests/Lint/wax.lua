-- lint: original-arguments in line 3
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) self:ORIGtotal(a) return 1 end
-- lint: unknown-method in line 3
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) self:ORIGtotl(a, b) return 1 end
-- lint: argument in line 3
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) self.ORIGtotal(a, b) return 1 end
-- lint: none
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) self.ORIGtotal(self, a, b) return 1 end
-- lint: none
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) local me = self
self.ORIGtotal(me, a, b) self.ORIGtotal((self), a, b) return 1 end
-- lint: none
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) self.ORIGtotal(table.unpack({self, a, b})) return 1 end
-- lint: undefined-global in line 3
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) self:ORIGtotal(a, b) self:ORIGtotal(a, f()) return 1 end
-- lint: none
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) if self.extra then self:extra() end return 1 end
-- lint: none
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) local o = {m = function(self) return self:n() end} o:m() return 1 end
-- lint: none
-- @replaces Basket.fill
waxClass{'Basket'}
function fill(self, count) self:add('pen') return self:ORIGfill(count * 2) end
-- lint: none
-- @replaces Basket.fill
waxClass{'Basket'}
function fill(self, count) return self.ORIGfill(self, count) end
-- lint: original-arguments in line 3: ORIGfill gets 2 arguments, but Basket.fill(Basket, integer) -> integer takes 1 after the object
-- @replaces Basket.fill
waxClass{'Basket'}
function fill(self, count) return self:ORIGfill(self, count) end
-- lint: original-arguments in line 3
-- @replaces Basket.fill
waxClass{'Basket'}
function fill(self, count) return self:ORIGfill() end
-- lint: argument in line 3: ORIGfill is called without its object
-- @replaces Basket.fill
waxClass{'Basket'}
function fill(self, count) return self.ORIGfill(count) end
-- lint: none
-- @replaces Order.total
waxClass{'Ord\x65r'}
function total(self, a, b) return self:ORIGtotal(a, b) end
