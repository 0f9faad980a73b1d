-- lint: not-in-sandbox in line 2
-- doc: A patch has no clock and no files: `os` is nil.
patch.replace("Cart.total", function(original, price, quantity)
  log.info(os.date() .. ": a total")
  return original(price, quantity)
end)
-- lint: none
-- doc: The app's log has the time of each line.
patch.replace("Cart.total", function(original, price, quantity)
  log.info("a total")
  return original(price, quantity)
end)
-- lint: not-in-sandbox in line 2:27
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
local function f() return os.time() end
-- lint: not-in-sandbox in line 2:34
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
local function f() return string.dump(f) end
-- lint: not-in-sandbox in line 3:40
-- @replaces Order.total
waxClass{'Order'}
function total(self, a, b) return self.super:total(a, b) end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
local os = {}
local function f() return os.time() end
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
local function f() return string.rep('x', 2) end
-- lint: none
function string.trim(s) return s end
table.x = table.x or string.trim('')
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: not-in-sandbox in line 2: the sandbox has no string.formt; did you mean string.format?
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
function f() return string.formt('') end
-- lint: none
local unpack = unpack or table.unpack
patch.replace('Order.total', function(original, a, b) return original(unpack({a, b})) end)
-- lint: none
local log10 = math.log10 or function(x) return math.log(x, 10) end
patch.replace('Order.total', function(original, a, b) return original(a, math.floor(log10(b))) end)
-- lint: none
patch.replace('Order.total', function(original, a, b)
  if math.pow then b = math.pow(b, 2) end
  if loadstring ~= nil then b = 0 end
  return original(a, b)
end)
-- lint: none
local unpack = table.unpack or unpack
local load, bit = load or loadstring, bit32 or bit
if jit then log.info('LuaJIT') end
if jit and jit.version then log.info('LuaJIT') end
local function f(b) return load and b or bit and bit.band(b, 1) or b end
patch.replace('Order.total', function(original, a, b) return original(unpack({a, f(b)})) end)
-- lint: not-in-sandbox in line 2
patch.replace('Order.total', function(original, a, b)
  local n = a or bit32.band(b, 1)
  return original(n, b) end)
-- lint: undefined-global in line 1
patch.replace('Order.total', function(original, a, b) return original(a or pirce, b) end)
-- lint: none
local setfenv = setfenv or function() end
if not table.unpack then table.unpack = unpack end
if string.format == nil then string.format = function() return os.date() end end
if _VERSION == 'Lua 5.1' then setfenv(1, {}) else setfenv = nil end
if _VERSION ~= 'Lua 5.4' then module('x') end
if type(jit) == 'table' then log.info(jit.version) end
local time = type(os) == 'table' and os.time or function() return 0 end
if rawget(_G, 'bit32') then log.info(bit32.band(1, 2)) end
if _G.debug then log.info(debug.traceback()) end
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: not-in-sandbox in line 3
patch.replace('Order.total', function(original, a, b)
if _VERSION == 'Lua 5.4' then
log.info(os.date()) end
if table.unpack then log.info('5.4') else log.info(io.type(1)) end
return original(a, b) end)
-- lint: not-in-sandbox in line 1: the sandbox leaves __concat out, so `..` fails on this table
patch.replace('Order.sum', function(original, a, b) local text = setmetatable({}, {__concat = a}) log.info(text .. 'x') return 1 end)
