-- outcome: answered 1
-- A string that is a number up to a zero byte was left on the stack beside each argument.
local bad = {}
for i = 1, 250 do bad[i] = "1\0" end
local format = ("%d"):rep(249)
patch.replace("T.run", function(original, x)
  local function dive(n)
    for _, take in ipairs {string.char, utf8.char} do assert(not pcall(take, table.unpack(bad))) end
    assert(not pcall(string.format, format, table.unpack(bad, 1, 249)))
    if n > 0 then dive(n - 1) end
  end
  for i = 1, 8 do pcall(dive, i) end
  return x
end)
