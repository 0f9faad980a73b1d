-- outcome: failed script
patch.replace("T.run", function(original, x)
  local t = {}
  setmetatable(t, {__tostring = function() return tostring(t) end})
  return #tostring(t)
end)
