-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local function deep(n) if n > 0 then return pcall(deep, n - 1) end while true do end end
  while true do deep(20) end
end)
