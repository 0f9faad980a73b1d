-- outcome: refused script-limit
while true do end
