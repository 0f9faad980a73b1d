-- lint: original-arguments in line 2
-- doc: The app's function takes a price and a quantity.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price)
end)
-- lint: none
-- doc: The original gets as many arguments as it takes.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, quantity)
end)
-- lint: original-arguments in each line
patch.replace('Cart.label', function(original, a, b) return original(a:gsub('x', 'y'), b, 1) end)
patch.replace('Cart.label', function(original, a, b) return original(a, b:gsub('x', 'y')) end)
patch.replace('Cart.total', function(original, a, b) local ok, r = pcall(original, a) return ok and r or 0 end)
-- lint: none in each line
patch.replace('Cart.label', function(original, a, b) return original(a:gsub('x', 'y'), b) end)
patch.replace('Cart.label', function(original, a, b) return original(a, (b:gsub('x', 'y'))) end)
patch.replace('Cart.total', function(original, a, b) local ok, r = pcall(original, table.unpack({a, b})) return ok and r or 0 end)
patch.replace('Order.total', function(original, ...) return original(...) end)
-- lint: original-arguments in line 1: original gets 1 argument, but Order.total(number, integer) -> number takes 2
patch.replace('Order.total', function(original, a, b) return original(a) end)
-- lint: original-arguments in line 1: original gets 3 arguments, but Order.total(number, integer) -> number takes 2
patch.replace('Order.total', function(original, a, b) return original(a, b, 1) end)
-- lint: original-arguments in line 2:10
patch.replace('Order.total', function(original, a)
  return original(a) end)
-- lint: original-arguments in line 2
local function total(original, price)
  return original(price) end
patch.replace('Cart.total', total)
-- lint: original-arguments in line 3
local M = {}
function M.total(original, price)
  return original(price) end
patch.replace('Cart.total', M.total)
-- lint: original-arguments in line 2
local M = {total = function(original, price)
  return original(price) end}
patch.replace('Cart.total', M.total)
-- lint: original-arguments in line 4
-- @replaces Cart.total
local replace = patch.replace
replace('Cart.total', function(original, price)
  return original(price) end)
-- lint: original-arguments in line 4
local patch = patch
local function apply()
  patch.replace('Cart.total', function(original, price)
    return original(price) end)
end
apply()
-- lint: original-arguments in line 3
local M = {lib = {}}
function M.lib.total(original, price)
  return original(price) end
patch.replace('Cart.total', M.lib.total)
patch.replace('Cart.tax', function(original, price)
  log.info(tostring(M[patch.id])) return original(price) end)
-- lint: original-arguments in line 3
local M = {lib = {}}
function M.lib.total(original, price)
  return original(price) end
patch.replace('Cart.total', M.lib.total)
function walk(node) while node do node = node.next end end
-- lint: original-arguments in fix.lua line 3
local fix = require 'fix'
patch.replace('Cart.total', fix.total)
-- file: fix.lua
local M = {}
function M.total(original, price)
  return original(price) end
return M
