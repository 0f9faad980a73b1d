-- outcome: failed script
patch.replace('T.run', function() patch.replace('T.other', print) end)
