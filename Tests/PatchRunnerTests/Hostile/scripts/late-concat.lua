-- outcome: failed script
patch.replace("T.run", function(original, x)
  local m = {}
  local t = setmetatable({}, m)
  m.__concat = function(a, b) local function f() return f() + 1 end return f() end
  return #(t .. ('x'):rep(1000) .. 1 .. t)
end)
