-- outcome: failed script-limit
local a, b = ("\0"):rep(200000), ("\0"):rep(200001)
patch.replace('T.run', function(original, x)
  while true do for k = 990, 500, -5 do a:sub(1, 16384000 // k) local c = a < b end end
end)
