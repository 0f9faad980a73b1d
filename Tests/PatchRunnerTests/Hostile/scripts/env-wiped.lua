-- outcome: answered 1
patch.replace("T.run", function(original, x)
  local globals = _G
  for k in pairs(globals) do globals[k] = nil end
  return x
end)
