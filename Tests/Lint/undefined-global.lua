-- lint: undefined-global in line 2
-- doc: `orignal` is nil, so each call fails.
patch.replace("Cart.total", function(original, price, quantity)
  return orignal(price, quantity)
end)
-- lint: none
-- doc: The name is the parameter's.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, quantity)
end)
-- lint: undefined-global in line 2:27
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
local function f() return other end
-- lint: undefined-global in line 2:21
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f() return prnt end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
other = 1
local function f() return other end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
local function f() return print end
-- lint: undefined-global in line 2: the global prnt is used, but nothing defines it; did you mean print?
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f() return prnt end
-- lint: undefined-global in line 2: the global later is used, but nothing defines it; line 2 has a local later, but it is not visible here
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f() return later() end local function later() return f() end
