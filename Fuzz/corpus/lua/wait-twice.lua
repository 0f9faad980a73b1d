local calls = 0
patch.replace('Cart.wait', function(original, x)
  calls = calls + 1
  local ok, y = pcall(original, x)
  if calls > 1 then host.throw('twice') end
  local again = coroutine.wrap(function() return host.call('Cart' .. '.total', 2, x) end)
  return y + again() // 1
end)
