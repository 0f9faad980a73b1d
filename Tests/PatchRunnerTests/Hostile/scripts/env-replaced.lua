-- outcome: failed script
patch.replace("T.run", function(original, x)
  local _ENV = {}
  return print(x)
end)
