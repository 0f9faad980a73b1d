-- outcome: failed script-limit
local t = {} for i = 1, 90000 do t[i] = i end
patch.replace('T.run', function(original, x) while true do host.call('T.array', t) end end)
