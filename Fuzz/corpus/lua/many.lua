local t = setmetatable({}, {__index = function(t, k) return k end, __call = function(self, x) return x end})
local r = {string.find('aXb', '(%u)()'), ('x'):rep(3, ','), tonumber('0x1p4'), utf8.char(8364, 9), utf8.codepoint('aé', 1, -1), table.concat({1, 2, 3}, '-'), select('#', table.unpack({1, 2, 3})), math.max(1, 2), string.format('%5.2f|%-4s|%q|%x', 1.5, 'a', 'b\n', 255)}
table.sort(r, function(a, b) return tostring(a) < tostring(b) end)
table.move(r, 1, 3, 2)
table.insert(r, 1, t.key) table.remove(r)
for w in ('a b c'):gmatch('%a+') do log.info(w) end
patch.replace('T.run', function(original, x) return original(t(x)) end)
