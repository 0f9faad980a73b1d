-- outcome: failed script
patch.replace("T.run", function(original, x)
  error('\255\254\0 not text')
end)
