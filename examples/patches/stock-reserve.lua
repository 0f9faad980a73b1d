-- @patch    com.example.shop.stock-reserve
-- @version  1
-- @app      com.example.shop >=2.3.0 <2.5.0
-- @expires  2031-01-01T00:00:00Z
-- @replaces Stock.reserve, Stock.available
--
-- The stock service counts a reservation of nothing as one of everything. The
-- service itself is an object of the host: it can be asked, and handed on.
patch.replace("Stock.reserve", function(original, stock, item, count)
  if count <= 0 or count > stock:count(item) then
    return false
  end
  return original(stock, item, count)
end)

patch.replace("Stock.available", function(original, stock, item)
  return math.max(0, original(stock, item))
end)
