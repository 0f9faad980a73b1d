-- @patch    com.example.shop.receipt-greeting
-- @version  1
-- @app      com.example.shop >=2.3.0 <2.5.0
-- @replaces Receipt.greeting
--
-- A customer without a title is greeted with two spaces. This patch has a bug
-- of its own: the title is nil for most customers, and nil has no length. The
-- original answers in its place, and the host receives the line.
patch.replace("Receipt.greeting", function(original, customer, title)
  if #title > 0 then
    return "Dear " .. title .. " " .. customer
  end
  return "Dear " .. customer
end)
