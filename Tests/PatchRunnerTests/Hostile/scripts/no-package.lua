-- outcome: failed script
patch.replace("T.run", function(original, x)
  return package.loadlib('x', 'y')
end)
