-- lint: result-type in line 2
-- doc: The app expects a number, so the original answers.
patch.replace("Cart.total", function(original, price, quantity)
  return "free"
end)
-- lint: none
-- doc: The answer has the type of the app's function.
patch.replace("Cart.total", function(original, price, quantity)
  return 0
end)
-- lint: result-type in each line
patch.replace('Cart.names', function(original, a, b) return table.sort(a) end)
patch.replace('Cart.names', function(original, a, b) return table.insert(a, 'x') end)
patch.replace('Cart.items', function(original, a) return {{price = 1, cents = 1.5}} end)
patch.replace('Cart.product', function(original, a) return {price = 1, cents = 1.5} end)
patch.replace('Cart.split', function(original, a, b) return 1.5 end)
patch.replace('Cart.marks', function(original, a) return {'x', 'y'} end)
patch.replace('Cart.marks', function(original, a) return {1, 2.5} end)
patch.replace('Cart.items', function(original, a) return {a} end)
patch.replace('Cart.items', function(original, a) return {{price = 1}} end)
patch.replace('Cart.names', function(original, a, b) return {b[1]} end)
patch.replace('Cart.prices', function(original, a, b) return {a = 'x'} end)
patch.replace('Cart.settle', function(original, a, b) return b.balance end)
patch.replace('Cart.items', function(original, a) return {name = 'x', price = 1, cents = 1} end)
patch.replace('Cart.prices', function(original, a, b) return {1, 2} end)
patch.replace('Cart.items', function(original, a) a[#a + 1] = 'x' return a end)
patch.replace('Cart.names', function(original, a, b) table.insert(a, 5) return a end)
patch.replace('Cart.names', function(original, a, b) return {a[1], nil, a[2]} end)
patch.replace('Cart.names', function(original, a, b) local t = {} for _, x in ipairs(b) do t[#t + 1] = x end return t end)
patch.replace('Cart.names', function(original, a, b) local t = {} for _, x in ipairs(b) do if x.price > 5 then table.insert(t, x) end end return t end)
patch.replace('Cart.names', function(original, a, b) local t = {} for i, x in ipairs(b) do t[i] = x.price > 5 end return t end)
patch.replace('Cart.items', function(original, a) local t = {} for _, x in ipairs(a) do table.insert(t, {name = x.name, price = x.price}) end return t end)
patch.replace('Cart.prices', function(original, a, b) local t = {} for _, p in pairs(a) do t[#t + 1] = p end return t end)
patch.replace('Cart.marks', function(original, a) local t = {} t[#t + 1] = 'x' return t end)
-- lint: none in each line
patch.replace('Cart.names', function(original, a, b) table.sort(a) return a end)
patch.replace('Cart.names', function(original, a, b) table.insert(a, 'x') return a end)
patch.replace('Cart.items', function(original, a) return {{price = 1.5, cents = 2.0}, {price = 1, cents = 2}} end)
patch.replace('Cart.product', function(original, a) return {price = 1.5, cents = 2.0} end)
patch.replace('Cart.split', function(original, a, b) return 2.0 end)
patch.replace('Cart.marks', function(original, a) return {1, 2, a[1], 4.0} end)
patch.replace('Cart.marks', function(original, a) local t = {1, 2.5} t[2] = 3 return t end)
patch.replace('Cart.items', function(original, a) return {a[1]} end)
patch.replace('Cart.items', function(original, a) return {{price = 1, cents = 1}} end)
patch.replace('Cart.names', function(original, a, b) return {a[1], b[1].name} end)
patch.replace('Cart.prices', function(original, a, b) return {a = 1, b = a.b} end)
patch.replace('Cart.settle', function(original, a, b) return b:balance(1) end)
patch.replace('Cart.items', function(original, a) return {{name = 'x', price = 1, cents = 1}} end)
patch.replace('Cart.prices', function(original, a, b) return {x = 1, y = 2} end)
patch.replace('Cart.items', function(original, a) a[#a + 1] = a[1] a[1] = nil return a end)
patch.replace('Cart.names', function(original, a, b) return {a[1], a[2], nil} end)
patch.replace('Cart.names', function(original, a, b) local t = {} for _, x in ipairs(b) do t[#t + 1] = x.name end return t end)
patch.replace('Cart.names', function(original, a, b) local t = {} for i, x in ipairs(b) do t[i] = x.price > 5 t[i] = tostring(t[i]) end return t end)
patch.replace('Cart.prices', function(original, a, b) local t = {} for k, p in pairs(a) do t[k] = p end return t end)
patch.replace('Cart.marks', function(original, a) local t = {} t[#t + 1] = 'x' for i, x in ipairs(t) do t[i] = #x end return t end)
-- lint: result-type in line 2
local function price(x) return 5 end
patch.replace('Cart.label', function(original, a, b) return price(host.call('Cart.product', a) or {}) end)
-- lint: none
local function price(x) return 5 end
patch.replace('Cart.label', function(original, a, b) return tostring(price(a)) end)
-- lint: result-type in line 2
local function note(x) log.info('x') end
patch.replace('Cart.total', function(original, a, b) return note(a) end)
-- lint: none
local function note(x) log.info('x') end
patch.replace('Cart.total', function(original, a, b) note(a) return a end)
-- lint: none
patch.replace('Cart.names', function(original, a, b)
  local t = {} for _, x in ipairs(b) do if x.price > 5 then table.insert(t, x) end end return {t[1].name, tostring(#t)} end)
-- lint: none
patch.replace('Cart.items', function(original, a)
  local t = {} for _, x in ipairs(a) do local y = {price = x.price} table.insert(t, y) y.cents = 1 end return t end)
-- lint: result-type in line 1: Order.total returns number, but this is a string
patch.replace('Order.total', function(original, a, b) return tostring(a) end)
-- lint: result-type in line 1: Order.total returns number, but this is the original
patch.replace('Order.total', function(original, a, b) return original end)
-- lint: result-type in line 1: Order.total returns number, but this returns nothing
patch.replace('Order.total', function(original, a, b) if a > 1 then return end return a end)
-- lint: result-type in line 1: Order.total returns number, but the replacement never returns a value
patch.replace('Order.total', function(original, a, b) original(a, b) end)
-- lint: result-type in line 1: Order.total returns number, but this is a boolean
patch.replace('Order.total', function(original, a, b) return a > 1 end)
-- lint: result-type in line 1: the field price of Line is number, but this is a string
patch.replace('Order.first', function(original, a) local item = a[1] item.price = 'x' return item end)
-- lint: result-type in line 1: Order.first returns Line or nil, but this is an array of Line
patch.replace('Order.first', function(original, a) return original({{price = 1}}) and a end)
-- lint: result-type in line 1: Order.mood returns Mood, but this is an integer
patch.replace('Order.mood', function(original, a, b) return 5 end)
-- lint: result-type in line 1: Order.day returns Date or nil, but this is a string
patch.replace('Order.day', function(original, a, b, c) return a .. '' end)
-- lint: result-type in line 1: Order.load returns array of Line, but this is a string
patch.replace('Order.load', function(original, a) return 'none' end)
-- lint: result-type in line 2:13
patch.replace('Order.total', function(original, a)
  if a then return 'ten' end
  return a
end)
-- lint: result-type in line 1:41
patch.replace('Order.total', function() return nil end)
-- lint: none
patch.replace('Order.total', function(original, a)
  if a then return 10 end
  return a
end)
-- lint: none
-- @replaces Order.total, Order.name
patch.replace('Order.name', function() return nil end)
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: result-type in line 1: Order.newest returns Line, but this has no field price; pirce is not a field of Line
patch.replace('Order.newest', function(original) local other = original() return {pirce = 9} end)
-- lint: result-type in line 1: the field price of Line is number, but this is a string
patch.replace('Order.newest', function(original) local other = original() return {price = 'x'} end)
-- lint: result-type in line 1: the field name of Line is string or nil, but this is an integer
patch.replace('Order.newest', function(original) local other = original() return {price = 9, name = 1} end)
-- lint: result-type in line 1: Order.newest returns Line, but this has no field price
patch.replace('Order.newest', function(original) local other = original() local item = {} item.name = 'x' return item end)
-- lint: result-type in line 1: Order.newest returns Line, but this has no field price
patch.replace('Order.newest', function(original) local other = original() if other then return {} end return nil end)
