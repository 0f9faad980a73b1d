-- outcome: failed script
patch.replace("T.run", function(original, x)
  return #string.pack('z', 'x')
end)
