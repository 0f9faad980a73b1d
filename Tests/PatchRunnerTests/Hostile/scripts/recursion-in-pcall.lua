-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local function f() pcall(f) return f() end
  return f()
end)
