-- outcome: failed script
patch.replace("T.run", function(original, x)
  local function f(n) if n == 0 then error('deep') end return f(n - 1) + 1 end
  return f(1000)
end)
