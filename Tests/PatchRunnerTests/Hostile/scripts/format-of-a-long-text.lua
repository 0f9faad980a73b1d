-- outcome: answered 1
-- Only what is written counts, and not what is cut off.
patch.replace("T.run", function(original, x)
  local a = ("a"):rep(600000)
  assert(("%.20s %-30.20s"):format(a, a) == a:sub(1, 20) .. " " .. a:sub(1, 20) .. (" "):rep(10))
  assert(("a"):rep(1, a) == "a" and ("a"):rep(2, "bc") == "abca")
  return x
end)
