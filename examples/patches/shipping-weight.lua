-- @patch    com.example.shop.shipping-weight
-- @version  1
-- @app      com.example.shop >=2.3.0 <2.5.0
-- @replaces Shipping.cost
--
-- Two lamps were sent for the price of one: the weight has to be counted for
-- every piece. An order is a table here, and its lines are a sequence of tables.
patch.replace("Shipping.cost", function(original, order)
  local grams = 0
  for _, line in ipairs(order.lines) do
    grams = grams + line.item.grams * math.max(0, line.quantity)
  end
  if grams > 4000 then
    return 14.9
  end
  return grams > 2000 and 9.9 or 4.9
end)
