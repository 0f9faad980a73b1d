#!/usr/bin/env python3
"""Two jobs deploy copies of one feed at once, again and again, to each kind of place.

    race.py PATCHPACK PAIRS [KIND]

The places: a folder; rsync over ssh (a script in ssh's place runs the command here); an rsync daemon; an object store (moto's), which
checks each request's signature. Each job has made a change of its own. One of them must be deployed, and the other job exits with
40; its change is made again in the other's copy, and deployed. At the end every change must be there. A device syncs all the time
meanwhile, and must never find a feed that is not whole.
"""

import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

TOOL, PAIRS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
KIND = sys.argv[3] if len(sys.argv) > 3 else None
HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "examples/patches/cart-total.lua"
ENVIRONMENT = dict(os.environ, NO_COLOR="1", USER="job")


def run(*arguments, allowed=(0,), **options):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT, timeout=300, **options)
    if done.returncode not in allowed:
        sys.exit(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def until(condition, what):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    sys.exit(f"{what} did not start")


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class Job:
    """A copy of the feed with keys of its own, on a machine of its own."""

    def __init__(self, folder):
        self.folder = folder

    def change(self, name):
        keys = ["--key", self.folder / "online/signing.pem"]
        return run("feed", "switch", self.folder / "feed", f"{name}=1", "-q", *keys)

    def take(self, other):
        subprocess.run(["rsync", "-a", "--checksum", "--delete", f"{other.folder}/", f"{self.folder}/"], check=True)

    def deploy(self, place, plain):
        return subprocess.Popen([TOOL, "feed", "deploy", str(self.folder / "feed"), "--to", place, *plain],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT)


class Client(threading.Thread):
    """A device that syncs with a feed all the time."""

    def __init__(self, url, plain, root, store, trusted):
        super().__init__(daemon=True)
        self.command = [TOOL, "sync", url, "--store", str(store), "--app", "com.example.shop", "--app-version", "2.3.1", "--root", str(root),
                        "--no-launch", *plain, *trusted]
        self.ends, self.count, self.faults = False, 0, []

    def run(self):
        while not self.ends:
            done = subprocess.run(self.command, capture_output=True, text=True, env=ENVIRONMENT)
            self.count += 1
            if done.returncode:
                self.faults.append(done.stdout + done.stderr)


def race(kind, work, base, place, url):
    """Deploys pairs of changes to a place, and prints how it went."""
    if KIND not in (None, kind):
        return
    began = time.monotonic()
    jobs = [Job(work / f"{kind}-1"), Job(work / f"{kind}-2")]
    for job in jobs:
        shutil.copytree(base, job.folder)
    plain = ["--allow-http"] if url.startswith("http:") else []
    first = jobs[0].deploy(place, plain)
    text = first.communicate()[0]
    assert first.returncode == 0, text
    trusted = ["--trusted-key", str(base / "sign/trusted.pem"), "--script-key", str(base / "sign/script.key")]
    client = Client(url, plain, base / "feed/metadata/1.root.json", work / f"{kind}-store", trusted)
    client.start()
    for number in range(PAIRS):
        names = [f"p{number}a", f"p{number}b"]
        for job, name in zip(jobs, names):
            job.change(name)
        # It depends on chance which one is ahead, and by how much.
        running = [jobs[0].deploy(place, plain)]
        time.sleep(random.random() ** 3 * 0.05)
        running.append(jobs[1].deploy(place, plain))
        texts = [process.communicate()[0] for process in running]
        codes = [process.returncode for process in running]
        assert sorted(codes) == [0, 40], f"{kind} {number}: {codes}\n" + "\n".join(texts)
        winner, loser = codes.index(0), codes.index(40)
        assert "of another copy of this feed" in texts[loser], texts[loser]
        jobs[loser].take(jobs[winner])
        jobs[loser].change(names[loser])
        again = jobs[loser].deploy(place, plain)
        text = again.communicate()[0]
        assert again.returncode == 0, f"{kind} {number}: {text}"
        jobs[winner].take(jobs[loser])
    client.ends = True
    client.join()
    assert not client.faults, f"{kind}: the device failed {len(client.faults)} times in {client.count}:\n{client.faults[0]}"
    root = str(base / "feed/metadata/1.root.json")
    status = run("feed", "status", url, "--root", root, *plain).stdout
    missing = [name for number in range(PAIRS) for name in (f"p{number}a", f"p{number}b") if f"switch {name}=1" not in status]
    assert not missing, f"{kind}: lost {missing}"
    run("feed", "check", url, "--root", root, *plain)
    print(f"{kind:14} {PAIRS} pairs: {2 * PAIRS} changes deployed, {PAIRS} jobs refused as the second, {client.count} syncs, 0 faults,"
          f" {time.monotonic() - began:.0f} s", flush=True)


def main():
    work = pathlib.Path(tempfile.mkdtemp())
    children = []
    try:
        base = work / "base"
        base.mkdir()
        for name in ["root", "release", "online", "sign"]:
            run("keygen", "--profile", "modern", "-q", "-o", base / name)
        run("pack", SCRIPT, "--signing-key", base / "sign/signing.pem", "--script-key", base / "sign/script.key", "-q", "-o", base / "out")
        keys = ["--key", base / "release/signing.pem", "--key", base / "online/signing.pem"]
        run("feed", "init", base / "feed", "--app", "com.example.shop", "--root-key", base / "root/signing.pem", "--release-key",
            base / "release/signing.pem", "--online-key", base / "online/signing.pem", "-q")
        run("feed", "publish", base / "feed", *(base / "out").glob("*.js"), "--trusted-key", base / "sign/trusted.pem", "--script-key",
            base / "sign/script.key", "--rollout", "100%", "-q", *keys)

        folder = work / "www"
        race("folder", work, base, str(folder), str(folder))

        shell = work / "ssh"
        shell.write_text('#!/bin/sh\n# ssh HOST COMMAND...\nshift\nexec sh -c "$*"\n')
        shell.chmod(0o755)
        ENVIRONMENT["RSYNC_RSH"] = str(shell)
        folder = work / "www-ssh"
        race("rsync, ssh", work, base, f"machine:{folder}", str(folder))

        folder, port = work / "www-daemon", free_port()
        folder.mkdir()
        configuration = work / "rsyncd.conf"
        owner = "uid = 0\ngid = 0\n" if os.getuid() == 0 else ""  # only root may change to a user
        configuration.write_text(f"pid file = {work}/rsyncd.pid\nlock file = {work}/rsyncd.lock\nlog file = {work}/rsyncd.log\n"
                                 f"{owner}use chroot = no\n"
                                 f"[feed]\npath = {folder}\nread only = no\nmax connections = 1\n")
        children.append(subprocess.Popen(["rsync", "--daemon", "--no-detach", f"--config={configuration}", f"--port={port}",
                                          "--address=127.0.0.1"], stdin=subprocess.DEVNULL))
        until(lambda: listens(port), "rsync")
        race("rsync, daemon", work, base, f"rsync://127.0.0.1:{port}/feed", str(folder))

        port, public = free_port(), free_port()
        store = subprocess.Popen([sys.executable, str(HERE / "s3.py"), str(port), str(public), "patches"], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
        children.append(store)
        account = store.stdout.readline().split()
        assert store.stdout.readline() == "ready\n"
        ENVIRONMENT.update(AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}", AWS_ACCESS_KEY_ID=account[0], AWS_SECRET_ACCESS_KEY=account[1])
        race("object store", work, base, "s3://patches/feed", f"http://127.0.0.1:{public}/feed")
    finally:
        for child in children:
            child.kill()
            child.wait()
        shutil.rmtree(work)


main()
