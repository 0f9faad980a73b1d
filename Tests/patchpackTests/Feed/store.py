"""An object store that keeps objects in memory, and has one fault.

usage: store.py PORT FAULT
"""

import hashlib
import http.server
import sys

fault = sys.argv[2]
refusals = {
    "forbidden": (403, "AccessDenied"),
    "moved": (301, "PermanentRedirect"),
    "region": (400, "AuthorizationHeaderMalformed"),
    "clock": (403, "RequestTimeTooSkewed"),
}
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
        region = "<Region>eu-west-9</Region>" if code.startswith("Authorization") else ""
        headers = {"x-amz-bucket-region": "eu-west-9"} if status == 301 else {}
        self.answer(status, f"<Error><Code>{code}</Code>{region}</Error>".encode(), headers)

    def do_GET(self):
        body = objects.get(self.path)
        if fault == "no bucket":
            self.refuse(404, "NoSuchBucket")
        elif fault in refusals:
            self.refuse(*refusals[fault])
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
        if fault == "unconditional" and self.headers["If-None-Match"]:
            return self.refuse(501, "NotImplemented")
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
