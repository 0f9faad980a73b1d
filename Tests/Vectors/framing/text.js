-- a script, and no envelope
return 1
