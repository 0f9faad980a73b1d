-- outcome: failed script
patch.replace("T.run", function(original, x)
  error(setmetatable({}, {__tostring = function() error('again') end}))
end)
