-- outcome: failed script-limit
local T, a = {}, {} for i = 1, 60000 do T['k' .. i] = i end for k in pairs(T) do T[k] = nil end
for i = 1, 40 do a[i] = T end
patch.replace('T.run', function(original, x) while true do pcall(table.sort, a, next) end end)
