-- lint: may-be-nil in line 2
-- doc: There may be no such item, and nil has no fields.
patch.replace("Cart.total", function(original, price, quantity)
  return host.call("Cart.find", "tea").price * quantity
end)
-- lint: none
-- doc: The value is tested first.
patch.replace("Cart.total", function(original, price, quantity)
  local item = host.call("Cart.find", "tea")
  if not item then return original(price, quantity) end
  return item.price * quantity
end)
-- lint: may-be-nil in each line
patch.replace('Cart.parse', function(original, a) return tonumber(a) * 2 end)
patch.replace('Cart.parse', function(original, a) return tonumber(a) end)
patch.replace('Cart.parse', function(original, a) local n = tonumber(a) if n > 5 then return 5 end return 1 end)
patch.replace('Cart.settle', function(original, a, b) return #a.card.kind end)
patch.replace('Cart.settle', function(original, a, b) return host.call('Cart.product', a.id).cents end)
patch.replace('Cart.settle', function(original, a, b) return #b:owner() end)
-- lint: none in each line
patch.replace('Cart.parse', function(original, a) return (tonumber(a) or 0) * 2 end)
patch.replace('Cart.parse', function(original, a) if a:match('^%d+$') then return tonumber(a) * 2 end return 0 end)
patch.replace('Cart.parse', function(original, a) local n = tonumber(a) if n and n > 5 then return n end if not n then return 0 end return n * 2 end)
patch.replace('Cart.label', function(original, a, b) local at = a:find('x') if at and at > 0 then return b end return a end)
patch.replace('Cart.label', function(original, a, b) return a:match('^%s*(.-)%s*$'):upper() end)
patch.replace('Cart.settle', function(original, a, b) if not a.card then return 0 end log.info('x') return #a.card.kind end)
patch.replace('Cart.settle', function(original, a, b) local item = host.call('Cart.product', a.id) return item and item.cents or 0 end)
patch.replace('Cart.settle', function(original, a, b) return #(b:owner() or '') end)
-- lint: may-be-nil in line 1: Order.total returns number, but this may be nil
patch.replace('Order.total', function(original, a, b) local r if a > 1 then r = 2 end return r end)
-- lint: may-be-nil in line 1: takes the length of name, which may be nil
patch.replace('Order.sum', function(original, a, b) return #a.items[1].name end)
-- lint: may-be-nil in line 1: joins c, which may be nil
patch.replace('Order.fill', function(original, a, b, c) log.info('x' .. c) end)
-- lint: may-be-nil in line 1: host.throw gets nil, so the app's error has no words
patch.replace('Order.sum', function(original, a, b) host.throw() end)
-- lint: may-be-nil in line 1: host.throw gets nil, so the app's error has no words
patch.replace('Order.sum', function(original, a, b) host.throw(nil, 404) end)
-- lint: may-be-nil in line 2:14
patch.replace('Cart.save', function(original, p, n)
  log.info(p.name .. '!')
  return original(p, n)
end)
-- lint: may-be-nil in line 2:21
patch.replace('Cart.save', function(original, p, n)
  log.info('x' .. p.name)
  return original(p, n)
end)
-- lint: may-be-nil in line 2:8
patch.replace('Cart.save', function(original, p, n)
  if p.name > 'b' then return end
  return original(p, n)
end)
-- lint: may-be-nil in line 2:15
patch.replace('Cart.save', function(original, p, n)
  local x = p.name * 2
  return original(p, x)
end)
-- lint: may-be-nil in line 2:29
patch.replace('Cart.save', function(original, p, n)
  host.call('Cart.parse', p.name)
  return original(p, n)
end)
-- lint: none
patch.replace('Cart.save', function(original, p, n)
  if p.name ~= nil then log.info(p.name .. '!') end
  return original(p, n)
end)
-- lint: none
patch.replace('Cart.save', function(original, p, n)
  log.info((p.name or 'x') .. '!')
  return original(p, n)
end)
