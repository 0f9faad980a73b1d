-- outcome: answered 1
local Class = waxClass{"T"}
patch.replace("T.run", function(original, x)
  for k, v in pairs(Class) do
    assert(not (tostring(k) .. tostring(v) .. ("%s"):format(k)):find("0x"))
  end
  return x
end)
