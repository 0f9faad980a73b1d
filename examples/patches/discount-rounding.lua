-- @patch    com.example.shop.discount-rounding
-- @version  2
-- @app      com.example.shop >=2.3.0 <2.5.0
-- @replaces Discount.apply
--
-- The discount is cut to whole cents, which gives a cent away on every second
-- order. This is how a script for mPaaS or Wax is written.
waxClass{"Discount"}

function apply(self, price, percent)
  local exact = price * (100 - percent)
  return math.floor(exact + 0.5) / 100
end
