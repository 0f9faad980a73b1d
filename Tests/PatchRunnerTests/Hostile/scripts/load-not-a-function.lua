-- outcome: refused script
patch.replace('T.run', 1)
