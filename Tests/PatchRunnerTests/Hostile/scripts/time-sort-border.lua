-- outcome: failed script-limit
local t = {} for i = 1, 9 do t[i] = 1 end t[16] = 1 t[17] = 1 local i = 32 while i > 0 do t[i] = 1 i = i * 2 end
patch.replace('T.run', function(original, x) while true do pcall(table.sort, t) pcall(table.concat, t) pcall(table.insert, t, 1, 1) end end)
