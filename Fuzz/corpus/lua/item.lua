patch.replace('Cart.item', function(original, item)
  local ok, e = pcall(original, {name = item.name .. '!', price = item.price, tags = {'a', 'b'}})
  if not ok then host.throw(tostring(e)) end
  return e
end)
