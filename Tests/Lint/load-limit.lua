-- lint: load-limit in line 2
-- doc: Ten million rounds take more fuel than loading may take.
local sum = 0
for number = 1, 10000000 do sum = sum + number end
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, quantity) + sum
end)
-- lint: none
-- doc: A formula needs no loop.
local sum = 10000000 * 10000001 // 2
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, quantity) + sum
end)
-- lint: load-limit in line 2:1
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
while true do end
