-- lint: no-otherwise in line 1
-- doc: If the script cannot answer, or is rolled back, the original answers, and the hole is open.
-- CVE-2026-0001: a negative quantity pays the customer
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(quantity, 0))
end)
-- lint: none
-- doc: The customer pays the price once.
-- CVE-2026-0001: a negative quantity pays the customer
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(quantity, 0))
end, {otherwise = 0})
-- lint: no-otherwise in line 2:8
-- not a hole
-- SQL injections
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: no-otherwise in line 1:18
local x = 1 -- a Vulnerability
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- lint: none
-- patchpack: ignore no-otherwise
-- a path traversal
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
