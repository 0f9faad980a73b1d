-- outcome: answered 1
patch.replace('T.run', function(original, x)
  local a, b = {}, {}
  assert(not pcall(setmetatable, a, {__index = a}) and a.missing == nil)
  setmetatable(a, {__index = b})
  assert(not pcall(setmetatable, b, {__index = a}) and b.missing == nil)
  assert(not pcall(setmetatable, b, {__newindex = b}))
  -- a metatable that others have already is completed into a loop
  local m, c, d = {__index = {}}, {}, {}
  setmetatable(c, m) setmetatable(d, {__index = c}) m.__index = d
  assert(not pcall(setmetatable, {}, m) and c.missing == nil)
  -- neither if both events are loops, nor if another event is refused too
  m, c, d = {__index = {}, __newindex = {}}, {}, {}
  setmetatable(c, m) setmetatable(d, {__index = c, __newindex = c}) m.__index = d m.__newindex = d
  for _ = 1, 2 do
    assert(not pcall(setmetatable, {}, m) and c.missing == nil)
    c.new = x
    assert(rawget(c, 'new') == nil)
    m.__call = 1
  end
  local Class = {} Class.__index = Class
  local object = setmetatable({}, setmetatable(Class, {__index = {answer = x}}))
  return object.answer
end)
