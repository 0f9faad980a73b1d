-- outcome: failed script
patch.replace("T.run", function(original, x)
  return ('x'):find('[a')
end)
