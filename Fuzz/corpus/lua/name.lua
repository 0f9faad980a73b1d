patch.replace('Cart.name', function(original, text, flag)
  if flag then return nil end
  return original(text:upper():gsub('T', '%0x'), not flag)
end)
