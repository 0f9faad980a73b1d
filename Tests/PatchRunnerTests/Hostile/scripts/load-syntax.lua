-- outcome: refused script
patch.replace('T.run' function() end)
