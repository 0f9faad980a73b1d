-- outcome: failed script
patch.replace("T.run", function(original, x)
  if kept then return kept(x) end
  kept = original
  error('next time')
end)
