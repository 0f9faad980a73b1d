-- outcome: refused script
error('no')
