-- outcome: failed script
waxClass{'T'}
function run(self, x) return self:ORIGrun(x) + self:ORIGrun(x) end
