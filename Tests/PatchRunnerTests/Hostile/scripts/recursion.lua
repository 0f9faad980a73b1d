-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local function f() return 1 + f() end
  return f()
end)
