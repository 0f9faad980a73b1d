#!/usr/bin/env python3
"""Patches a service of four workers while they are under load, and prints each second which worker gave which answers.

    run.py SERVICE PATCHPACK

SERVICE is the program in this folder, built. Workers share a port and a folder, and one that ends is started again, as systemd would.
Exit status: 0 if every step ended as it should, 1 if not.
"""

import collections
import functools
import http.client
import http.server
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

WORKERS = 4
INTERVAL = 1.0
SERVICE, PATCHPACK = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])

GUARD = """\
-- @patch com.example.files.guard
-- @version {version}
-- @app com.example.files
-- @replaces Files.allows
patch.replace("Files.allows", function(original, path)
  return not path:find("..", 1, true) and original(path)
end, {{otherwise = false}})
"""

# The app takes this number of lines. A negative number ends the process.
CRASH = """\
-- @patch com.example.files.lines
-- @version 1
-- @app com.example.files
-- @replaces Files.lines
patch.replace("Files.lines", function() return -1 end)
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Feed:
    """A feed, its keys, and a server of its files."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("keys", "root", "release", "online"):
            self.tool("keygen", "-q", "--profile", "modern", "-o", name)
        self.tool("feed", "init", "feed", "--app", "com.example.files", "--root-key", "root/signing.pem",
                  "--release-key", "release/signing.pem", "--online-key", "online/signing.pem")
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder / "feed"))
        handler.func.log_message = lambda *_: None
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tool(self, *arguments):
        run = subprocess.run([PATCHPACK, *arguments], cwd=self.folder, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"patchpack {' '.join(arguments)}: {run.stderr}")
        return run.stdout

    def publish(self, script, *options):
        (self.folder / "patch.lua").write_text(script)
        self.tool("pack", "-q", "--force", "patch.lua", "-o", "patch.js", "--signing-key", "keys/signing.pem", "--script-key", "keys/script.key")
        self.tool("feed", "publish", "feed", "patch.js", "--rollout", "100%", "--key", "release/signing.pem", "--key", "online/signing.pem",
                  "--trusted-key", "keys/trusted.pem", "--script-key", "keys/script.key", *options)

    def change(self, *arguments):
        self.tool("feed", arguments[0], "feed", *arguments[1:], "--key", "online/signing.pem")


class Service:
    """The workers. A worker takes the place in the table of the process that it replaces."""

    def __init__(self, folder, feed):
        self.folder, self.port = folder, free_port()
        self.environment = os.environ | {
            "PORT": str(self.port), "STATE_DIRECTORY": str(folder / "state"), "PATCH_FEED": f"http://127.0.0.1:{feed.server.server_port}",
            "PATCH_INTERVAL_MILLISECONDS": str(int(INTERVAL * 1000)), "PATCH_ROOT": str(folder / "feed/metadata/1.root.json"),
            "PATCH_TRUSTED_KEY": str(folder / "keys/trusted.pem"), "PATCH_SCRIPT_KEY": str(folder / "keys/script.key"),
            "SWIFT_BACKTRACE": "enable=no",
        }
        self.log = open(folder / "log", "a")
        self.lock = threading.Lock()
        self.crashes, self.stops, self.pauses = 0, False, False
        self.workers = [self.start() for _ in range(WORKERS)]
        threading.Thread(target=self.supervise, daemon=True).start()

    def start(self, *arguments):
        return subprocess.Popen([SERVICE, *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)

    def supervise(self):
        while not self.stops:
            with self.lock:
                for place, worker in enumerate(self.workers):
                    if worker.poll() is not None and not self.pauses:
                        if worker.returncode not in (0, -signal.SIGKILL):
                            self.crashes += 1
                        self.workers[place] = self.start()
            time.sleep(0.1)

    def ends_while_the_feed_hangs(self):
        """Whether a worker whose first sync has no answer ends at SIGTERM in an orderly way."""
        with socket.create_server(("127.0.0.1", 0)) as feed:
            worker = subprocess.Popen(
                [SERVICE], env=self.environment | {"PATCH_FEED": f"http://127.0.0.1:{feed.getsockname()[1]}", "PORT": str(free_port())},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)
            try:
                feed.settimeout(30)
                connection, _ = feed.accept()  # is kept open, and nothing is answered
                with connection:
                    worker.send_signal(signal.SIGTERM)
                    return worker.wait(10) == 0
            except (OSError, subprocess.TimeoutExpired):
                worker.kill()
                return False

    def restart(self):
        """Restarts one worker after the other, as a deployment does."""
        for place in range(WORKERS):
            with self.lock:
                old = self.workers[place]
                old.send_signal(signal.SIGTERM)
                if old.wait(10) != 0:
                    self.crashes += 1
                self.workers[place] = self.start()
            time.sleep(INTERVAL / 2)

    def pause(self):
        """Ends all workers. They are started again by `self.pauses = False`."""
        self.pauses = True
        with self.lock:
            for worker in self.workers:
                worker.send_signal(signal.SIGTERM)
            return [worker.wait(10) for worker in self.workers]

    def end(self):
        self.stops = True
        return self.pause()

    def kill(self):
        self.stops = True
        with self.lock:
            for worker in self.workers:
                worker.kill()

    def writer(self):
        """The process that has asked the feed last: the others follow it."""
        return int(re.findall(r"^(\d+) \w+ synced: ", (self.folder / "log").read_text(), re.M)[-1])

    def events(self, name):
        """The processes that have sent an event."""
        return re.findall(rf"^(\d+) \w+ {name}: ", (self.folder / "log").read_text(), re.M)

    def why(self, patch):
        return subprocess.run([PATCHPACK, "store", "why", str(self.folder / "state/patches"), f"com.example.files.{patch}"], capture_output=True, text=True).stdout


class Disk:
    """A small file system for the workers' patches, where this process may mount one. Their logs, which stay open, are beside it."""

    def __init__(self, path):
        self.path = path
        path.mkdir(parents=True)
        self.mount_error = self.mount("-t", "tmpfs", "-o", "size=1m", "tmpfs")

    def mount(self, *arguments):
        """Returns the error of mount; nothing if it has worked."""
        try:
            run = subprocess.run(["mount", *arguments, str(self.path)], capture_output=True, text=True)
        except OSError as error:
            return str(error)
        return (run.stderr.strip() or f"status {run.returncode}") if run.returncode else ""

    def unmount(self):
        if not self.mount_error:
            subprocess.run(["umount", "-l", str(self.path)])

    def fill(self):
        with open(self.path / "other", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def free(self):
        (self.path / "other").unlink()

    def set_read_only(self, is_read_only):
        """Returns the error of mount; nothing if it has worked."""
        return self.mount("-o", "remount,ro" if is_read_only else "remount,rw")


class Load:
    """Clients whose requests the patch refuses or lets through."""

    def __init__(self, service):
        self.service = service
        self.counts, self.times = collections.Counter(), []
        self.lock = threading.Lock()
        self.stops = False
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(8)]
        for thread in self.threads:
            thread.start()

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=2)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, int(answer.headers["Worker"]), answer.read().decode()
        finally:
            connection.close()

    def run(self):
        while not self.stops:
            for path in ("/../key", "/a.txt"):
                began = time.monotonic()
                try:
                    status, worker, _ = self.get(path)
                except (OSError, http.client.HTTPException):
                    status, worker = None, None
                    time.sleep(0.02)
                with self.lock:
                    self.counts[path, status, worker] += 1
                    self.times.append(time.monotonic() - began)

    def take(self):
        with self.lock:
            counts, self.counts = self.counts, collections.Counter()
            return counts

    def latencies(self):
        """The median and the 99th percentile of the requests since this was called last."""
        with self.lock:
            times, self.times = sorted(self.times), []
        return " and ".join(f"{times[len(times) * part // 100] * 1000:.2f} ms" for part in (50, 99))

    def compared(self, outcome):
        """How many calls were compared with a patch in shadow and ended so: in the one worker that writes the folder."""
        pattern = rf'^patchpack_shadow_calls_total{{[^}}]*outcome="{outcome}"}} (\d+)'
        return max(sum(map(int, re.findall(pattern, self.get("/metrics")[2], re.M))) for _ in range(60))


class Table:
    """A line a second: the workers' answers, and the events."""

    def __init__(self, service, load):
        self.service, self.load, self.began = service, load, time.monotonic()
        self.faults = []
        self.may_close = False
        print("second  the original  the patch  lost   the workers  what was done")

    def second(self, event=""):
        """Waits for a second. Returns who answered the path that the patch refuses: `o` the original, `p` the patch, for each worker."""
        time.sleep(1)
        counts = self.load.take()
        with self.service.lock:
            pids = [worker.pid for worker in self.service.workers]
        def answers(status, pid=None):
            return sum(n for (path, s, worker), n in counts.items() if path == "/../key" and s == status and pid in (None, worker))
        lost = sum(n for (_, status, _), n in counts.items() if status is None)
        wrong = sum(n for (path, status, _), n in counts.items() if path == "/a.txt" and status not in (200, None))
        if wrong and not self.may_close:
            self.faults.append(f"{wrong} requests that nothing refuses were not answered")
        def is_closed(pid):
            return any(path == "/a.txt" and s == 403 and worker == pid for path, s, worker in counts)
        def state(pid):
            if is_closed(pid):
                return "c" if not answers(200, pid) else "oc"
            return "op" if answers(200, pid) and answers(403, pid) else "o" if answers(200, pid) else "p" if answers(403, pid) else "-"
        states = [state(pid) for pid in pids]
        print(f"{time.monotonic() - self.began:6.1f}  {answers(200):12}  {answers(403):9}  {lost:4}   {' '.join(f'{state:2}' for state in states)}  {event}", flush=True)
        return states

    def until(self, wanted, limit, event, stopped=None):
        """Waits until all workers answer so, but for one that is stopped. Fails if they do not within the limit, in seconds."""
        began = time.monotonic()
        def are_right(states):
            return all(state == wanted or stopped == worker.pid for state, worker in zip(states, self.service.workers))
        states = self.second(event)
        while not are_right(states) and time.monotonic() - began < limit:
            states = self.second()
        took = time.monotonic() - began
        if not are_right(states):
            self.faults.append(f"{event}: not all answer '{wanted}' after {took:.1f} s: {states}")

    def holds(self, wanted, seconds, event, condition=lambda: True, step=lambda: None):
        """Waits for some seconds, and then until a condition holds. Fails if it does not in half a minute, or if a worker answers otherwise
        meanwhile than in one of the wanted ways. One that has just been started may have had no request. Each second begins with a step."""
        began = time.monotonic()
        for number in range(30):
            step()
            states = self.second("" if number else event)
            if set(states) - {*wanted, "-"}:
                self.faults.append(f"{event}: a worker does not answer '{wanted}': {states}")
            if number + 1 >= seconds and condition():
                return
        self.faults.append(f"{event}: what was to come has not after {time.monotonic() - began:.0f} s")

    def expect(self, condition, fault):
        if not condition:
            self.faults.append(fault)


def main():
    with tempfile.TemporaryDirectory(prefix="patchpack-service.") as name:
        folder = pathlib.Path(name)
        feed = Feed(folder)
        disk = Disk(folder / "state/patches")
        try:
            service = Service(folder, feed)
            try:
                try_out(feed, service, disk)
            finally:
                service.kill()
        finally:
            disk.unmount()


def try_out(feed, service, disk):
    load = Load(service)
    table = Table(service, load)

    def is_good(version):
        return lambda: f"good  com.example.files.guard {version}" in service.why("guard")

    table.until("o", 30, "four workers, no patch")
    load.latencies()
    table.holds("o", 5, "nothing is patched")
    before = load.latencies()
    feed.publish(GUARD.format(version=1), "--shadow")
    table.holds("o", 2, "a good patch is published in shadow", lambda: load.compared("differed") > 0)
    load.latencies()
    table.holds("o", 5, "it answers nothing")
    print(f" half of the requests, and all but one in a hundred, took at most {before} without it, and {load.latencies()} with it")
    table.expect(load.compared("agreed") > 0 and load.compared("failed") == 0, "the shadow was not compared: " + load.get("/metrics")[2])
    feed.change("rollout", "com.example.files.guard", "100%")
    table.until("p", 30, "it is made live")
    table.holds("p", 2, "it stays")

    feed.publish(CRASH)
    table.holds("p", 8, "a patch that crashes is published", lambda: service.crashes >= 2)
    table.holds("p", 2, "it was set aside")
    table.expect(service.crashes == 2, f"{service.crashes} workers have crashed, and not two")
    # The guard is new, too, and was confirmed. So the other one is set aside, and tried once more, alone, at a restart.
    table.expect("suspect  com.example.files.lines 1" in service.why("lines"), "it was not set aside: " + service.why("lines"))

    feed.publish(GUARD.format(version=2))
    service.restart()
    table.holds("p", 1, "version 2 is published, and the workers are restarted")
    service.restart()
    table.holds("p", 4, "they are restarted again", is_good(2))
    table.expect(service.crashes == 3, f"{service.crashes} workers have crashed, and not three")
    table.expect("banned  com.example.files.lines 1" in service.why("lines"), "it is not banned: " + service.why("lines"))

    os.kill(service.writer(), signal.SIGKILL)
    table.holds("p", 3, "the writer is killed")
    feed.publish(GUARD.format(version=3))
    table.holds("p", 5, "version 3 is published", is_good(3))

    # A lower version would take its place.
    for version in ("1", "2", "3"):
        feed.change("withdraw", "com.example.files.guard", "--patch-version", version)
    table.until("o", 30, "the patch is withdrawn")
    feed.change("resume", "com.example.files.guard")
    table.until("p", 30, "it is offered again")
    feed.change("disable")
    table.until("o", 30, "all patches are switched off")
    feed.change("enable")
    table.until("p", 30, "they are switched on again")

    try_workers(feed, service, load, table)
    metrics = load.get("/metrics")[2]
    table.expect('patchpack_running{patch="com.example.files.guard",version="3"} 1' in metrics, "the metrics do not have the patch: " + metrics)
    if disk.mount_error:
        print(f" the full and the read-only disk are left out, because nothing can be mounted here: {disk.mount_error}")
    else:
        disk.fill()
        table.holds("p", 2, "the disk is full")
        feed.change("withdraw", "com.example.files.guard", "--patch-version", "3")
        table.until("o", 30, "the patch is withdrawn")
        disk.free()
        feed.change("resume", "com.example.files.guard")
        table.until("p", 30, "there is room again, and it is offered again")
        table.expect(not disk.set_read_only(True), "the disk cannot be made read-only")
        table.holds("p", 2, "the disk is read-only")
        feed.change("disable")
        table.until("o", 30, "all patches are switched off")
        table.expect(not disk.set_read_only(False), "the disk cannot be made writable")
        feed.change("enable")
        table.until("p", 30, "the disk can be written, and they are switched on again")
        table.expect(not disk.set_read_only(True), "the disk cannot be made read-only")
        feed.change("disable")
        service.restart()
        table.until("o", 30, "it is read-only, all patches are switched off, and the workers are restarted")
        table.expect(not disk.set_read_only(False), "the disk cannot be made writable")

    load.stops = True
    for thread in load.threads:
        thread.join(10)
    table.expect(service.end() == [0] * WORKERS, "a worker did not end in an orderly way")
    table.expect(service.crashes == 3, f"{service.crashes} workers have crashed, and not three")
    table.expect(service.ends_while_the_feed_hangs(), "a worker waits for a feed that hangs, although it is to end")
    for fault in table.faults:
        print(f" error: {fault}")
    if table.faults:
        print((service.folder / "log").read_text()[-20000:], file=sys.stderr)
    sys.exit(1 if table.faults else 0)


def try_workers(feed, service, load, table):
    """What becomes of the others if the writer is killed, stopped or cancelled, or is a job that never syncs; and an attack."""
    guard = "com.example.files.guard"
    table.expect(not service.events("store-failed"), "a worker has asked the feed for itself")
    os.kill(service.writer(), signal.SIGKILL)
    table.holds("p", 4, "the writer is killed in the watch of the patch")

    writer = service.writer()
    os.kill(writer, signal.SIGSTOP)
    for version in ("1", "2", "3"):
        feed.change("withdraw", guard, "--patch-version", version)
    table.until("o", 10, "the writer is stopped, and the patch is withdrawn", stopped=writer)
    table.expect(len(set(service.events("store-failed"))) == WORKERS - 1, "not all of the others have told that it does not sync")
    os.kill(writer, signal.SIGCONT)
    table.until("o", 10, "it continues")
    feed.change("resume", guard)
    table.until("p", 30, "the patch is offered again")

    writer = service.writer()
    os.kill(writer, signal.SIGUSR1)
    feed.change("disable")
    table.until("o", 10, "the writer drains, and all patches are switched off", stopped=writer)
    feed.change("enable")
    table.until("p", 30, "they are switched on again")
    service.restart()

    table.expect(service.pause() == [0] * WORKERS, "a worker did not end in an orderly way")
    job = service.start("job")
    time.sleep(1)
    service.pauses = False
    table.until("p", 20, "a job that never syncs has the folder, and the workers are started")
    feed.change("disable")
    table.until("o", 10, "all patches are switched off")
    job.send_signal(signal.SIGTERM)
    table.expect(job.wait(10) == 0, "the job did not end in an orderly way")
    feed.change("enable")
    table.until("p", 30, "the job has ended, and they are switched on again")

    # Whoever knows a request that crashes the service sends it again and again. The patch is new to all workers.
    feed.publish(GUARD.format(version=4))
    table.until("p", 30, "version 4 is published")
    table.may_close = True
    crashes = service.crashes
    def attack():
        try:
            load.get("/crash")
        except (OSError, http.client.HTTPException):
            pass
    def is_closed():
        return f"closed  {guard} 4" in service.why("guard")
    table.holds(["p", "c"], 5, "requests crash the service", is_closed, attack)
    table.holds(["p", "c"], 10, "and go on", lambda: service.crashes >= crashes + 8, attack)
    table.expect("banned" not in service.why("guard") and is_closed(), "it is not closed: " + service.why("guard"))
    print(service.why("guard"), end="")
    table.until("c", 10, "they end")
    feed.change("withdraw", guard, "--patch-version", "4")
    table.until("p", 30, "the version is withdrawn, and an older one answers")
    table.may_close = False
    service.crashes = 3


main()
