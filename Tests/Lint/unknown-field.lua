-- lint: unknown-field in line 2
-- doc: An Item has a `price`, and no `prise`.
patch.replace("Cart.sorted", function(original, items)
  if #items > 0 then log.info(items[1].prise) end
  return original(items)
end)
-- lint: none
-- doc: The field is one of Item's.
patch.replace("Cart.sorted", function(original, items)
  if #items > 0 then log.info(items[1].price) end
  return original(items)
end)
-- lint: unknown-field in each line
patch.replace('Cart.save', function(original, a, b) a.prise = 5 original(a, b) end)
patch.replace('Cart.product', function(original, a) return host.call('Cart.items', {})[0] end)
patch.replace('Cart.items', function(original, a) return {a[0]} end)
patch.replace('Cart.names', function(original, a, b) for i = 0, #a do log.info(a[i]) end return a end)
patch.replace('Cart.prices', function(original, a, b) return {x = a[1]} end)
patch.replace('Cart.label', function(original, a, b) if a[1] == 'x' then return b end return a end)
patch.replace('Cart.label', function(original, a, b) local t = '' for i = 1, #a do t = t .. a[i] end return t end)
patch.replace('Cart.label', function(original, a, b) if a.length > 5 then return b end return a end)
-- lint: none in each line
patch.replace('Cart.save', function(original, a, b) a.price = 5 a.seen = true original(a, b) end)
patch.replace('Cart.product', function(original, a) return host.call('Cart.items', {})[1] end)
patch.replace('Cart.names', function(original, a, b) for i = 1, #a do log.info(a[i]) end return a end)
patch.replace('Cart.prices', function(original, a, b) return {x = a['1']} end)
patch.replace('Cart.label', function(original, a, b) if a:sub(1, 1) == 'x' then return b end return a end)
patch.replace('Cart.label', function(original, a, b) local t = '' for i = 1, #a do t = t .. a:sub(i, i) end return t end)
patch.replace('Cart.label', function(original, a, b) if #a > 5 and a.len(a) > 5 then return b end return a end)
patch.replace('Cart.label', function(original, a, b) local s = 'abc' return s.x and b or a end)
patch.replace('Cart.label', function(original, a, b) local text = a.text or a if a[1] == nil then return text end return b end)
patch.replace('Cart.label', function(original, a, b) local text = a.text if text then return text end return b end)
-- lint: unknown-field in line 3
patch.replace('Cart.names', function(original, a, b)
  for i = 0, #a - 1 do
  log.info(a[i]) end return a end)
-- lint: none
patch.replace('Cart.names', function(original, a, b)
  for i = 0, #a - 1 do
  log.info(a[i + 1]) if i > 0 then log.info(a[i]) end end return a end)
-- lint: unknown-field in line 1
local function only(x) return {x.nam and x[1]} end
patch.replace('Cart.items', function(original, a) return only(a) end)
-- lint: none
local function only(x) return {x.nam and x[1]} end
patch.replace('Cart.items', function(original, a) log.info(#only({nam = 1})) return a end)
-- lint: unknown-field in line 1: Line has no field ammount
patch.replace('Order.first', function(original, a) return a[1].ammount end)
-- lint: unknown-field in line 1: Line has no field pirce
patch.replace('Order.first', function(original, a) for _, item in ipairs(a) do if item.pirce > 1 then return item end end end)
-- lint: unknown-field in line 1: Line has no field nme
patch.replace('Order.first', function(original, a) return {price = 1, nme = 'x'} end)
-- lint: unknown-field in line 1: an array has no field count
patch.replace('Order.first', function(original, a) if a.count == 0 then return nil end return a[1] end)
-- lint: unknown-field in line 1: an array has no field x
patch.replace('Order.first', function(original, a) return a['x'] end)
-- lint: unknown-field in line 1: Limit has no field cent
patch.replace('Order.sum', function(original, a, b) return a.limit.cent end)
-- lint: unknown-field in line 3: Limit has no field cent
patch.replace('Order.sum', function(original, a, b)
  local limit = a.limit
  local f = function() return limit.cent end
  return f() end)
-- Tables of the script do not hide what the tables of the app have.
-- lint: unknown-field in line 5: Item has no field rank; it has name, price, count
patch.replace('Cart.sorted', function(original, items)
  local seen = {}
  local function mark(key)
    seen[key] = true end
  for _, item in ipairs(items) do mark(item.name) log.info(item.rank) end return original(items) end)
-- lint: unknown-field in each line
patch.replace('Cart.names', function(original, a, b) log.info(b[1].nme) for i, x in ipairs(b) do b[i] = tostring(x.name) end return b end)
patch.replace('Cart.items', function(original, a) local t = {} for i, x in ipairs(a) do t[i] = x.nme t[x.price] = i end return a end)
-- An array of the app, or an empty one.
-- lint: unknown-field in each line
patch.replace('Order.sum', function(original, a, b) for _, x in ipairs(a.items or {}) do log.info(x.pirce) end return 1 end)
patch.replace('Order.sum', function(original, a, b) a.items = a.items or {} log.info(a.items[1].pirce) return original(a, b) end)
-- lint: none in each line
patch.replace('Order.sum', function(original, a, b) for _, x in ipairs(a.items or {}) do log.info(x.price) end return 1 end)
patch.replace('Order.sum', function(original, a, b) local t = a.items or {} t[#t + 1] = 'end' log.info(t[#t] .. '') return 1 end)
patch.replace('Order.sum', function(original, a, b) local t = a.items or {} t.n = 5 log.info(t.n + 1) return 1 end)
patch.replace('Order.sum', function(original, a, b) local e = {} local t = a.items or e e[1] = 'x' log.info(t[1] .. '') return 1 end)
patch.replace('Order.sum', function(original, a, b) a.items = a.items or {} local t = a.items t[1] = 'x' log.info(a.items[1] .. '') return 1 end)
