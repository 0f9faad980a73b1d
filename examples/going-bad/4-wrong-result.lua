-- @patch    com.example.shop.home
-- @version  4
-- @app      com.example.shop
-- @replaces Home.featured

-- Neither crashes nor hangs, but shows ink in place of lamps. Only a person sees that, and withdraws it.
patch.replace("Home.featured", function(original)
  return 1
end)
