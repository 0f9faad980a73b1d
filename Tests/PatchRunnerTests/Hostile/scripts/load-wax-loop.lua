-- outcome: refused script-limit
waxClass{'T'}
function run(self, x) return x end
while true do end
