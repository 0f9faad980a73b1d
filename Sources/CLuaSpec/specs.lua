-- The names of a spec besides Lua's and `host`: the blocks and assertions of busted and luassert.
--
-- busted itself is a program that loads other modules and files, and cannot run inside of the tool (docs/design.md). docs/writing-patches.md
-- lists the names that are promised to specs; the local names here are not.
--
-- `patchpack test` loads this file into the state in which specs run, with a table `__spec` whose `begin` and `done` time the
-- spec's own code. `keep` is called when a test itself begins: what it defines from there on ends with it. With Lua alone this
-- file runs a spec that needs no host, and prints TAP:
--
--     lua5.4 specs.lua SPEC.lua

__spec = __spec or {begin = function() end, done = function() end, keep = function() end}
local exit = os.exit
local this_file = debug.getinfo(1, "S").source

-- MARK: values

local unpack = table.unpack

local function callable(value)
  local meta = debug.getmetatable(value)
  return type(value) == "function" or type(meta) == "table" and type(meta.__call) == "function"
end

local function has_text(value)
  local meta = debug.getmetatable(value)
  return type(value) == "string" or type(meta) == "table" and meta.__tostring ~= nil
end

local function in_order(a, b)
  if type(a) == type(b) and (type(a) == "number" or type(a) == "string") then return a < b end
  return type(a) < type(b)
end

local function keys_of(value)
  local keys = {}
  for key in next, value do keys[#keys + 1] = key end
  table.sort(keys, in_order)
  return keys
end

-- A string in quotes. Of a long one the beginning and the end.
local function quoted(value)
  local function quote(text) return (("%q"):format(text):gsub("\\\n", "\\n")) end
  if #value <= 1000 then return quote(value) end
  local last, first = 400, #value - 399
  while last > 0 and value:byte(last + 1) & 0xC0 == 0x80 do last = last - 1 end
  while first <= #value and value:byte(first) & 0xC0 == 0x80 do first = first + 1 end
  return quote(value:sub(1, last)) .. " … " .. first - last - 1 .. " bytes … " .. quote(value:sub(first))
end

-- Of two long strings, where they differ.
local function difference(expected, actual)
  local place = 1
  while place <= #expected and expected:byte(place) == actual:byte(place) do place = place + 1 end
  local function near(text)
    local from, to = math.max(1, place - 40), math.min(#text, place + 80)
    while from > 1 and text:byte(from) & 0xC0 == 0x80 do from = from - 1 end
    while to < #text and text:byte(to + 1) & 0xC0 == 0x80 do to = to + 1 end
    return (from > 1 and "…" or "") .. quoted(text:sub(from, to)) .. (to < #text and "…" or "")
  end
  return "expected a string of " .. #expected .. " bytes, got one of " .. #actual .. "; they differ at byte " .. place
    .. "\n  expected " .. near(expected) .. "\n  got " .. near(actual)
end

local function show(value, depth, seen)
  depth, seen = depth or 0, seen or {}
  if type(value) == "string" then return quoted(value) end
  if type(value) ~= "table" then return tostring(value) end
  if seen[value] then return "<cycle>" end
  if depth > 4 then return "{…}" end
  seen[value] = true
  local parts = {}
  for _, key in ipairs(keys_of(value)) do
    local shown = show(rawget(value, key), depth + 1, seen)
    if math.type(key) == "integer" and key >= 1 and key <= rawlen(value) then
      parts[#parts + 1] = shown
    elseif type(key) == "string" and key:match("^[%a_][%w_]*$") then
      parts[#parts + 1] = key .. " = " .. shown
    else
      parts[#parts + 1] = "[" .. show(key, depth + 1, seen) .. "] = " .. shown
    end
  end
  seen[value] = nil
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- Notes a pair of tables. Returns whether it is the first time.
local function is_new(seen, a, b)
  local partners = seen[a]
  if not partners then
    seen[a] = {[b] = true}
    return true
  end
  if partners[b] then return false end
  partners[b] = true
  return true
end

-- A table is compared by its `__eq` if both have the same one, except for the outermost. A pair that comes again, as in a
-- cycle, needs no second look: the first difference ends the whole comparison.
local function same(a, b, inside, seen)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  local meta, other = debug.getmetatable(a), debug.getmetatable(b)
  if meta and meta == other and meta.__eq then
    if inside then return a == b end
  elseif rawequal(a, b) then
    return true
  end
  seen = seen or {}
  if not is_new(seen, a, b) then return true end
  for key, value in next, a do
    local other = b[key]
    if other == nil or not same(value, other, true, seen) then return false end
  end
  for key in next, b do if a[key] == nil then return false end end
  return true
end

-- The places where two tables differ, up to a limit. Those of a pair that comes again are listed once.
local function differences(expected, actual, path, found, seen)
  if #found >= 10 then return found end
  if type(expected) ~= "table" or type(actual) ~= "table" then
    if expected ~= actual then
      local function shown(value) if value == nil then return "nothing" end return show(value, 3) end
      found[#found + 1] = "  " .. path .. ": expected " .. shown(expected) .. ", got " .. shown(actual)
    end
    return found
  end
  if not is_new(seen, expected, actual) then return found end
  local keys = keys_of(expected)
  for _, key in ipairs(keys_of(actual)) do if expected[key] == nil then keys[#keys + 1] = key end end
  for _, key in ipairs(keys) do
    local name = type(key) == "string" and key:match("^[%a_][%w_]*$") and "." .. key or "[" .. show(key) .. "]"
    differences(expected[key], actual[key], path .. name, found, seen)
  end
  return found
end

-- The message of a failed comparison of two values.
local function unequal(expected, actual)
  local are_long = type(expected) == "string" and type(actual) == "string" and #expected + #actual > 1000
  return are_long and difference(expected, actual) or "expected " .. show(expected) .. ", got " .. show(actual)
end

-- The message of a failed comparison: short tables as a whole, and the differences of others.
local function compared(expected, actual)
  if type(expected) ~= "table" or type(actual) ~= "table" then return unequal(expected, actual) end
  local a, b = show(expected), show(actual)
  local text = #a + #b > 200 and "expected another table; they differ" or "expected " .. a .. ", got " .. b
  if #a + #b < 60 then return text end
  return text .. "\n" .. table.concat(differences(expected, actual, "", {}, {}), "\n")
end

local pass = {is = true, are = true, was = true, has = true, have = true, does = true, be = true, a = true, an = true}
local turn = {["not"] = true, no = true, isnt = true}

-- Splits `is_not_any_of` into words and the longest name that is known.
local function resolve(words, known)
  local tokens = {}
  for token in words:gmatch("[^_]+") do tokens[#tokens + 1] = token end
  local wanted, negated, from = nil, false, 1
  while from <= #tokens do
    local to = #tokens
    while to > from and not known[table.concat(tokens, "_", from, to)] do to = to - 1 end
    local name = table.concat(tokens, "_", from, to)
    if known[name] then
      wanted = name
    elseif turn[name] then
      negated = not negated
    elseif not pass[name] then
      error("no assertion called " .. name, 3)
    end
    from = to + 1
  end
  return wanted, negated
end

-- MARK: checks

-- Each is called with its arguments and what the modifiers before it were given. It returns whether they fit; the message if
-- that fails the test, or a function that makes it, since most messages are never read; and the results.
local checks, least, own_text = {}, {}, {}

local function check(names, count, body, text_at)
  for name in names:gmatch("%S+") do checks[name], least[name], own_text[name] = body, count, text_at end
end

-- A check of one value.
local function check_value(name, count, kind, fits)
  check(name, count, function(a)
    return fits(a[1]), function() return "expected " .. kind .. ", got " .. show(a[1]) end
  end, 2)
end

check("equal equals", 2, function(a)
  return a[1] == a[2], function() return unequal(a[1], a[2]) end
end, 3)
check("same", 2, function(a)
  return same(a[1], a[2]), function() return compared(a[1], a[2]) end
end, 3)
check("near", 3, function(a)
  local expected, actual, tolerance = tonumber(a[1]), tonumber(a[2]), tonumber(a[3])
  if not expected or not actual or not tolerance then error("near takes three numbers", 0) end
  return actual >= expected - tolerance and actual <= expected + tolerance,
    function() return "expected " .. show(a[1]) .. " within " .. show(a[3]) .. ", got " .. show(a[2]) end
end, 4)
check_value("true", 0, "true", function(value) return value == true end)
check_value("false", 0, "false", function(value) return value == false end)
check_value("truthy", 1, "something true", function(value) return value and true or false end)
check_value("falsy", 1, "something false", function(value) return not value end)
for _, kind in ipairs {"nil", "boolean", "number", "string", "table", "function", "userdata", "thread"} do
  check_value(kind, 0, kind == "nil" and kind or "a " .. kind, function(value) return type(value) == kind end)
end
check_value("callable", 1, "a function", callable)
check("unique", 1, function(a, given)
  -- An own message may come before or after the boolean.
  local is_deep, text = a[2], a[3]
  if is_deep ~= nil and type(is_deep) ~= "boolean" then is_deep, text = text == true, is_deep end
  if given.text == nil then given.text = text end
  for i, one in pairs(a[1]) do for j, other in pairs(a[1]) do
    if i ~= j and (one == other or is_deep and same(one, other)) then
      return false, function() return "expected no two the same in " .. show(a[1]) end
    end
  end end
  return true, function() return "expected two the same in " .. show(a[1]) end
end)
check("contains", 2, function(a)
  local found = false
  if type(a[2]) == "string" then
    found = a[2]:find(a[1], 1, true) ~= nil
  else
    for _, value in pairs(a[2]) do found = found or same(a[1], value) end
  end
  return found, function() return "expected " .. show(a[1]) .. " in " .. show(a[2]) end
end, 3)
check("returned_arguments", 1, function(a)
  return tostring(a[1]) == tostring(a.n - 1),
    function() return "expected " .. show(a[1]) .. " values, got " .. show(a.n - 1) end
end)

-- An own message may come before or after the place to begin at.
local function take_text(a, given)
  for i = 3, a.n do
    if a[i] and type(a[i]) ~= "boolean" and not tonumber(a[i]) then
      given.text = a[i]
      table.move(a, i + 1, a.n + 1, i)
      a.n = a.n - 1
      return
    end
  end
end

-- An argument of the wrong kind fits nothing. That must not pass where nothing is to fit.
local function refuse_unless(fits, name, wanted, value)
  if not fits then error(name .. " takes " .. wanted .. ", and this is a " .. type(value), 0) end
end

local function check_start(name, start)
  refuse_unless(start == nil or tonumber(start), name, "a number for the place to begin at", start)
end

local function found(text, pattern, init, is_plain)
  if is_plain then
    local fits = text:find(pattern, init, true) ~= nil
    return fits, fits and {n = 1, pattern} or {n = 0}
  end
  local captures = table.pack(text:match(pattern, init))
  if captures[1] == nil then return false, {n = 0} end
  return true, captures
end

check("match matches", 2, function(a, given)
  take_text(a, given)
  refuse_unless(type(a[1]) == "string", "matches", "a pattern first", a[1])
  refuse_unless(has_text(a[2]) or type(a[2]) == "number", "matches", "a string second", a[2])
  check_start("matches", a[3])
  local fits, captures = found(tostring(a[2]), a[1], a[3], a[4])
  return fits, function() return "expected a string like " .. show(a[1]) .. ", got " .. show(a[2]) end, captures
end)

local function without_place(failure)
  return type(failure) == "string" and (failure:gsub("^.-:%d+: ", "", 1)) or failure
end

local function failure_of(body, name)
  refuse_unless(callable(body), name, "a function", body)
  local ok, failure = pcall(body)
  failure = without_place(failure)
  return ok, failure, has_text(failure) and tostring(failure) or failure
end

check("error errors", 1, function(a)
  local ok, failure, text = failure_of(a[1], "error")
  local results = {n = a.n, failure, unpack(a, 2, a.n)}
  if ok then return false, "expected an error, and there was none", results end
  if a[2] == nil then return true, function() return "expected no error, got " .. show(text) end, results end
  local fits
  if type(a[2]) == "string" and type(text) == "string" then
    fits = a[2] == text
    results[1] = text
  elseif type(a[2]) == "number" and type(text) == "string" then
    fits = tostring(a[2]) == tostring(tonumber(text))
  else
    fits = same(a[2], failure)
  end
  return fits, function() return "expected the error " .. show(a[2]) .. ", got " .. show(text) end, results
end, 3)
check("error_matches error_match matches_error match_error", 2, function(a, given)
  local results = table.pack(unpack(a, 1, a.n))
  take_text(a, given)
  refuse_unless(a[2] == nil or type(a[2]) == "string", "error_matches", "a pattern second", a[2])
  check_start("error_matches", a[3])
  local ok, _, text = failure_of(a[1], "error_matches")
  results[1] = text
  if ok then return false, "expected an error, and there was none", results end
  if type(text) == "number" or type(text) == "boolean" then text = tostring(text) end
  local function message() return "expected an error like " .. show(a[2]) .. ", got " .. show(text) end
  if text == nil and a[2] == nil then return true, message, {n = 0} end
  if type(text) ~= "string" then return false, message, results end
  local fits, captures = found(text, a[2], a[3], a[4])
  return fits, message, fits and captures or results
end)

check("holes", 0, function(a, given)
  local list, length = given.list, a[1]
  if list == nil then error("holes comes after array(…)", 0) end
  if length == nil then
    length = 0
    for key in pairs(list) do if math.type(key) == "integer" and key > length then length = key end end
  end
  refuse_unless(type(length) == "number", "holes", "a length", length)
  for i = 1, length do
    if list[i] == nil then
      return true, function() return "expected no hole in " .. show(list) .. ", and there is one at " .. i end, {n = 1, i}
    end
  end
  return false, function() return "expected a hole in " .. show(list) end, {n = 1}
end)

-- MARK: assert

local modifiers = {
  array = function(given, a)
    given.list = a[1]
    if a[2] ~= nil then given.text = a[2] end
  end,
  message = function(given, a) given.text = a[1] end,
}
local known = setmetatable({}, {__index = function(_, name) return checks[name] or modifiers[name] end})

-- The beginning of an assertion, such as `assert.is_not`: the words since the last modifier, whether it is negated, and what
-- the modifiers were given. A spec may keep one and go on from it several times, so it never changes.
local beginning = {}
local function begun(words, is_negated, given)
  return setmetatable({words = words, is_negated = is_negated, given = given}, beginning)
end
function beginning.__index(self, key)
  return begun(self.words .. "_" .. tostring(key):lower(), self.is_negated, self.given)
end
function beginning.__call(self, ...)
  local name, is_turned = resolve(self.words, known)
  local is_negated = is_turned ~= self.is_negated
  local a = table.pack(...)
  local given = {list = self.given.list, text = self.given.text}
  if not checks[name] then
    if name then modifiers[name](given, a) end
    return begun("", is_negated, given)
  end
  if a.n < least[name] then error(name .. " takes " .. least[name] .. " values, and this is " .. a.n, 2) end
  local text_at = own_text[name]
  if text_at and a[text_at] ~= nil and given.text == nil and type(a[text_at]) ~= "boolean" then given.text = a[text_at] end
  local done, fits, message, results = pcall(checks[name], a, given)
  if not done then error(fits, 2) end
  if (not fits) ~= is_negated then
    local own = given.text
    message = type(message) == "function" and message() or message
    if is_negated then message = "not " .. message end
    error(own == nil and message or (type(own) == "string" and own or show(own)) .. ": " .. message, 2)
  end
  if results then return unpack(results, 1, results.n) end
  return ...
end

assert = setmetatable({}, {
  __index = function(_, key) return begun(tostring(key):lower(), false, {}) end,
  __call = function(_, value, message, level, ...)
    if not value then
      if message ~= nil and not has_text(message) then error(message, 0) end
      error(message == nil and "assertion failed!" or message, message == nil and 2 or 0)
    end
    return value, message, level, ...
  end,
})
local stderr = io.stderr
-- The run would end, and all would seem well.
os.exit = function() error("os.exit in a spec", 2) end

local pending_meta = {}
local root = {name = "", children = {}, hooks = {}, env = setmetatable({}, {__index = _G})}
local open = root         -- the block whose body runs
local current, running    -- the test or the block's code whose turn it is; the test that runs
local scope               -- the test or the block whose code runs, if it is another than `open`
local frames = {}         -- the blocks around it, each with the number of its next child

-- Each block and each test has globals of its own, and sees those around it.
local env = setmetatable({}, {
  __index = function(_, key) return (scope or open).env[key] end,
  __newindex = function(_, key, value) (scope or open).env[key] = value end,
})

local function line_of_caller()
  for level = 3, 8 do
    local info = debug.getinfo(level, "Sl")
    if info and info.source ~= this_file and info.what ~= "C" and info.currentline > 0 then return info.currentline end
  end
  return 0
end

local function element(what, name, body)
  if running then error(what .. " inside of a test, where it would never run", 3) end
  if body == nil and callable(name) then name, body = nil, name end
  if body ~= nil and not callable(body) then
    error(what .. " takes a name and a function, and this is a " .. type(body), 3)
  end
  name = name ~= nil and tostring(name) or ""
  local path = open.name
  if path ~= "" and name ~= "" then path = path .. " " end
  local own = setmetatable({}, {__index = open.env})
  return {name = path .. name, body = body, parent = open, env = own, line = line_of_caller()}
end

-- The body of `describe "name" (function() … end)`.
local function giver(made)
  return function(body)
    if not callable(body) then error("a function is missing after the name", 2) end
    made.body, made.pending = body, nil
  end
end

local function block(what, is_apart)
  return function(name, body)
    local made = element(what, name, body)
    made.children, made.hooks, made.is_apart = {}, {}, is_apart
    if what == "expose" then made.env = open.env end
    table.insert(open.children, made)
    return not made.body and giver(made) or nil
  end
end
describe, insulate, expose = block("describe"), block("insulate", true), block("expose")
context = describe

function it(name, body)
  local made = element("it", name, body)
  made.pending = not made.body and tostring(name) or nil
  table.insert(open.children, made)
  return not made.body and giver(made) or nil
end
test, spec = it, it

function pending(name, body)
  if running then error(setmetatable({text = name ~= nil and tostring(name) or ""}, pending_meta), 0) end
  local made = element("pending", name, body)
  made.pending = tostring(name)
  table.insert(open.children, made)
end

local function hook(kind)
  return function(name, body)
    local made = element(kind, name, body)
    if not made.body then error(kind .. " takes a function", 2) end
    open.hooks[kind] = open.hooks[kind] or {}
    table.insert(open.hooks[kind], made.body)
  end
end
before_each, after_each = hook("before_each"), hook("after_each")
setup, teardown = hook("setup"), hook("teardown")
strict_setup, strict_teardown = setup, teardown
lazy_setup, lazy_teardown = hook("lazy_setup"), hook("lazy_teardown")
function finally(body)
  if not running then error("finally outside of a test", 2) end
  running.finally = body
end
-- Tests run in the order of the file.
function randomize() end

-- MARK: modules

local busted = {version = "2.1", subscribe = function() end, publish = function() end}
function busted.fail(message, level) error(message or "failed", (level or 1) + 1) end
for name in ([[describe context insulate expose it test spec pending before_each after_each setup teardown strict_setup
  strict_teardown lazy_setup lazy_teardown finally randomize assert]]):gmatch("%S+") do busted[name] = _G[name] end
for name, module in pairs {
  busted = busted, ["busted.runner"] = function() end, luassert = assert, ["luassert.assert"] = assert,
} do package.loaded[name] = module end

-- MARK: running

local function guard(body)
  return xpcall(body, function(failure)
    if getmetatable(failure) == pending_meta then return failure end
    if type(failure) == "string" then return failure .. "\n" .. debug.traceback("", 2):gsub("^\n", "") end
    return has_text(failure) and tostring(failure) or "an error that is " .. show(failure)
  end)
end

local function problem_of(body)
  __spec.begin()
  local ok, failure = guard(body)
  __spec.done()
  scope = nil
  if ok then return nil end
  return getmetatable(failure) == pending_meta and "pending outside of a test" or failure
end

local function call_hooks(block, kind)
  scope = block
  for _, body in ipairs(block.hooks[kind] or {}) do body() end
  scope = nil
end

local filter = ""
local function is_wanted(name)
  name = name:sub(1, 1000)
  return name:find(filter)
end

-- Whether the filter leaves out all tests of a block. Those of a block in it are not known before the code of both has run.
local function is_left_out(block)
  for _, child in ipairs(block.children) do
    -- A malformed pattern is an error when the tests are chosen.
    local is_pattern, wanted = pcall(is_wanted, child.name)
    if child.children or wanted or not is_pattern then return false end
  end
  return filter ~= ""
end

local function enter(block)
  if block.is_apart then
    local globals, loaded = {}, {}
    for key, value in next, _G do globals[key] = value end
    for key, value in next, package.loaded do loaded[key] = value end
    block.restore = function()
      for key in next, _G do if globals[key] == nil then _G[key] = nil end end
      for key, value in next, globals do _G[key] = value end
      for key in next, package.loaded do if loaded[key] == nil then package.loaded[key] = nil end end
      for key, value in next, loaded do package.loaded[key] = value end
    end
  end
  open = block
  frames[#frames + 1] = {block = block, next = 1}
  local problem = problem_of(function()
    if block.body then block.body() end
    block.is_left_out = is_left_out(block)
    if not block.is_left_out then call_hooks(block, "setup") end
  end)
  if problem then block.children = {} end
  return problem
end

local function leave(block)
  frames[#frames] = nil
  local problem = block.is_set_up and problem_of(function() call_hooks(block, "lazy_teardown") end)
  if not block.is_left_out then
    problem = problem_of(function() call_hooks(block, "teardown") end) or problem
  end
  open = block.parent or root
  if block.restore then block.restore() end
  return problem or nil
end

-- Which tests are run: patterns for names, each may be empty.
__spec.select = function(pattern)
  string.find("", pattern)
  filter = pattern
end

-- Runs a spec's own body, which makes its tests.
__spec.load = function(source, name)
  -- Code that specs share is beside them.
  local folder = name:match("^(.*)/[^/]*$") or "."
  package.path = folder .. "/?.lua;" .. folder .. "/?/init.lua;" .. package.path
  source = source:gsub("^\239\187\191", ""):gsub("^#[^\n]*", "")
  local body, message = load(source, "@" .. name, "t", env)
  if not body then return message end
  return problem_of(body)
end

-- Makes it the turn of a block's code outside of its tests: `enter` or `leave`.
local function take_turn(block, code)
  current = {block = block, code = code}
  return block.name ~= "" and block.name or "the spec", block.line or 0
end

-- Goes on to what runs next, a test or a block's own code: its name and line, or nothing after the last one.
__spec.advance = function()
  if not root.is_entered then
    root.is_entered = true
    return take_turn(root, enter)
  end
  while #frames > 0 do
    local frame = frames[#frames]
    local child = frame.block.children[frame.next]
    frame.next = frame.next + 1
    if not child then return take_turn(frame.block, leave) end
    if child.children then return take_turn(child, enter) end
    if is_wanted(child.name) then
      current = child
      return child.name, child.line
    end
  end
end

-- Calls the `lazy_setup` of a block before the first of its tests that runs.
local function set_up(block)
  if block.is_set_up == nil then
    block.is_set_up = false
    call_hooks(block, "lazy_setup")
    block.is_set_up = true
  elseif not block.is_set_up then
    error("its lazy_setup failed", 0)
  end
end

-- Calls `finally` and, from the inside out, the `after_each` of the first frames. Each of them runs, whatever became of those
-- before it. Returns whether all were good, and the first failure.
local function clean_up(frame_count)
  local are_good, first = true, nil
  local function clean(body)
    local good, failure = guard(body)
    if are_good and not good then are_good, first = false, failure end
  end
  scope = current
  if current.finally then clean(current.finally) end
  for i = frame_count, 1, -1 do
    scope = frames[i].block
    for _, body in ipairs(frames[i].block.hooks.after_each or {}) do clean(body) end
  end
  return are_good, first
end

-- Runs it, and returns how it ended and its message. A block's own code that ends well returns nothing.
__spec.run = function()
  if current.code then
    local problem = current.code(current.block)
    if problem then return "failed", problem end
    return
  end
  if current.pending then return "pending", current.pending end
  running = current
  local reached = #frames -- how many of the frames are cleaned up: all if a `lazy_setup` fails
  __spec.begin()
  local ok, failure = guard(function()
    for _, frame in ipairs(frames) do set_up(frame.block) end
    __spec.keep()
    for i, frame in ipairs(frames) do
      reached = i
      call_hooks(frame.block, "before_each")
    end
    scope = current
    current.body()
  end)
  __spec.done()
  __spec.begin()
  local cleaned, problem = clean_up(reached)
  __spec.done()
  running, scope = nil, nil
  if not ok and getmetatable(failure) == pending_meta then
    if cleaned then return "pending", failure.text end
    ok = true
  end
  if ok then ok, failure = cleaned, problem end
  if ok then return "passed", "" end
  if getmetatable(failure) == pending_meta then failure = "pending in a hook" end
  return "failed", failure
end

-- MARK: with Lua alone

if not host and arg and arg[1] then
  local file <close>, problem = io.open(arg[1], "rb")
  problem = problem or __spec.load(file:read("a"), arg[1])
  local count, failed = 0, 0
  if problem then
    count, failed = 1, 1
    print("not ok 1 - " .. arg[1])
    stderr:write(problem, "\n")
  else
    for name in __spec.advance do
      local status, message = __spec.run()
      if status then
        count = count + 1
        failed = failed + (status == "failed" and 1 or 0)
        local skipped = status == "pending" and " # SKIP " .. message or ""
        print(("%s %d - %s%s"):format(status == "failed" and "not ok" or "ok", count, name, skipped))
        if status == "failed" then stderr:write(message, "\n") end
      end
    end
  end
  print("1.." .. count)
  exit(failed == 0 and 0 or 1)
end
