-- outcome: failed script
patch.replace("T.run", function(original, x)
  error({code = 1})
end)
