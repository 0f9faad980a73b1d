-- outcome: refused script-limit
while true do pcall(require, 'other') end
