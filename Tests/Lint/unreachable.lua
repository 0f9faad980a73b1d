-- lint: unreachable in line 4
-- doc: `error` never returns, so the log line is never written.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity < 0 then
    error("a negative quantity")
    log.warn("declined")
  end
  return original(price, quantity)
end)
-- lint: none
-- doc: The statement that ends the call comes last.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity < 0 then
    log.warn("declined")
    error("a negative quantity")
  end
  return original(price, quantity)
end)
-- lint: unreachable in line 3
patch.replace('Cart.total', function(original, a, b)
  error('no')
  return original(a, b) end)
-- lint: none
patch.replace('Cart.total', function(original, a, b)
  if a > 1 then error('no') end
  return a end)
-- lint: unreachable in line 3
patch.replace('Cart.total', function(original, a, b)
  host.throw('no')
  log.info('x')
  return a end)
-- lint: none
patch.replace('Cart.total', function(original, a, b)
  log.info('x')
  host.throw('no') end)
-- lint: unreachable in line 3
patch.replace('Cart.total', function(original, a, b)
  if a > 1 then return 1 else return 2 end
  log.info('x') end)
-- lint: none
patch.replace('Cart.total', function(original, a, b)
  if a > 1 then return 1 elseif a < 0 then return 2 end
  log.info('x')
  return 3 end)
-- lint: unreachable in line 2
patch.replace('Cart.names', function(original, a, b)
  for _, s in ipairs(a) do
  if s == 'x' then return {} else return a end
  end return a end)
-- lint: none
patch.replace('Cart.names', function(original, a, b)
  for _, s in ipairs(a) do
  if s == 'x' then return {} end
  end return a end)
