-- outcome: answered 1001
patch.replace("T.run", function(original, x)
  return host.call('T.run', x)
end)
