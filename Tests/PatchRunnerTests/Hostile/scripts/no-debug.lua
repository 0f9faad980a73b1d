-- outcome: failed script
patch.replace("T.run", function(original, x)
  debug.sethook()
  return x
end)
