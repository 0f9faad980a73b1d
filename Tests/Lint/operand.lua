-- lint: operand in line 2
-- doc: `original` is a function; a function times two is an error.
patch.replace("Cart.total", function(original, price, quantity)
  return original * 2
end)
-- lint: none
-- doc: The function is called, and its result is a number.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, quantity) * 2
end)
-- lint: operand in each line
patch.replace('Cart.parse', function(original, a) return tonumber('x') + 1 end)
patch.replace('Cart.label', function(original, a, b) return a .. -'x' end)
patch.replace('Cart.names', function(original, a, b) return {a[#a + 1] .. 'x'} end)
patch.replace('Cart.total', function(original, a, b) for i = 1, 3, 0 do a = a + i end return a end)
patch.replace('Cart.settle', function(original, a, b) if not a.card then return #a.card.kind end return b:balance(1) end)
patch.replace('Cart.settle', function(original, a, b) local item = host.call('Cart.product', a.id) if not item then return item.cents end return 0 end)
patch.replace('Cart.settle', function(original, a, b) local item = host.call('Cart.product', a.id) if item == nil then return item.cents end return 0 end)
patch.replace('Cart.prices', function(original, a, b) if #a > 1 then return {} end return a end)
patch.replace('Cart.prices', function(original, a, b) for k, v in a do log.info(k) end return a end)
-- lint: none in each line
patch.replace('Cart.parse', function(original, a) if tonumber(a) then return tonumber(a) + tonumber('5') end return 0 end)
patch.replace('Cart.label', function(original, a, b) return a .. -'5' end)
patch.replace('Cart.parse', function(original, a) return ('5' + '0x10') * ' 1e2 ' end)
patch.replace('Cart.names', function(original, a, b) return {a[#a] .. 'x'} end)
patch.replace('Cart.total', function(original, a, b) for i = 1, 3, 1 do a = a + i end return a end)
patch.replace('Cart.settle', function(original, a, b) if a.card then return #a.card.kind end return b:balance(1) end)
patch.replace('Cart.settle', function(original, a, b) local item = host.call('Cart.product', a.id) if not item then return 0 end return item.cents end)
patch.replace('Cart.settle', function(original, a, b) local item = host.call('Cart.product', a.id) if item ~= nil then return item.cents end return 0 end)
patch.replace('Cart.prices', function(original, a, b) if next(a) then return {} end return a end)
patch.replace('Cart.prices', function(original, a, b) for k, v in pairs(a) do log.info(k) end return a end)
-- lint: may-not-fit in line 1
-- lint: operand in line 1
patch.replace('Cart.parse', function(original, a) return a + 'y' end)
-- lint: operand in line 1
local function half(x) return (x.price or x) / 2 end
patch.replace('Cart.total', function(original, a, b) return half(a) end)
-- lint: none
local function half(x) return (x.price or x) / 2 end
patch.replace('Cart.total', function(original, a, b) return half({price = a}) end)
-- lint: operand in line 1: calculates with original, which is the original
patch.replace('Order.total', function(original, a, b) return original * 2 end)
-- lint: operand in line 1: calls a, which is a number
patch.replace('Order.total', function(original, a, b) return a() end)
-- lint: operand in line 1: compares a, which is a number, with a string
patch.replace('Order.total', function(original, a, b) if a < 'x' then return 1 end return 2 end)
-- lint: operand in line 1: indexes a, which is a number
patch.replace('Order.total', function(original, a, b) return a:upper() end)
-- lint: operand in line 1: counts with the limit original, which is the original
patch.replace('Order.total', function(original, a, b) for i = 1, original do a = a + i end return a end)
-- lint: operand in line 2: joins f, which is a function
patch.replace('Order.total', function(original, a, b)
  local f = function(x) return x end return #(f .. 'x') end)
-- lint: operand in line 1: compares k, which is a string, with an integer
patch.replace('Order.sum', function(original, a, b) for k, v in pairs(b) do if k > 1 then return v end end return 1 end)
-- lint: operand in line 1: joins nil
patch.replace('Order.mood', function(original, a, b) return original(a, b) .. nil end)
-- lint: operand in line 1: indexes a, which is a Date
patch.replace('Order.day', function(original, a, b, c) return a.year end)
-- lint: operand in line 1: closes h, which is a table
patch.replace('Order.sum', function(original, a, b) local h <close> = {} return 1 end)
-- lint: operand in line 2:21
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f() return #5 end
-- lint: operand in line 2:26
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f(x) return 'a' .. (x and nil) .. nil end
-- lint: operand in line 2:20
patch.replace('Order.total', function(original, a, b)
  return original(#a, b) end)
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f() return #'5', 1 .. 2, ('x'):rep(2), '10' + 1, -2 ^ 2 end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f(x) return 'a' .. (x or '') end
-- lint: operand in line 3
local fix = {}
function fix.total(original, a)
  return #(a .. nil)
end
patch.replace('Order.total', fix.total)
-- lint: operand in line 1: joins basket, which is a Basket
patch.replace('Order.fill', function(original, basket, s) return original(basket, 'x' .. basket) end)
-- lint: operand in line 1: calculates with basket, which is a Basket
patch.replace('Order.fill', function(original, basket, s) return original(basket, s, tostring(basket + 1)) end)
-- lint: operand in line 1: compares basket, which is a Basket
patch.replace('Order.fill', function(original, basket, s) if basket < 2 then return end return original(basket, s) end)
-- lint: operand in line 1: takes the length of basket, which is a Basket
patch.replace('Order.fill', function(original, basket, s) if #basket == 0 then return end return original(basket, s) end)
-- lint: operand in line 1: sets a field of basket, which is a Basket
patch.replace('Order.fill', function(original, basket, s) basket.name = s return original(basket, s) end)
-- lint: none
patch.replace('Order.fill', function(original, basket, s) if basket ~= nil and basket == basket then return original(basket, tostring(basket)) end end)
-- lint: operand in each line
patch.replace('Cart.label', function(original, a, b) local t = {a} return 'x' .. t end)
patch.replace('Cart.label', function(original, a, b) local mt = {__concat = function() return 'x' end} return mt .. a end)
patch.replace('Cart.names', function(original, a, b) return {'x' .. a} end)
-- lint: operand in line 1: counts with the limit "x", which is not a number
patch.replace('Cart.total', function(original, a, b) for i = 1, 'x' do a = a + i end return a end)
-- The name is found beside a string with the same text.
-- lint: operand in line 2:25
patch.replace('Cart.total', function(original, price, quantity)
  log.info("quantity", #quantity)
  return price end)
-- A method of an object of the app calls no function of the script with the same name.
-- lint: operand in line 2: takes the length of count, which is an integer
local fix = {}
function fix.add(original, basket, count) return original(basket, #count) end
patch.replace('Basket.fill', fix.add)
patch.replace('Order.fill', function(original, basket, text) basket:add(text) return original(basket, text) end)
-- lint: operand in line 1: takes the length of count, which is an integer
function add(original, basket, count) return original(basket, #count) end
patch.replace('Basket.fill', add)
patch.replace('Order.fill', function(original, basket, text) basket:add(text) return original(basket, text) end)
-- A value that fails whether it is nil or not. Neither a test for nil nor a protected call helps.
-- lint: operand in line 1: takes the length of n, which is a number or nil
patch.replace('Cart.parse', function(original, a) local n = tonumber(a) return #n end)
-- lint: operand in line 1: takes the length of n, which is a number or nil
local function length(text) local n = tonumber(text) return #n end
patch.replace('Cart.parse', function(original, a)
  local size = length(a)
  local ok, value = pcall(original, a)
  return ok and value or size
end)
-- Each operand of a comparison has its own name.
-- lint: operand in line 1: compares a boolean
patch.replace('Order.total', function(original, a, b) if a < true then return 1 end return 2 end)
-- lint: operand in line 1: compares a string with a number
patch.replace('Order.total', function(original, a, b) if 'x' < a then return 1 end return 2 end)
