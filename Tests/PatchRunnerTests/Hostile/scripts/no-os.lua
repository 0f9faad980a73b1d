-- outcome: failed script
patch.replace("T.run", function(original, x)
  os.exit(1)
end)
