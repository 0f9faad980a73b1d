-- outcome: refused script
host.throw('x')
