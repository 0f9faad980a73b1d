-- outcome: failed-answered script 1001
patch.replace("T.run", function(original, x)
  original(x)
  error('after it')
end)
