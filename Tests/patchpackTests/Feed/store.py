"""An object store that keeps objects in memory, and has one fault.

usage: store.py PORT FAULT
"""

import hashlib
import http.server
import sys

fault = sys.argv[2]
objects = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # so that an answer is one packet

    def answer(self, status, body=b"", headers={}):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code):
        self.answer(status, f"<Error><Code>{code}</Code></Error>".encode())

    def do_GET(self):
        body = objects.get(self.path)
        if fault == "no bucket":
            self.refuse(404, "NoSuchBucket")
        elif fault == "forbidden":
            self.refuse(403, "AccessDenied")
        elif body is None:
            self.refuse(404, "NoSuchKey")
        else:
            tag = '"' + hashlib.md5(body).hexdigest() + '"'
            self.answer(200, body, {"ETag": f"W/{tag}" if fault == "weak tags" else tag})

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_there = self.path in objects
        if self.headers["If-None-Match"] and is_there and fault != "no conditions":
            return self.refuse(412, "PreconditionFailed")
        if fault == "refuses" or fault == "keeps old" and self.headers["If-Match"]:
            return self.refuse(412, "PreconditionFailed")
        if fault == "cuts" and self.path.endswith(".targets.json"):
            body = body[:-1]
        if fault != "forgets" or not self.path.endswith(".targets.json"):
            objects[self.path] = body
        self.answer(200)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
