-- lint: may-not-fit in line 2
-- doc: Half of an odd quantity is not an integer, and then the call fails.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, quantity / 2)
end)
-- lint: none
-- doc: `//` divides to a whole number.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, quantity // 2)
end)
-- lint: may-not-fit in each line
patch.replace('Cart.label', function(original, a, b) return string.format('%d', #a / 2) end)
patch.replace('Cart.split', function(original, a, b) return original(a / b, b) end)
patch.replace('Cart.split', function(original, a, b) return a / b end)
patch.replace('Cart.split', function(original, a, b) local half = a / 2 return half end)
patch.replace('Cart.split', function(original, a, b) return a * 0.15 end)
patch.replace('Cart.parse', function(original, a) return a * 2 end)
patch.replace('Cart.save', function(original, a, b) a.cents = a.cents / 2 original(a, b) end)
patch.replace('Cart.marks', function(original, a) return {a[#a / 2]} end)
-- lint: none in each line
patch.replace('Cart.label', function(original, a, b) return string.format('%d', #a // 2) end)
patch.replace('Cart.split', function(original, a, b) return original(a // b, b) end)
patch.replace('Cart.split', function(original, a, b) return (a - a % b) / b end)
patch.replace('Cart.split', function(original, a, b) return math.floor(a * 0.15) + math.floor(a / 2) end)
patch.replace('Cart.save', function(original, a, b) a.cents = a.cents // 2 a.price = a.price / 2 original(a, b) end)
patch.replace('Cart.marks', function(original, a) return {a[#a // 2]} end)
patch.replace('Cart.split', function(original, a, b) if a % 2 == 0 then return a / 2 end return b end)
patch.replace('Cart.split', function(original, a, b) local half = a / 2 if half % 1 == 0 then return half end return b end)
patch.replace('Cart.split', function(original, a, b) local half = a / 2 if half == math.floor(half) then return half end return b end)
patch.replace('Cart.split', function(original, a, b) if math.fmod(a, 2) == 0 then return a / 2 end return b end)
patch.replace('Cart.save', function(original, a, b) if math.fmod(a.cents, 2) == 0 then a.cents = a.cents / 2 end original(a, b) end)
patch.replace('Cart.save', function(original, a, b) if a.cents & 1 == 0 then a.cents = a.cents / 2 end original(a, b) end)
patch.replace('Cart.marks', function(original, a) if #a % 2 == 0 then return {a[#a / 2]} end return {} end)
-- lint: may-not-fit in each line
patch.replace('Cart.total', function(original, a, b) log.info(string.format('%d', a)) return a end)
patch.replace('Cart.total', function(original, a, b) log.info(('%5d'):format(a)) return a end)
patch.replace('Cart.total', function(original, a, b) return math.random(a) end)
patch.replace('Cart.total', function(original, a, b) log.info(utf8.char(a)) return a end)
-- lint: none in each line
patch.replace('Cart.total', function(original, a, b) log.info(string.format('%d %.2f', b, a)) return a end)
patch.replace('Cart.total', function(original, a, b) log.info(string.format('%d', math.floor(a))) return a end)
patch.replace('Cart.total', function(original, a, b) log.info(string.format('%d', a // 1)) return a end)
patch.replace('Cart.total', function(original, a, b) if a == math.floor(a) then log.info(('%d'):format(a)) end return a end)
patch.replace('Cart.total', function(original, a, b) return math.random(b) + math.random(math.ceil(a)) end)
