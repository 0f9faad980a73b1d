-- lint: always-false in line 2
-- doc: A number is never equal to a string.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity == "0" then return 0 end
  return original(price, quantity)
end)
-- lint: none
-- doc: Both sides are numbers.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity == 0 then return 0 end
  return original(price, quantity)
end)
-- lint: always-false in each line
patch.replace('Cart.label', function(original, a, b) if a:find('x') == true then return b end return a end)
patch.replace('Cart.label', function(original, a, b) if a:byte(1) == 'A' then return b end return a end)
patch.replace('Cart.opt', function(original, a, b) if type(a) == nil then return 1 end return 0 end)
patch.replace('Cart.opt', function(original, a, b) local kind = type(a) if kind ~= nil then return a end return 0 end)
patch.replace('Cart.opt', function(original, a, b) if type(a) == 'integer' then return a end return 0 end)
patch.replace('Cart.opt', function(original, a, b) if math.type(a) == 'int' then return a end return 0 end)
-- lint: none in each line
patch.replace('Cart.opt', function(original, a, b) if type(a) == 'nil' then return 0 end return original(a, b) end)
patch.replace('Cart.label', function(original, a, b) if a:find('x') ~= nil then return b end return a end)
patch.replace('Cart.label', function(original, a, b) if a ~= 'x' and a ~= 'y' then return b end return a end)
patch.replace('Cart.label', function(original, a, b) if a == 'x' and b == 'y' then return b end return a end)
patch.replace('Cart.split', function(original, a, b) if a < 5 or a > 10 then return 1 end return a end)
patch.replace('Cart.total', function(original, a, b) if a > 10 then while a > 9 do a = a - 5 if a < 0 then return 1 end end end return a end)
patch.replace('Cart.names', function(original, a, b) for i = #a, 1, -1 do log.info(a[i]) end return a end)
patch.replace('Cart.names', function(original, a, b) for i = 1, #a, 2 do log.info(a[i]) end return a end)
patch.replace('Cart.total', function(original, a, b) for i = 10, 1, -1 do a = a + i end return a end)
patch.replace('Cart.label', function(original, a, b) if (a:find('x') or -1) == -1 then return b end return a end)
patch.replace('Cart.label', function(original, a, b) local at, last = a:find(b, 1, true) if at == 1 or last == 0 then return b end return a end)
patch.replace('Cart.names', function(original, a, b) if #a < 1 then return {} end return a end)
patch.replace('Cart.total', function(original, a, b) return a > 8 and 5 or false or nil or original(a, b) end)
patch.replace('Cart.product', function(original, a) return a ~= '' and original(a) or nil end)
patch.replace('Cart.label', function(original, a, b) if a:byte(1) == 65 then return b end return a end)
patch.replace('Cart.opt', function(original, a, b) if type(a) == 'number' and math.type(a) == 'integer' then return a end return 0 end)
patch.replace('Cart.opt', function(original, a, b) if math.type(a) == 'float' or type(b) == 'userdata' then return 1 end return 0 end)
-- lint: always-false in line 1: compares a, which is a number, with a string, so they are never equal
patch.replace('Order.total', function(original, a, b) if a == '5' then return 1 end return a end)
-- lint: always-false in line 1: compares a boolean with an integer, so they are never equal
patch.replace('Order.total', function(original, a, b) if not a == 5 then return 1 end return a end)
-- lint: always-false in line 1: Mood has no value "god", so they are never equal
patch.replace('Order.mood', function(original, a, b) if a == 'god' then return 'good' end return a end)
-- lint: always-false in line 1: Mood has no value "god", so they are never equal
patch.replace('Order.day', function(original, a, b, c) if c == 'god' then return a end end)
