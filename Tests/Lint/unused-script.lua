-- lint: unused-script in tax.lua line 1
-- doc: Nothing requires `tax`, so it never runs.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- file: tax.lua
return 0.19
-- lint: none
-- doc: The first script requires the other one.
local rate = require "tax"
patch.replace("Cart.total", function(original, price, quantity)
  return original(price * (1 + rate), quantity)
end)
-- file: tax.lua
return 0.19
