-- outcome: failed script-limit
local T = {} for i = 1, 200000 do T[i] = i end
table.move({}, 1, 200000, 1, T) setmetatable(T, {__index = next})
patch.replace('T.run', function(original, x) while true do table.move(T, 1, 200000, 1, {}) end end)
