-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local m = {}
  local t = setmetatable({}, m)
  m.__mode = 'kv'
  for i = 1, 1e9 do t[{}] = ('x'):rep(1000) .. i end
end)
