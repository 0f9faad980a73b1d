-- lint: none
patch.replace("Cart.total", function(original, price, quantity)
  local tests = {}
  for number = 1, 1100 do tests[number] = number end
  for _, number in ipairs(tests) do
    if quantity == number then log.info(number) end
  end
  return original(price, quantity)
end)
-- A value that is nil stays nil only until another value is assigned.
-- lint: none
patch.replace('Cart.total', function(original, a, b)
  local min for i = 1, a do if min == nil or i < min then min = i end end if min == nil then min = 0 end return min end)
-- lint: none
local function half(x, o) if o ~= nil then return x / o.by end return x / 2 end
patch.replace('Cart.total', function(original, a, b) return half(a) end)
-- Loops that end.
-- lint: none
patch.replace('Cart.total', function(original, a, b)
  if a <= 0 then return 0 end local i = 0 while i < 10 do log.info('x') if a > 0 then i = i + 1 end end return i end)
-- lint: none in each line
patch.replace('Cart.names', function(original, a, b) for _, v in ipairs(b) do return {v.name or '?'} end return a end)
patch.replace('Cart.prices', function(original, a, b) local key for k, v in pairs(a) do key = v and k break end return {[key or 'x'] = 1} end)
-- lint: none
patch.replace('Cart.total', function(original, a, b)
  while true do local ok, v = pcall(original, a, b) if ok then return v end log.info('again') end return 0 end)
-- lint: none in each line
patch.replace('Cart.split', function(original, a, b) repeat a = a - 1 if a < b then return a end until false end)
patch.replace('Cart.split', function(original, a, b) while not false do a = a - 1 if a < b then return a end end end)
-- Positions.
patch.replace('Cart.marks', function(original, a) a[0] = 0 for i = 1, #a do a[i] = a[i] + a[i - 1] end log.info(a[0]) a[0] = nil return a end)
patch.replace('Cart.marks', function(original, a) local t = a t[0] = 0 log.info(a[0]) return a end)
patch.replace('Cart.marks', function(original, a) for i = 0, #a do if i % 2 == 1 then log.info(a[i]) end end return a end)
patch.replace('Cart.marks', function(original, a) for i = 0, #a do local first = i == 0 if not first then log.info(a[i]) end end return a end)
patch.replace('Cart.marks', function(original, a) for i = 0, #a do for j = 1, i do log.info(a[i] + j) end end return a end)
-- lint: none
patch.replace('Cart.marks', function(original, a)
  setmetatable(a, {__index = function() return 0 end}) local s = a[0] + a[#a + 1] for i = 0, #a do s = s + a[i] end return {s} end)
-- lint: none in each line
patch.replace('Cart.names', function(original, a, b) setmetatable(a, {__index = table}) a:insert('x') return a end)
-- Arrays that are changed in place.
patch.replace('Cart.names', function(original, a, b) for i, item in ipairs(b) do b[i] = item.name or '?' end return b end)
patch.replace('Cart.names', function(original, a, b) for i = 1, #b do b[i] = tostring(b[i].name) end return b end)
-- lint: none
patch.replace('Cart.marks', function(original, a)
  a[#a + 1] = 'end' local out = {} for _, v in ipairs(a) do if v == 'end' then break end out[#out + 1] = v end return out end)
-- lint: none in each line
patch.replace('Cart.items', function(original, a) table.insert(a, {kind = 'x'}) for _, x in ipairs(a) do log.info(x.kind) end return {} end)
patch.replace('Cart.names', function(original, a, b) local seen = a seen.x = true if seen.x then return {} end log.info(a.x) return a end)
patch.replace('Cart.prices', function(original, a, b) a[1] = 5 log.info(a[1], #a) return a end)
-- lint: none
local function fill(t) t[0] = 1 end
patch.replace('Cart.marks', function(original, a) fill(a) log.info(a[0] + 1) return a end)
-- lint: none
local function fix(x) x.price = tostring(x.price) end
patch.replace('Cart.items', function(original, a) for _, x in ipairs(a) do fix(x) end for _, x in ipairs(a) do log.info(x.price:upper()) end return {} end)
-- lint: none
local function fix(list) for i, x in ipairs(list) do list[i] = x.price end end
patch.replace('Cart.items', function(original, a) fix(a) for _, x in ipairs(a) do log.info(x * 2) end return {} end)
-- lint: none
patch.replace('Cart.names', function(original, a, b)
  local t = {} for _, x in ipairs(b) do t[#t + 1] = x end for i, x in ipairs(t) do t[i] = x.name end return t end)
-- lint: none
patch.replace('Cart.names', function(original, a, b) local t, u = {}, {} for _, x in ipairs(b) do u[#u + 1] = x t[#t + 1] = x.name end u = t return u end)
-- lint: none
patch.replace('Cart.names', function(original, a, b)
  local t = {} local u = t for _, x in ipairs(b) do t[#t + 1] = x end u[1] = 'x' for i = 2, #u do u[i] = nil end return t end)
-- lint: none
local function fix(t) t[1] = t[1].name end
patch.replace('Cart.names', function(original, a, b) local t = {b[1]} fix(t) return t end)
-- lint: none
local function fix(t) t[1] = t[1].name end
patch.replace('Cart.names', function(original, a, b) local t = {} table.insert(t, b[1]) fix(t) return t end)
-- lint: none in each line
patch.replace('Cart.names', function(original, a, b) local t = {} table.insert(t, b[1]) table.remove(t) return t end)
patch.replace('Cart.names', function(original, a, b) local t = {} t.x = 5 t[#t + 1] = 5 log.info(#t) return {} end)
-- Tables in tables.
patch.replace('Cart.items', function(original, a) local x = {price = 1} local t = {x} x.cents = 5 return t end)
patch.replace('Cart.items', function(original, a) local x = {price = 1} local t = {} t[1] = x x.cents = 5 return t end)
patch.replace('Cart.items', function(original, a) local t = {{price = 1}} t[1].cents = 5 return t end)
patch.replace('Cart.items', function(original, a) local t = {{price = 1}} for _, x in ipairs(t) do x.cents = 5 end return t end)
patch.replace('Cart.settle', function(original, a, b) local p = {id = 'x', card = {}} p.card.kind = 'x' return original(p, b) end)
patch.replace('Cart.settle', function(original, a, b) local c = {} local p = {id = 'x', card = c} c.kind = 'x' return original(p, b) end)
patch.replace('Cart.settle', function(original, a, b) local p = {id = 'x', card = {}} local c = p.card c.kind = 'x' return original(p, b) end)
-- Fields that are written.
patch.replace('Cart.items', function(original, a) a[1].price = 'free' log.info(a[1].price:upper()) return {} end)
patch.replace('Cart.save', function(original, a, b) a.price = '5' log.info('x') log.info(a.price:upper()) end)
patch.replace('Cart.save', function(original, a, b) local c = a c.cents = 'x' log.info(a.cents:upper()) end)
-- lint: none
patch.replace('Cart.items', function(original, a)
  for _, x in ipairs(a) do x.price = tostring(x.price) end for _, x in ipairs(a) do log.info(x.price:upper()) end return {} end)
-- lint: none
patch.replace('Cart.items', function(original, a)
  for i = 1, 2 do for _, x in ipairs(a) do local p = x.price if i > 1 then log.info(p:upper()) end x.price = 'x' end end return {} end)
-- lint: none in each line
patch.replace('Cart.split', function(original, a, b) local t = {n = a} while t.n < 10 do t.n = t.n + 1 if t.n == 10 then return b end end return a end)
patch.replace('Cart.raw', function(original, a, b) if a.n == 0 then a.n = 1 if a.n == 1 then return b end end return original(a, b) end)
patch.replace('Cart.raw', function(original, a, b) original(a, b) a.price = 5 return original(a, b) end)
-- lint: none
patch.replace('Cart.settle', function(original, a, b)
  local x, y = a.card or {}, {kind = 'x'} if (x.kind or y.kind) == 'x' then return 1 end if (x.name or y.kind) == 'x' then return 3 end return 4 end)
-- Calls that may return, and calls that never do.
-- lint: none
patch.replace('Cart.total', function(original, a, b)
  local fail if a > 5 then fail = error else fail = log.warn end fail('x') log.info('y') return original(a, b) end)
-- lint: none
local function fail(text) host.throw(text, 400) end
patch.replace('Cart.total', function(original, a, b) if a > 0 then return original(a, b) end fail('negative') end)
-- lint: none
function fail(text) error(text) end
patch.replace('Cart.total', function(original, a, b) if a <= 0 then fail('negative') else return original(a, b) end end)
-- lint: none
local function fail(x) error(x) end local function reject(x) fail(x) end
patch.replace('Cart.total', function(original, a, b) if a > 0 then return a end return reject(a) end)
-- lint: none
patch.replace('Cart.split', function(original, a, b)
  local done, r = false, 0 if a > 5 then r = original(a, b) done = true end if not done then r = original(a, b) end return r end)
-- lint: none
function fail(x) error(x) end
patch.replace('Cart.total', function(original, a, b) local r if b ~= 1 then fail('x') else r = 5 end return r end)
-- Values that may be nil, but are not.
-- lint: none in each line
patch.replace('Cart.opt', function(original, a, b) if a == 5 then return a * 2 end return 0 end)
patch.replace('Cart.opt', function(original, a, b) local has = a ~= nil if has then return a * 2 end return 0 end)
patch.replace('Cart.opt', function(original, a, b) if a == b then return 0 end return a and a * 2 or 0 end)
patch.replace('Cart.opt', function(original, a, b) if rawequal(a, nil) then return 0 end return a * 2 end)
-- lint: none
patch.replace('Cart.opt', function(original, a, b)
  local function f() return a * 2 + tonumber(b or '5') end if a then return f() end return 0 end)
-- lint: none in each line
patch.replace('Cart.label', function(original, a, b) local key, value = a:match('(%w+)=(%w+)') if not value then return b end return key:upper() end)
patch.replace('Cart.label', function(original, a, b) local from, to = a:find('x') if to then return a:sub(1, from - 1) end return b end)
patch.replace('Cart.label', function(original, a, b) if a == '' then return b end return a:match('^.'):upper() end)
patch.replace('Cart.label', function(original, a, b) if a:sub(1, 1) == '#' then return original(a:match('^#(.*)$'), b) end return original(a, b) end)
patch.replace('Cart.parse', function(original, a) local n = tonumber(a) local bad = not n if bad then return 0 end return n * 2 end)
-- lint: none
local function valid(x) return x ~= nil and x > 0 end
patch.replace('Cart.parse', function(original, a) local n = tonumber(a) if not valid(n) then return 0 end return n * 2 end)
-- lint: none
local function numeric(s) return s:match('^%d+$') ~= nil end
patch.replace('Cart.parse', function(original, a) if numeric(a) then return tonumber(a) * 2 end return 0 end)
-- lint: none
patch.replace('Cart.parse', function(original, a) if a == '1' or a == '2' then return tonumber(a) * 2 end return 0 end)
-- lint: none
patch.replace('Cart.parse', function(original, a)
  local ok, v = pcall(function() return tonumber(a) * 2 end) if ok then return v end return 0 end)
-- lint: none
patch.replace('Cart.parse', function(original, a)
  local ok, v = pcall(function() return a + 0 end) return ok and v or 0 end)
-- lint: none
patch.replace('Cart.parse', function(original, a) if a:match('^%d+$') then return a + 0 end return 0 end)
-- lint: none
patch.replace('Cart.label', function(original, a, b)
  local map = {x = 'y'} local word = a:match('%w+') if map[word] then return word .. map[word] end return b end)
-- lint: none
patch.replace('Cart.settle', function(original, a, b) if b:hasOwner() then return #b:owner() end return 0 end)
-- lint: none
local function discount(x) if x == 1 then return 10 elseif x == 2 then return 5 end end
patch.replace('Cart.split', function(original, a, b) if b == 1 or b == 2 then return discount(b) end return original(a, b) end)
-- lint: none
local function show(kind, x) if kind == 'list' then return #x end return x * 2 end
patch.replace('Cart.total', function(original, a, b) return show('number', a) end)
-- lint: none in each line
patch.replace('Cart.opt', function(original, a, b) local t = {a, b} if #t < 2 then return 0 end return a * #b end)
patch.replace('Cart.opt', function(original, a, b) if tostring(a) == 'nil' then return 0 end return a * 2 end)
patch.replace('Cart.settle', function(original, a, b) local card = a.card local kind = card and card.kind if not kind then return 0 end return #card.kind end)
patch.replace('Cart.settle', function(original, a, b) if not a.card then a.card = {kind = 'x'} end return #a.card.kind end)
patch.replace('Cart.product', function(original, a) return original(a) or original('x') end)
patch.replace('Cart.parse', function(original, a) local code if a == '' then code = 0 else code = a:byte(1) end return code end)
patch.replace('Cart.label', function(original, a, b) local s if a == '' then s = b else s = utf8.len(a) end return tostring(s) end)
-- Results of metamethods, and a part of a list.
-- lint: none
local M = {} M.__sub = function(x, y) return x.v > y.v and x or nil end local function make(v) return setmetatable({v = v}, M) end
patch.replace('Cart.total', function(original, a, b) if make(a) - make(b) then return a end return b end)
-- lint: none
patch.replace('Cart.label', function(original, a, b) return table.concat({a, {}, b}, ', ', 3) end)
-- A table of the script that is also in a global, in an upvalue, among keys, or the object of a method.
-- lint: none
patch.replace('Cart.split', function(original, a, b)
  local out local function fix() out.n = 5 end local t = {n = 'x'} out = t fix() return t.n + a end)
-- lint: none
patch.replace('Cart.split', function(original, a, b) local t = {n = 'x'} local u = {[t] = 1} for k in pairs(u) do k.n = 5 end return t.n + a end)
-- lint: none
patch.replace('Cart.split', function(original, a, b)
  local t = {n = 'x'} function t:f() self.n = 5 end t:f() return t.n + a end)
-- A field that the script removes again, and fields with a name from a variable.
-- lint: none
patch.replace('Cart.product', function(original, a) local t = {extra = 1, price = 1, cents = 1} t.extra = nil return t end)
-- lint: none
patch.replace('Cart.items', function(original, a)
  local k = 'rank' for i, x in ipairs(a) do x[k] = i end for _, x in ipairs(a) do log.info(x.rank) end return a end)
-- Quotients that are whole.
-- lint: none in each line
patch.replace('Cart.split', function(original, a, b) if a == 4 then return a / 2 end return a end)
patch.replace('Cart.split', function(original, a, b) for i = 2, 10, 2 do log.info(string.format('%d', i / 2)) end return a end)
patch.replace('Cart.split', function(original, a, b) return a * (a + 1) / 2 end)
patch.replace('Cart.split', function(original, a, b) if a & 1 == 0 then return original(a / 2, b) end return original(a, b) end)
-- lint: none
local function even(n) return n % 2 == 0 end
patch.replace('Cart.split', function(original, a, b) if even(a) then return original(a / 2, b) end return original(a, b) end)
-- lint: none in each line
patch.replace('Cart.split', function(original, a, b) if a // 2 * 2 == a then return original(a / 2, b) end return original(a, b) end)
patch.replace('Cart.marks', function(original, a) local s, n = 0, 0 for _, v in ipairs({2, 4}) do s = s + v n = n + 1 end return {s / n} end)
-- Code that a type checker must accept. It works in every app, or may work in one.
patch.replace('Order.sum', function(original, a, b) local h <close> = nil local f <close> = b.x and nil return 1 end)
-- lint: none
patch.replace('Order.sum', function(original, a, b)
  local e = setmetatable({}, {__tostring = function() return 'x' end}) host.throw(e) end)
-- lint: none in each line
patch.replace('Order.sum', function(original, a, b) local ok, e = pcall(original, a, b) if ok then return e end host.throw(e) end)
patch.replace('Order.sum', function(original, a, b) host.throw(404, 2.0) end)
-- lint: none
patch.replace('Order.first', function(original, a)
  local function name(list) for i = 1, #list do list[i] = 'x' end end name(a) log.info(a[1] .. '!') local none = {price = 1} return none end)
-- lint: none in each line
patch.replace('Order.total', function(original, a, b) return a * 2 end)
patch.replace('Order.total', function(original, a, b) return 5 end)
patch.replace('Order.total', function(original, a, b) return b / 2 // 1 end)
patch.replace('Order.total', function(original, a, b) return original('5' + 1, 6 / 2) end)
patch.replace('Order.total', function(original, a, b) return (original(a, b)) end)
patch.replace('Order.total', function(original, a, b) local ok, x = pcall(original, a, b) return x end)
patch.replace('Order.total', function(original, a, b) if a > 1 then return 1 else return 2 end end)
patch.replace('Order.total', function(original, a, b) error('no') end)
patch.replace('Order.total', function(original, a, b) while true do a = a + 1 if a > 5 then return a end end end)
patch.replace('Order.total', function(original, a, b) if a == nil then return 0 end return a end)
patch.replace('Order.total', function(original, a, b) if type(a) == 'string' then return #a end return a end)
patch.replace('Order.total', function(original, a, b) local r = nil if a > 1 then r = 1 else r = 2 end return r end)
patch.replace('Order.total', function(original, a, b) local r for i = 1, 3 do if not r or i > r then r = i end end return r or 0 end)
-- lint: undefined-global in line 1
patch.replace('Order.total', function(original, a, b) local x = unknown and 1 return x end)
-- lint: undefined-global in line 1
patch.replace('Order.total', function(original, a, b) return unknown end)
-- lint: undefined-global in line 1
patch.replace('Order.total', function(original, a, b) return unknown.x.y(a) end)
-- lint: none in each line
patch.replace('Order.total', function(original, a, b) return math.max(a, b, 1) end)
patch.replace('Order.total', function(original, a, b) return tonumber('5') end)
patch.replace('Order.total', function(original, a, b) if a > 1 then return host.call('Order.total', 1, 1) end return original(a, b) end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
  local t = setmetatable({}, {__add = function() return 1 end}) return t + 1 end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
  local function f(n) if n < 1 then return 0 end return f(n - 1) end return f(b) end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
  local x = 'a' local function set() x = 5 end set() return x end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
  local x = 'a' local f = function() return x + 1 end x = 2 return f() end)
-- lint: none in each line
patch.replace('Order.total', function(original, a, b) goto done ::again:: do return a end ::done:: goto again end)
patch.replace('Order.total', function(original, a, b) local x <const> = 5 return x end)
patch.replace('Order.total', function(original, a, b) return select(2, a, b) end)
patch.replace('Order.total', function(original, a, b) local t = {} t.x = a t['y'] = b return t.x + t.y end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
  string.trim = function(s) return s end return #string.trim('x') end)
-- lint: none in each line
patch.replace('Order.total', function(original, a, b) log.info(('%5.2f %s %%'):format(a, b)) return a end)
patch.replace('Order.total', function(original, a, b) local a = {a} return a[1] end)
patch.replace('Order.total', function(original, a, b) return ({1, 2, 3})[2] end)
patch.replace('Order.total', function(original, a, b) local s = '' for i = 1, 3 do s = s .. i end return #s end)
patch.replace('Order.total', function(original, a, b) if a ~= a then return 0 end return a end)
patch.replace('Order.first', function(original, a) for i, item in ipairs(a) do item.price = item.price + i end return a[1] end)
patch.replace('Order.first', function(original, a) return nil end)
patch.replace('Order.first', function(original, a) end)
patch.replace('Order.first', function(original, a) return a[#a] end)
patch.replace('Order.first', function(original, a) return {price = 1} end)
patch.replace('Order.first', function(original, a) local i = a[1] i.seen = true if i.seen then return i end end)
-- lint: none
patch.replace('Order.first', function(original, a)
  table.sort(a, function(x, y) return x.price < y.price end) return a[1] end)
-- lint: none
patch.replace('Order.first', function(original, a) local t = {} for k, v in pairs(a[1]) do t[k] = v end return t end)
-- lint: none
patch.replace('Order.first', function(original, a)
  local best for _, x in ipairs(a) do if best == nil or x.price > best.price then best = x end end return best end)
-- lint: none
patch.replace('Order.first', function(original, a)
  local function mend(x) x.price = 1 end local t = {} mend(t) return t end)
-- lint: none in each line
patch.replace('Order.sum', function(original, a, b) return b.anything or 0 end)
patch.replace('Order.sum', function(original, a, b) return (b.x or 0) + a.limit.cents end)
patch.replace('Order.sum', function(original, a, b) if a.limit.cents > 5 then host.throw('too much') end return 1 end)
-- lint: undefined-global in line 1
patch.replace('Order.sum', function(original, a, b) if a.limit.cents > 5 then host.throw({cents = 5}, 400) end host.throw(unknown, unknown) end)
-- lint: none in each line
patch.replace('Order.sum', function(original, a, b) local t = {} t.__close = print setmetatable(t, {__index = b}) return 1 end)
patch.replace('Order.sum', function(original, a, b) local sum = 0 for name, value in pairs(b) do if name ~= 'x' then sum = sum + value end end return sum end)
patch.replace('Order.sum', function(original, a, b) local item = a.items[1] return item.name and #item.name or 0 end)
patch.replace('Order.fill', function(original, a, b, c) a:add(b) a:add(5 .. '') original(a, b, c) end)
patch.replace('Order.fill', function(original, a, b, c) original(a, b) end)
patch.replace('Order.fill', function(original, a, b, c) return 5 end)
patch.replace('Order.fill', function(original, a, b, c) if c then log.info('x' .. c) end end)
patch.replace('Order.fill', function(original, a, b, c) log.info('x' .. (c or '')) end)
patch.replace('Order.fill', function(original, a, b, c) c = c or 'y' log.info('x' .. c) end)
patch.replace('Order.fill', function(original, a, b, c) if not c then return end log.info(#c) end)
patch.replace('Order.fill', function(original, a, b, c) a:add((b:gsub('x', 'y'))) end)
patch.replace('Order.fill', function(original, a, b, c) local add = a.add add(a, b) end)
patch.replace('Order.load', function(original, a) local all = original(a) all[#all + 1] = {price = 1} return all end)
patch.replace('Order.load', function(original, a) return {} end)
patch.replace('Order.load', function(original, a) return {{price = 1}, {price = 2, name = 'x'}} end)
patch.replace('Order.mood', function(original, a, b) return a:upper():lower() end)
patch.replace('Order.mood', function(original, a, b) return b[a] and 'good' or a end)
patch.replace('Order.mood', function(original, a, b) local t = {good = 'bad', bad = 'good'} return t[a] end)
patch.replace('Order.mood', function(original, a, b) return (b.good or 0) > 1 and a or 'bad' end)
patch.replace('Order.day', function(original, a, b, c) return a + 3600 end)
patch.replace('Order.day', function(original, a, b, c) if b[1] == 'good' or c == 'bad' then return nil end return 5 end)
patch.replace('Order.mood', function(original, a, b) return a == 'good' and 'bad' or a end)
patch.replace('Order.mood', function(original, a, b) local t = {x = 1} local u = #a > 1 and t or {x = 2} u.x = 's' return #t.x > 0 and a or 'bad' end)
patch.replace('Order.mood', function(original, a, b) for k, v in pairs(b) do if v > 1 then return k end end return a end)
-- lint: none
local helper = {twice = function(x) return x * 2 end}
patch.replace('Order.total', function(original, a, b) return helper.twice(original) end)
-- Tables that other code may have filled.
-- lint: none in each line
local function fill() end patch.replace('Order.newest', function(original) local other = original() return {price = 9} end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() return nil end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() return {price = other and 1 or 2} end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {} t.price = 1 return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {} fill(t) return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {} t['price'] = 1 return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {name = 'x'} if other then t.price = 1 end return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {} local u = t u.price = 1 return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {} local f = function() t.price = 1 end f() return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {} local all = {t} fill(all) return t end)
-- lint: keeps-state in line 1
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {} global = t return t end)
-- lint: none in each line
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {} other.x = t return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() return setmetatable({}, {}) end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() return {table.unpack(other)} end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {} for i = 1, 2 do t.price = i end return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = {} t:fill() return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local k, t = 'price', {} t[k] = 2 return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = other or {} t.name = 'x' return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t = other and {} or other t.name = 'x' return t end)
local function fill() end patch.replace('Order.newest', function(original) local other = original() local t, u = {}, {} t.inner = u fill(t) return u end)
-- lint: none
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) return self:ORIGtotal(a, b) end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f(y) local v = f(1) + {x = 2} return v end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f(y) local v = {x = 1} // y return v end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f(y) local v = {} % f() return v end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f(y) local v = 2 + f() return v end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f(y) local v = -f() return v end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f(v) return (-v).x, (#v).n, (~v)(), -(v .. 'x') end
-- Functions that the sandbox calls may change a table.
-- lint: none
patch.replace('Cart.find', function(original, name)
  local item = {price = 1.0, count = 1}
  name:gsub('^%a+', function(w)
    item.name = w end) return item end)
-- lint: none
patch.replace('Cart.find', function(original, name)
  local item
  local names = setmetatable({}, {__index = function(_, key)
    item.name = key end})
  item = {price = 1.0, count = 1}
  local _ = names.any return item end)
-- lint: none
patch.replace('Cart.find', function(original, name)
  local item
  local value = setmetatable({}, {__unm = function()
    item.name = name return 1 end})
  item = {price = 1.0, count = 1}
  local _ = -value return item end)
-- lint: none
patch.replace('Cart.find', function(original, name)
  local item
  local value = setmetatable({}, {__bnot = function()
    item.name = name return 1 end})
  item = {price = 1.0, count = 1}
  local _ = ~value return item end)
-- lint: none
patch.replace('Cart.find', function(original, name)
  local item
  local value = setmetatable({}, {__tostring = function()
    item.name = name return name end})
  item = {price = 1.0, count = 1}
  local _ = string.format('%s', value) return item end)
-- A script that asks whether the app has a function may call it.
-- lint: none
patch.replace('Cart.total', function(original, price, quantity)
  if host.has('Cart.discount') then return host.call('Cart.discount', price) end return original(price, quantity) end)
-- lint: none
local name = 'Cart.discount'
local function discount(price)
  return host.call(name, price) end
patch.replace('Cart.total', function(original, price, quantity)
  if host.has(name) then return discount(price) end return original(price, quantity) end)
-- lint: none
local discount = require 'discount'
patch.replace('Cart.total', function(original, price, quantity)
  if discount.isThere() then return host.call('Cart.discount', price) end return original(price, quantity) end)
-- file: discount.lua
return {isThere = function() return host.has('Cart.discount') end}
-- Tables of the app that functions of the script change.
-- lint: none
local M = {}
function M.tag(t, key, value) t[key] = value end
patch.replace('Cart.sorted', function(original, items)
  for i, item in ipairs(items) do M.tag(item, 'rank', i) log.info(item.rank) end return original(items) end)
-- lint: none
local tag = require 'tag'
patch.replace('Cart.sorted', function(original, items)
  for i, item in ipairs(items) do tag(item, 'rank', i) log.info(item.rank) end return original(items) end)
-- file: tag.lua
return function(t, key, value) t[key] = value end
-- lint: none
local M = {}
function M.close(t) t[#t + 1] = 'end' end
patch.replace('Cart.sorted', function(original, items)
  M.close(items) log.info(items[#items] .. '') return original({}) end)
-- lint: none
local M = {}
function M.close(t) table.insert(t, 'end') end
patch.replace('Cart.sorted', function(original, items)
  M.close(items) log.info(items[#items] .. '') return original({}) end)
-- lint: none
local M = {}
function M.note(t) t.note = 'x' end
patch.replace('Cart.prices', function(original, a, b)
  M.note(a) log.info(a.note:upper()) for _, v in pairs(a) do log.info(v .. '', #v) end return original({}, b) end)
-- lint: none in each line
patch.replace('Cart.sorted', function(original, items) for i, item in ipairs(items) do rawset(item, 'rank', i) log.info(item.rank) end return original(items) end)
patch.replace('Cart.sorted', function(original, items) table.move({'first'}, 1, 1, 1, items) log.info(items[1] .. '') return original({}) end)
patch.replace('Order.sum', function(original, a, b) table.insert(a.items, 'end') log.info(a.items[#a.items] .. '') return 1 end)
-- lint: none
patch.replace('Cart.sorted', function(original, items)
  local item = items[1]
  local function tag()
    item.rank = 1 end
  tag() log.info(item.rank) return original(items) end)
-- lint: none
patch.replace('Cart.sorted', function(original, items)
  local item = items[1]
  local function fill()
    item.price = 'free' end
  fill() log.info(item.price:upper()) return original({}) end)
-- Arrays that are changed after a function or a table of the script got them.
-- lint: none
patch.replace('Cart.sorted', function(original, items)
  local function names()
    return table.concat(items, ', ') end
  for i, item in ipairs(items) do items[i] = item.name end
  log.info(names()) return original({}) end)
-- lint: none
patch.replace('Cart.sorted', function(original, items)
  local function close()
    table.insert(items, 'end') end
  close() log.info(items[#items] .. '') return original({}) end)
-- lint: none
patch.replace('Cart.sorted', function(original, items)
  local both = {list = items}
  for i, item in ipairs(items) do items[i] = item.name end
  log.info(both.list[1] .. '') return original({}) end)
-- Replacements that the script also calls.
-- lint: none
local function total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', total)
patch.replace('Cart.tax', function(original, price)
  return total(original, price) end)
-- lint: none
local total
total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', total)
patch.replace('Cart.tax', function(original, price)
  return total(original, price) end)
-- lint: none
local function total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
local other = total
patch.replace('Cart.total', other)
patch.replace('Cart.tax', function(original, price)
  return other(original, price) end)
-- lint: none
local M = {}
function M.total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', M.total)
patch.replace('Cart.tax', function(original, price)
  return M.total(original, price) end)
-- lint: none
local M = {}
function M.total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', M.total)
local other = M
patch.replace('Cart.tax', function(original, price)
  return other.total(original, price) end)
-- lint: none
local M = {}
function M.total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', M.total)
local all = {M}
patch.replace('Cart.tax', function(original, price)
  return all[1].total(original, price) end)
-- lint: none
local M = {}
function M.total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', M.total)
local again = M.total
patch.replace('Cart.tax', function(original, price)
  return again(original, price) end)
-- lint: none
local M = {}
function M.total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', M.total)
local function get() return M end
patch.replace('Cart.tax', function(original, price)
  return get().total(original, price) end)
-- lint: none
local M = {}
function M.total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', M.total)
patch.replace('Cart.tax', function(original, price)
  return M['tot' .. 'al'](original, price) end)
-- lint: none
function total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', total)
patch.replace('Cart.tax', function(original, price)
  return _G.total(original, price) end)
-- lint: none
function total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', total)
local M = {total = total}
patch.replace('Cart.tax', function(original, price)
  return M.total(original, price) end)
-- lint: none
local function total(original, price, quantity)
  if quantity < 0 then return original(price) end
  return original(price, quantity) + total(function(p) return p end, price, -1) end
patch.replace('Cart.total', total)
-- lint: none
local total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
local again = total
patch.replace('Cart.total', again)
patch.replace('Cart.tax', function(original, price)
  return total(original, price) end)
-- lint: none
local M = {total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', M.total)
local again = M.total
patch.replace('Cart.tax', function(original, price)
  return again(original, price) end)
-- lint: none
local M = {total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', M.total)
local name = 'tot' .. 'al'
local again = M[name]
patch.replace('Cart.tax', function(original, price)
  return again(original, price) end)
-- lint: none
local M = {total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', M.total)
patch.replace('Cart.tax', function(original, price)
  for _, again in pairs(M) do return again(original, price) end
  return price end)
-- lint: none
local all = {function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', all[1])
patch.replace('Cart.tax', function(original, price)
  return all[1](original, price) end)
-- lint: none
local rules = {total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', rules.total)
patch.replace('Cart.tax', function(original, price)
  local name = patch.id ~= '' and 'total' or 'other'
  local rule = rules[name] or function(f, p) return f(p) end
  return rule(original, price) end)
-- lint: none
local rules = {total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', rules.total)
patch.replace('Cart.tax', function(original, price)
  return (rules[patch.id] or print)(original, price) end)
-- lint: none
local rules = {total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', rules.total)
patch.replace('Cart.tax', function(original, price)
  local rule = patch.id ~= '' and rules[patch.id]
  if rule then return rule(original, price) end
  return original(price) end)
-- lint: none
local rules = {total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', rules.total)
patch.replace('Cart.tax', function(original, price)
  local rule, other = rules[patch.id], 1
  return rule(original, price) end)
-- lint: none
local rules = {total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', rules.total)
patch.replace('Cart.tax', function(original, price)
  local rule
  rule = rules[patch.id] or print
  return rule(original, price) end)
-- lint: none
local rules = {total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', rules.total)
patch.replace('Cart.tax', function(original, price)
  local done, sum = pcall(rules[patch.id], original, price)
  return done and sum or price end)
-- lint: none
local rules = {total = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end}
patch.replace('Cart.total', rules.total)
patch.replace('Cart.tax', function(original, price)
  return (rules[patch.id])(original, price > 1 and price or 1, patch.id == 'x') end)
-- lint: none
local total = require 'total'
patch.replace('Cart.total', total)
patch.replace('Cart.tax', function(original, price)
  return total(original, price) end)
-- file: total.lua
return function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
-- lint: none
local total, other = function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end, 1
patch.replace('Cart.total', total)
patch.replace('Cart.tax', function(original, price)
  return total(original, price) end)
-- lint: none
local M = {lib = {}}
function M.lib.total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
patch.replace('Cart.total', M.lib.total)
patch.replace('Cart.tax', function(original, price)
  local _, again = _G.next(M.lib)
  return again(original, price) end)
-- lint: none
local function both(f)
  patch.replace('Cart.total', f)
  patch.replace('Cart.tax', function(original, price) return f(original, price) end) end
both(function(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end)
-- lint: none
local function both(f)
  patch.replace('Cart.total', f)
  patch.replace('Cart.tax', function(original, price) return f(original, price) end) end
local function total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
both(total)
-- lint: none
local function both(f)
  patch.replace('Cart.total', f)
  patch.replace('Cart.tax', function(original, price) return f(original, price) end) end
local M = {}
function M.total(original, price, quantity)
  if quantity == nil then return original(price) end
  return original(price, quantity) end
both(M.total)
-- lint: none
local f
for i = 1, 2 do
  if f then f(print, 1) end
  f = function(original, price, quantity)
    if quantity == nil then return original(price) end
    return original(price, quantity) end
end
patch.replace('Cart.total', f)
-- lint: none in each line
patch.replace('Cart.total', function(original, a, b) for i = '1', '3', '1' do a = a + i end return a end)
patch.replace('Cart.total', function(original, a, b) if a > 0 then return a end assert(false, 'no price') end)
patch.replace('Cart.total', function(original, a, b) if a > 0 then return a end assert(nil, ('no price of %d'):format(b)) end)
