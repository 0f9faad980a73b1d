-- @patch    com.example.shop.stock-reserve
-- @version  1
-- @app      com.example.shop >=2.3.0 <2.5.0
-- @expires  2031-01-01T00:00:00Z
-- @replaces Stock.reserve, Stock.available
--
-- The stock service counts a reservation of nothing as one of everything.
patch.replace("Stock.reserve", function(original, item, count)
  if count <= 0 then
    return false
  end
  return original(item, count)
end)

patch.replace("Stock.available", function(original, item)
  return math.max(0, original(item))
end)
