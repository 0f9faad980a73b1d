"""A proxy that closes each connection, and the listener, after a number of bytes in all from the server to the client.

usage: proxy.py PORT SERVER_PORT BYTES
"""

import socket
import sys
import threading

port, server, left = map(int, sys.argv[1:])
lock = threading.Lock()


def pump(source, target, counts):
    global left
    try:
        while data := source.recv(4096):
            if counts:
                with lock:
                    data, left = data[:max(left, 0)], left - len(data)
            target.sendall(data)
            if counts and left < 0:
                break
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


with socket.create_server(("127.0.0.1", port)) as listener:
    while True:
        client, _ = listener.accept()
        if left < 0:
            client.close()
            continue
        upstream = socket.create_connection(("127.0.0.1", server))
        threading.Thread(target=pump, args=(client, upstream, False), daemon=True).start()
        threading.Thread(target=pump, args=(upstream, client, True), daemon=True).start()
