-- outcome: answered 1
patch.replace("T.run", function(original, x)
  local call, byte, s = host.call, string.byte, ("x"):rep(999999)
  for count = 999500, 999990, 10 do
    pcall(function() return (function(...) return original(x) end)(byte(s, 1, count)) end)
  end
  return x
end)
