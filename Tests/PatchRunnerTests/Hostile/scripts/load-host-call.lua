-- outcome: refused script
host.call('T.run', 1)
