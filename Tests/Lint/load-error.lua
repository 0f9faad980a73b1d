-- lint: load-error in line 1
-- doc: This app has no Cart.discount, so the patch is refused when it is loaded.
assert(host.has("Cart.discount"), "no discounts")
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: none
-- doc: The patch loads, whatever the app has.
if not host.has("Cart.discount") then log.warn("no discounts") end
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: operand in line 3:1
-- lint: load-error in line 3:1
patch.replace('Order.total', function(original, a, b) return original(a, b) end)

local x = nil + 1
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
local x = 1 + 1
-- lint: none
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = 1.5})
-- lint: none
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = 1})
-- lint: load-error in line 1: `otherwise` of Order.total: expected number, got string
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = 'x'})
-- lint: load-error in line 1: `otherwise` of Order.total: expected number, got nil
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = nil})
-- lint: load-error in line 1: `otherwise` of Order.total: expected number, got table
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = {}})
-- lint: load-error in line 1: `otherwise` of Order.total: an error was given, but Order.total cannot throw
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = host.error('later', 503)})
-- lint: load-error in line 1: `otherwise` of Cart.meal: expected Meal, got the string brunch
patch.replace('Cart.meal', function(original, hour)
return original(hour)
end, {otherwise = 'brunch'})
-- lint: load-error in line 1: `otherwise` of Cart.level: expected Level, got the integer 3
patch.replace('Cart.level', function(original, level)
return original(level)
end, {otherwise = 3.0})
-- lint: none
patch.replace('Cart.level', function(original, level)
return original(level)
end, {otherwise = 2.0})
