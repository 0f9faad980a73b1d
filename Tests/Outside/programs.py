#!/usr/bin/env python3
"""Runs the whole programs of docs, which samples.py has written, and ends each in the way that its page describes.

    programs.py FOLDER      of the built programs; PATCHPACK is the tool
"""

import functools
import http.server
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUARD = """\
-- @patch com.example.files.guard
-- @version 1
-- @app com.example.files
-- @replaces Files.allows
patch.replace("Files.allows", function(original, path) return false end, {otherwise = false})
"""


def tool(folder, *arguments):
    run = subprocess.run([os.path.abspath(os.environ["PATCHPACK"]), *arguments], cwd=folder, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"programs: patchpack {' '.join(arguments)}: {run.stdout}{run.stderr}")
    return run.stdout


def prepare(folder):
    """Makes keys, and the envelope that the runner's page installs."""
    tool(folder, "keygen", "-q", "--profile", "modern", "-o", ".")
    tool(folder, "pack", "-q", str(ROOT / "examples/patches/cart-total.lua"), "-o", "cart-total.js", "--signing-key", "signing.pem",
         "--script-key", "script.key")


def check_runner(program, folder):
    """The program ends by itself. Lines that begin with a brace are its events."""
    run = subprocess.run([program], cwd=folder, capture_output=True, text=True)
    lines = [line for line in run.stdout.splitlines() if not line.startswith("{")]
    if run.returncode or lines != ["19.0", "0.0"]:
        sys.exit(f"programs: docs/runner.md: status {run.returncode}: {run.stdout}{run.stderr}")


def serve(folder):
    """Serves a feed with a patch. Returns its address."""
    for name in ("root", "release", "online"):
        tool(folder, "keygen", "-q", "--profile", "modern", "--signing-only", "-o", name)
    (folder / "guard.lua").write_text(GUARD)
    tool(folder, "pack", "-q", "guard.lua", "-o", "guard.js", "--signing-key", "signing.pem", "--script-key", "script.key")
    tool(folder, "feed", "init", "feed", "--app", "com.example.files", "--root-key", "root/signing.pem", "--release-key", "release/signing.pem",
         "--online-key", "online/signing.pem")
    tool(folder, "feed", "publish", "feed", "guard.js", "--rollout", "100%", "--key", "release/signing.pem", "--key", "online/signing.pem",
         "--trusted-key", "trusted.pem", "--script-key", "script.key")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder / "feed"))
    handler.func.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def check_server(program, folder):
    """SIGTERM ends the program once it has synced. No such end is the patch's fault, however soon it comes."""
    files = folder / "files"
    files.mkdir()
    environment = os.environ | {"FEED": serve(folder), "STATE_DIRECTORY": str(folder / "state"), "SWIFT_BACKTRACE": "enable=no"}
    for name in ("trusted.pem", "script.key", "feed/metadata/1.root.json"):
        (files / pathlib.Path(name).name).write_bytes((folder / name).read_bytes())
    for _ in range(3):
        with subprocess.Popen([program], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
            killer = threading.Timer(60, process.kill)
            killer.start()
            lines = []
            for line in process.stderr:
                lines.append(line)
                if re.match(r"\w+ synced: ", line):
                    process.send_signal(signal.SIGTERM)
            status = process.wait()
            killer.cancel()
        if status:
            sys.exit(f"programs: docs/server.md: status {status} after SIGTERM: {''.join(lines)}")
    why = tool(folder, "store", "why", "state/patches", "com.example.files.guard")
    if not why.startswith("trial ") or '"failures"' in (folder / "state/patches/versions/1.0/state").read_text():
        sys.exit(f"programs: docs/server.md: the patch is blamed for an end by SIGTERM: {why}")


def check(built):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        check_runner(os.path.join(built, "runner-page"), folder)
        check_server(os.path.join(built, "server-page"), folder)
    print("the programs of docs end as their pages say")


if __name__ == "__main__":
    check(os.path.abspath(sys.argv[1]))
