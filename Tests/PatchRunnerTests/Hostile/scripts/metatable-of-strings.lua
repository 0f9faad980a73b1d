-- outcome: answered 1
patch.replace("T.run", function(original, x)
  local meta = getmetatable('')
  meta.__index = function() return 7 end
  meta.__add = function() return 7 end
  return ('x').foo == nil and '1' + 0 == 1 and x or 0
end)
