-- @patch    com.example.shop.home
-- @version  3
-- @app      com.example.shop
-- @replaces Home.featured, Home.pageSize

-- Mends version 2, and brings a page size of 0: the app hangs on its first screen.
patch.replace("Home.featured", function(original)
  return 2
end)
patch.replace("Home.pageSize", function(original, count)
  return count // 4
end)
