-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local t = {}
  while true do t = {t, t, {}} end
end)
