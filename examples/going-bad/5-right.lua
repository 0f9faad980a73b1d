-- @patch    com.example.shop.home
-- @version  5
-- @app      com.example.shop
-- @replaces Home.featured

-- The lamps go first, as meant from the beginning.
patch.replace("Home.featured", function(original)
  return 2
end)
