patch.replace('Cart.item', function() return {name = 1} end)
patch.replace('Cart.list', function() return {1, 'x', nil, 3.5} end)
patch.replace('Basket.fill', function() return 5 end)
