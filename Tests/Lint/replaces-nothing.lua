-- lint: replaces-nothing in line 1
-- doc: The function is a global of the script, which the app does not see.
function total(original, price, quantity)
  return original(price, math.max(0, quantity))
end
-- lint: none
-- doc: `patch.replace` gives the function to the app.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: replaces-nothing in line 1:1
-- @replaces Order.total
local x = 1
