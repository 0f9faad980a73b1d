-- outcome: failed script
patch.replace("T.run", function(original, x)
  local function f(s) return (s:gsub('.', f)) end
  return #f('xx')
end)
