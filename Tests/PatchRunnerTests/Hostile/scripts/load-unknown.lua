-- outcome: refused script
patch.replace('T.other', print)
