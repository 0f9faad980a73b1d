-- outcome: refused script
for i = 1, 1e9 do patch.replace('T.f' .. i, print) end
