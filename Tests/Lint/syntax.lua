-- lint: syntax in line 2
-- doc: Lua's `if` needs a `then`.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity < 0 return 0 end
  return original(price, quantity)
end)
-- lint: none
-- doc: The script compiles.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity < 0 then return 0 end
  return original(price, quantity)
end)
-- lint: syntax in line 2:1
-- @replaces Order.total
local x = = 1
-- lint: syntax in line 2:3
-- @replaces Order.total
  x y
-- lint: syntax in line 2:1
-- @replaces Order.total
local s = 'open
-- lint: syntax in line 3:1
-- @replaces Order.total
local a
local b = a.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b
-- lint: syntax in line 1:1
#!/usr/bin/lua
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: none
local x = 1
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: none
x = y
y = x
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: none
local a = {}
local b = a.b
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
