-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  while true do print('spam', x) log.error('more') end
end)
