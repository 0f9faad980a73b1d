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
