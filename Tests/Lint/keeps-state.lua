-- lint: keeps-state in line 3
-- doc: The patch may have several instances, and each counts for itself.
local calls = 0
patch.replace("Cart.total", function(original, price, quantity)
  calls = calls + 1
  if calls == 1 then log.info("the first total") end
  return original(price, quantity)
end)
-- lint: none
-- doc: The head declares one instance.
-- @instances 1
local calls = 0
patch.replace("Cart.total", function(original, price, quantity)
  calls = calls + 1
  if calls == 1 then log.info("the first total") end
  return original(price, quantity)
end)
-- lint: keeps-state in line 3:1
local count = 0
patch.replace('Order.total', function(original, a, b)
count = count + 1
return original(a, b) end)
-- lint: keeps-state in line 2:1
patch.replace('Order.total', function(original, a, b)
count = a
return original(a, b) end)
-- lint: keeps-state in line 3:1
local seen = {}
patch.replace('Order.total', function(original, a, b)
seen[a] = b
return original(a, b) end)
-- lint: keeps-state in line 3:1
local seen = {of = {}}
patch.replace('Order.total', function(original, a, b)
seen.of.a = b
return original(a, b) end)
-- lint: keeps-state in line 3:1
shop = {}
patch.replace('Order.total', function(original, a, b)
shop.sum = b
return original(a, b) end)
-- lint: keeps-state in line 3:11
local seen = {}
patch.replace('Order.total', function(original, a, b)
local s = seen s[1] = b
return original(a, b) end)
-- lint: keeps-state in line 3:14
local seen = {}
patch.replace('Order.total', function(original, a, b)
table.insert(seen, a)
return original(a, b) end)
-- lint: keeps-state in line 3:22
local n = 0
patch.replace('Order.total', function(original, a, b)
local f = function() n = n + 1 end f()
return original(a, b) end)
-- lint: keeps-state in line 2:22
local n = 0
local function add() n = n + 1 end

patch.replace('Order.total', function(original, a, b)
add()
return original(a, b) end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
local count = 0 count = count + 1
return original(a, b) end)
-- lint: none
count = 1
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
local seen = {} seen[a] = b
return original(a, b) end)
-- lint: none
local seen = {of = {}}
patch.replace('Order.total', function(original, a, b)
local c = seen.of.a
return original(a, b) end)
-- lint: none
shop = {}
patch.replace('Order.total', function(original, a, b)
local c = shop.sum
return original(a, b) end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
local s = {} s[1] = b
return original(a, b) end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
table.insert({}, a)
return original(a, b) end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
local n = 0 local f = function() n = n + 1 end f()
return original(a, b) end)
-- lint: none
local function add(n) n = n + 1 return n end

patch.replace('Order.total', function(original, a, b)
add(1)
return original(a, b) end)
-- lint: keeps-state in line 2
local count = 0
patch.replace('Order.total', function() count = count + 1 return count end)
-- lint: none
-- @instances 1
local count = 0
patch.replace('Order.total', function() count = count + 1 return count end)
-- lint: none
-- @instances any
local count = 0
patch.replace('Order.total', function() count = count + 1 return count end)
-- lint: none
local squares = {}
local function fill() for i = 1, 10 do squares[i] = i * i end end
fill()
patch.replace('Order.total', function(original, a, b) return original(squares[a] or a, b) end)
-- lint: none
patch.replace('Order.total', (function()
  local cache = {}
  function plural(n) return n == 1 and 'one' or 'many' end
  cache.one = 1
  return function(original, a, b) return original(cache.one + a, b) end
end)())
-- lint: none
local M = {}
local function add(name, f) M[name] = f end
add('x', function(a) return a end)
patch.replace('Order.total', function(original, a, b) return original(M.x(a), b) end)
-- lint: none
local M = {of = {}}
function M.add(name, value) M.of[name] = value end
M.add('x', 1)
patch.replace('Order.total', function(original, a, b) return original(a + M.of.x, b) end)
-- lint: none
local config = setmetatable({}, {__index = {greeting = 'x'}, __newindex = function() error('read only') end})
patch.replace('Order.total', function(original, a, b)
  if pcall(function() config.greeting = 'y' end) then return 0 end
  return original(a, b)
end)
-- lint: keeps-state in line 4:5
patch.replace('Order.total', (function()
  local seen = 0
  return function(original, a, b)
    seen = seen + 1
    return original(a, seen)
  end
end)())
-- lint: keeps-state in line 3:3
local function counter()
  local n = 0 return function()
  n = n + 1 return n end
end
local count = counter()
patch.replace('Order.total', function(original, a, b) return original(a, count()) end)
-- lint: keeps-state in line 2:10
local M = {of = {}}
function M.add(n, value) M.of[n] = value end
M.add(1, 1)
patch.replace('Order.total', function(original, a, b)
  M.add(a, b)
  return original(a, b)
end)
-- lint: keeps-state in line 3:3
local M = {sum = 0}
function M.total(original, a, b)
  M.sum = M.sum + a
  return original(a, b)
end
patch.replace('Order.total', M.total)
-- lint: keeps-state in line 2:26
local of = {}
local function add(n, v) of[n] = v end
local function both(n) add(n, n) end
both(1)
patch.replace('Order.total', function(original, a, b)
  both(a)
  return original(a, b)
end)
-- lint: none
local all = {}
local function counter()
local n = 0
return function() n = n + 1 return n end end
function all.count() return counter()() end
patch.replace('Order.total', function(original, a, b)
for _, f in pairs(all) do f() end
return original(a, b) end)
-- lint: none
local menu = {}
menu.open = function()
local box
return {close = function() box = nil end} end
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: keeps-state in line 3:22
local all = {}
local n = 0
function all.count() n = n + 1 end
patch.replace('Order.total', function(original, a, b)
for _, f in pairs(all) do f() end
return original(a, b) end)
-- A table that is the same whatever path leads to the write.
-- lint: keeps-state in line 3:1
local seen = {}
patch.replace('Order.total', function(original, a, b)
seen[a] = (seen[a] or 0) + 1
return original(a, b) end)
-- lint: keeps-state in line 3:1
local M = {of = {}}
patch.replace('Order.total', function(original, a, b)
M.of.n = (M.of.n or 0) + 1
return original(a, b) end)
-- lint: keeps-state in line 3:14
local seen = {}
patch.replace('Order.total', function(original, a, b)
table.insert(seen, a > 1 and a or b)
return original(a, b) end)
-- lint: keeps-state in line 5:1
local seen = {}
patch.replace('Order.total', function(original, a, b)
local s = seen
if a > 1 then log.info('x') end
for i = 1, b do s[i] = a end
return original(a, b) end)
-- lint: none
local seen = {}
patch.replace('Order.total', function(original, a, b)
local s = seen
if a > 1 then s = {} end
s[a] = b
return original(a, b) end)
-- lint: none
local seen = {}
patch.replace('Order.total', function(original, a, b)
local s = seen[a] or {}
s[a] = b
return original(a, b) end)
-- lint: none
local seen = {}
patch.replace('Order.total', function(original, a, b)
local s = seen
local function fresh() s = {} end
fresh() s[a] = b
return original(a, b) end)
-- A global by its other name.
-- lint: keeps-state in line 2:4
patch.replace('Order.total', function(original, a, b)
_G.count = a
return original(a, b) end)
-- lint: keeps-state in line 3:4
shop = {}
patch.replace('Order.total', function(original, a, b)
_G.shop.sum = b
return original(a, b) end)
-- lint: keeps-state in line 2:8
patch.replace('Order.total', function(original, a, b)
rawset(_G, 'count', a)
return original(a, b) end)
-- lint: none
shop = {sum = 1}
patch.replace('Order.total', function(original, a, b)
return original(a + _G.shop.sum, b) end)
-- Tables in a table, one after the other.
-- lint: keeps-state in line 3:22
local rules = {{n = 0}}
patch.replace('Order.total', function(original, a, b)
for _, rule in pairs(rules) do rule.n = rule.n + 1 end
return original(a, b) end)
-- lint: keeps-state in line 3:22
local rules = {{n = 0}}
patch.replace('Order.total', function(original, a, b)
for _, rule in next, rules do rule.n = rule.n + 1 end
return original(a, b) end)
-- lint: none
local rules = {{n = 0}}
patch.replace('Order.total', function(original, a, b)
local all = {}
for _, rule in ipairs(rules) do all[#all + 1] = {n = rule.n} end
for _, rule in ipairs(all) do rule.n = rule.n + 1 end
return original(a, b) end)
-- Functions of the library with another name, or another argument.
-- lint: keeps-state in line 4:8
local insert, remove = table.insert, table.remove
local seen = {}
patch.replace('Order.total', function(original, a, b)
insert(seen, a)
return original(a, b) end)
-- lint: keeps-state in line 3:27
local seen = {}
patch.replace('Order.total', function(original, a, b)
table.move({a, b}, 1, 2, #seen, seen)
return original(a, b) end)
-- lint: none
local seen = {}
patch.replace('Order.total', function(original, a, b)
local t = table.move(seen, 1, #seen, 1, {})
t[1] = a
return original(a, b) end)
-- lint: none
local insert = table.insert
local seen = {}
patch.replace('Order.total', function(original, a, b)
local insert = function(t) return #t end
return original(insert(seen), b) end)
-- A function of the script gets the table, and changes it.
-- lint: keeps-state in line 4:6
local seen = {}
local function note(list, x) if x > 0 then list[#list + 1] = x end end
patch.replace('Order.total', function(original, a, b)
note(seen, a)
return original(a, b) end)
-- lint: keeps-state in line 5:9
local seen = {}
local function add(list, x) table.insert(list, x) end
local function both(x, list) add(list, x) add(list, x) end
patch.replace('Order.total', function(original, a, b)
both(a, seen)
return original(a, b) end)
-- lint: keeps-state in line 4:1
local M = {n = 0}
function M:add(n) self.n = self.n + n end
patch.replace('Order.total', function(original, a, b)
M:add(a)
return original(a, b) end)
-- lint: none
local seen = {}
local function note(list, x) list[#list + 1] = x end
note(seen, 1)
patch.replace('Order.total', function(original, a, b)
local mine = {}
note(mine, a)
return original(a + #mine, #seen) end)
-- lint: none
local seen = {}
local function count(list, x) list = {} list[1] = x return #list end
patch.replace('Order.total', function(original, a, b)
return original(a, count(seen, a)) end)
-- lint: none
local M = {}
M.__index = M
function M:add(n) self.n = (self.n or 0) + n return self.n end
patch.replace('Order.total', function(original, a, b)
local mine = setmetatable({}, M)
return original(a, mine:add(b)) end)
-- lint: none
local Account = {}
function Account:new(o) o = o or {} setmetatable(o, self) self.__index = self return o end
patch.replace('Order.total', function(original, a, b)
local acc = Account:new {n = a}
return original(acc.n, b) end)
-- A function that is only called while the script loads, with a table.
-- lint: none
function note(t) last = t end
note({1})
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
