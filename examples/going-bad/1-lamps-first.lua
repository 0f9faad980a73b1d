-- @patch    com.example.shop.home
-- @version  1
-- @app      com.example.shop
-- @replaces Home.featured

-- The lamps should go first.
patch.replace("Home.featured", function(original)
  return 2
end)
