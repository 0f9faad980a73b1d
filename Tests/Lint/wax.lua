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
