-- outcome: failed script
patch.replace("T.run", function(original, x)
  local t = {}
  for i = 1, 1900 do t = setmetatable({}, {__index = t}) end
  while true do local _ = t.missing end
end)
