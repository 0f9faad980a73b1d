-- lint: unknown-case in line 3
-- doc: A Meal is breakfast, lunch or dinner.
patch.replace("Cart.meal", function(original, hour)
  if hour < 11 then return "breakfast" end
  return "lunsh"
end)
-- lint: none
-- doc: The string is one of the enum's values.
patch.replace("Cart.meal", function(original, hour)
  if hour < 11 then return "breakfast" end
  return "lunch"
end)
-- lint: unknown-case in each line
patch.replace('Cart.prices', function(original, a, b) return original(a, {god = 1}) end)
patch.replace('Cart.level', function(original, a) return 7 end)
-- lint: none in each line
patch.replace('Cart.prices', function(original, a, b) return original(a, {good = 1}) end)
patch.replace('Cart.level', function(original, a) return a == 1 and 2 or 0 end)
-- lint: unknown-case in line 1: Mood has no value "god"
patch.replace('Order.mood', function(original, a, b) return original('god', b) end)
-- lint: unknown-case in line 1: Mood has no value "god"
patch.replace('Order.mood', function(original, a, b) return 'god' end)
-- lint: unknown-case in line 1: Mood has no value "god", so the table never has it
patch.replace('Order.mood', function(original, a, b) return b.god and a end)
