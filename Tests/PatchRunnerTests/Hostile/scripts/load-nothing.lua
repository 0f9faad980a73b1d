-- outcome: refused script
return 1
