-- outcome: refused script
patch.replace('T.run', print)
patch.replace('T.run', print)
