-- lint: none
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = 1.5})
-- lint: none
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = 1})
-- lint: none
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = 'x'})
-- lint: none
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = nil})
-- lint: none
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = {}})
-- lint: none
patch.replace('Order.total', function(original, a, b)
return original(a, b)
end, {otherwise = host.error('later', 503)})
-- lint: none in each line
patch.replace('Order.first', function(original) local other = original() return {pirce = 9} end)
patch.replace('Order.first', function(original) local other = original() return {price = 'x'} end)
patch.replace('Order.first', function(original) local other = original() return {price = 9, name = 1} end)
patch.replace('Order.first', function(original) local other = original() local item = {} item.name = 'x' return item end)
patch.replace('Order.first', function(original) local other = original() if other then return {} end return nil end)
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
