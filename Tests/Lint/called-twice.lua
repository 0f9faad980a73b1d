-- lint: called-twice in line 3
-- doc: The original runs at most once in a call; the second one is an error.
patch.replace("Cart.total", function(original, price, quantity)
  if original(price, quantity) < 0 then return 0 end
  return original(price, quantity)
end)
-- lint: none
-- doc: The result is kept.
patch.replace("Cart.total", function(original, price, quantity)
  local total = original(price, quantity)
  if total < 0 then return 0 end
  return total
end)
-- lint: called-twice in each line
patch.replace('Cart.split', function(original, a, b) original(a, b) return original(a, b) end)
patch.replace('Cart.split', function(original, a, b) if original(a, b) > 5 then return original(a, b) end return 0 end)
-- lint: none in each line
patch.replace('Cart.split', function(original, a, b) local r = original(a, b) return r end)
patch.replace('Cart.split', function(original, a, b) if a > 5 then return original(a, b) end b = b + 1 return original(a, b) end)
-- lint: called-twice in line 3
patch.replace('Cart.save', function(original, a, b)
  original(a, b)
  original(a, b) end)
-- lint: none
patch.replace('Cart.save', function(original, a, b)
  original(a, b)
  original(a, 1) end)
