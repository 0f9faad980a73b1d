patch.replace('Cart.wait', function(original, x)
  local a = host.call('Cart' .. '.total', 1, x)
  return original(x) + a // 1 + host.call('Cart' .. '.wait', 1)
end)
