-- outcome: refused script-limit
local s = 'x' while true do s = s .. s end
