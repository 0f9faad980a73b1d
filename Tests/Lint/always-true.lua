-- lint: always-true in line 2
-- lint: unreachable in line 3
-- doc: `2` alone is true, whatever the quantity is.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity == 1 or 2 then return price end
  return original(price, quantity)
end)
-- lint: none
-- doc: The quantity is compared with each number.
patch.replace("Cart.total", function(original, price, quantity)
  if quantity == 1 or quantity == 2 then return price end
  return original(price, quantity)
end)
-- lint: always-true in each line
patch.replace('Cart.label', function(original, a, b) while a ~= 'x' and (b == 'x' or 'y') do a = a .. 'x' break end return a end)
patch.replace('Cart.names', function(original, a, b) if #a then return a end return {} end)
patch.replace('Cart.names', function(original, a, b) if not #a then return {} end return a end)
patch.replace('Cart.split', function(original, a, b) if a % 2 then return 1 end return a end)
-- lint: none in each line
patch.replace('Cart.label', function(original, a, b) if a == 'x' or a == 'y' then return b end local s = b == 'x' or 'y' return s and a or b end)
patch.replace('Cart.label', function(original, a, b) while a ~= 'x' and (b == 'x' or b == 'y') do a = a .. 'x' break end return a end)
patch.replace('Cart.names', function(original, a, b) if #a > 0 then return a end local n = b and #b or 0 return {tostring(n)} end)
patch.replace('Cart.names', function(original, a, b) if not (#a > 0) then return {} end return a end)
patch.replace('Cart.split', function(original, a, b) if a % 2 == 1 then return 1 end return a end)
-- lint: unreachable in line 1
-- lint: always-true in line 1
patch.replace('Cart.label', function(original, a, b) if a == 'x' or 'y' then return b end return a end)
