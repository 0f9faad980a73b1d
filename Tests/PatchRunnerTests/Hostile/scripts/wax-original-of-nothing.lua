-- outcome: failed script
waxClass{'T'}
function run(self, x) return self:ORIGnothing(x) end
