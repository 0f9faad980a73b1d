#!/usr/bin/env python3
"""A month of a service on five machines: its events, its feed, and the page of its report.

    month.py PATCHPACK PAGE.html

The tool runs under faketime, on a real feed; the machines send the lines of docs/events.md. In November 2026, three versions of a patch are
offered to the machine of the group canary, and `patchpack feed advance` looks each hour. It widens the first one and the third one to all. The
second one fails for some requests: it is paused with the next look, and withdrawn two hours later.
"""

import datetime
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

TOOL, PAGE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
START = datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc)
ID = "com.example.files.guard"
MACHINES = ["files-0", "files-1", "files-2", "files-3", "files-4"]
CANARY = MACHINES[0]
# The hours in which a version is published.
PUBLISHED = {33: 1, 225: 2, 345: 3}
GATES = ["--gate", "failing=0", "--gate", "rolled-back=0"]


class Fleet:
    def __init__(self, folder):
        self.folder = folder
        self.random = random.Random(5)
        self.events = open(folder / "events.jsonl", "a")
        self.runs = dict.fromkeys(MACHINES)  # the version that runs on each machine
        for name in ("root", "release", "online"):
            self.tool(0, "keygen", "-q", "--profile", "modern", "--signing-only", "-o", f"keys/{name}")
        self.tool(0, "keygen", "-q", "--profile", "modern", "-o", "keys")
        self.tool(0, "feed", "init", "-q", "feed", "--app", "com.example.files", "--root-key", "keys/root/signing.pem",
                  "--release-key", "keys/release/signing.pem", "--online-key", "keys/online/signing.pem")

    def tool(self, hour, *arguments, allowed=(0,)):
        time = (START + datetime.timedelta(hours=hour)).strftime("%Y-%m-%d %H:%M:%S")
        run = subprocess.run(["faketime", "-f", time, TOOL, *arguments], cwd=self.folder, capture_output=True, text=True,
                             env=os.environ | {"TZ": "UTC", "NO_COLOR": "1", "PATCHPACK_AUTHOR": "ada"})
        if run.returncode not in allowed:
            sys.exit(f"{arguments}: {run.returncode}\n{run.stdout}{run.stderr}")
        return run.stdout

    def change(self, hour, action, *arguments, allowed=(0,)):
        return self.tool(hour, "feed", action, "feed", *arguments, "--key", "keys/online/signing.pem", allowed=allowed)

    def publish(self, hour, version):
        (self.folder / "guard.lua").write_text(
            f"-- @patch {ID}\n-- @version {version}\n-- @app com.example.files\n-- @replaces Files.allows\n"
            'patch.replace("Files.allows", function(original, path) return original(path) end)\n')
        self.tool(hour, "pack", "-q", "--force", "guard.lua", "-o", "dist", "--signing-key", "keys/signing.pem", "--script-key", "keys/script.key")
        self.change(hour, "publish", "dist/guard.js", "-q", "--group", "canary", "--key", "keys/release/signing.pem",
                    "--trusted-key", "keys/trusted.pem", "--script-key", "keys/script.key")

    def offered(self, machine, hour):
        """The highest version that the feed offers to a machine."""
        entries = json.loads(self.tool(hour, "feed", "status", "feed", "--format", "json"))["patches"]
        return max((entry["version"] for entry in entries if entry["state"] == "active" and (
            entry.get("rollout", {}).get("permyriad") == 10_000 or machine == CANARY and "canary" in entry.get("groups", []))), default=None)

    def send(self, machine, event, hour, minute, version=None, **attributes):
        time = START + datetime.timedelta(hours=hour, minutes=minute, milliseconds=self.random.randrange(60_000))
        patch = {"patch.id": ID, "patch.version": version} if version else {}
        groups = {"device.groups": ["canary"]} if machine == CANARY else {}
        self.events.write(json.dumps({
            "schema": "patchpack.event/1", "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03}Z",
            "resource": {"app.installation.id": machine, "service.name": "com.example.files", "service.version": "1.0",
                         "deployment.environment.name": "release", "os.name": "Debian", "os.version": "12", **groups},
            "severityNumber": 17 if event == "failed" else 9, "eventName": event, "attributes": {**patch, **attributes}}) + "\n")

    def live(self, machine, hour, version):
        """An hour of a machine: it syncs, and its requests call the patch."""
        old = self.runs[machine]
        if hour % 168 == 0:  # the weekly restart
            self.send(machine, "launched", hour, 0, **{"patch.running": [{"patch.id": ID, "patch.version": old}] if old else []})
        if version != old:
            if old and version and version < old:
                self.send(machine, "withdrawn", hour, 1, old)
            elif old:
                self.send(machine, "deactivated", hour, 1, old)
            self.send(machine, "activated", hour, 2, version)
            self.send(machine, "trial" if version > (old or 0) else "confirmed", hour, 3, version)
            if version > (old or 0):
                self.send(machine, "confirmed", hour, 13, version)
            self.runs[machine] = version
        if machine == "files-3" and hour in (470, 471):  # a switch of the network was out of order
            self.send(machine, "sync-failed", hour, 20, **{"error.type": "feed-unavailable", "error.message": "patches.example.com: no route to host"})
        else:
            self.send(machine, "synced", hour, 20, **{"sync.bytes": 470, "sync.milliseconds": 9})
        if version:
            calls = self.random.randrange(200, 900)
            failures = calls // 50 if version == 2 else 0
            if failures:
                self.send(machine, "failed", hour, 25, version, **{
                    "event.count": failures, "code.function.name": "Files.allows", "error.type": "script", "code.file.path": "guard.lua",
                    "code.line.number": 6, "error.message": "attempt to index a nil value"})
            measured = max(1, calls // 64)
            self.send(machine, "called", hour, 58, version, **{
                "patch.calls": calls, "patch.failures": failures, "patch.fallbacks": failures, "patch.measured": measured,
                "patch.nanoseconds": measured * self.random.randrange(2_000, 3_000), "patch.longest": self.random.randrange(5_000, 90_000),
                "patch.times": [measured]})
        self.events.flush()

    def month(self):
        rollout, version = None, {}
        for hour in range(30 * 24):
            if hour % 120 == 0:
                self.change(hour, "refresh", "-q")
            if hour in PUBLISHED:
                rollout = PUBLISHED[hour]
                self.publish(hour, rollout)
            if hour == 228:
                self.change(hour, "withdraw", ID, "--reason", "fails for a path without a dot", "-q")
            if rollout or hour == 228:
                version = {machine: self.offered(machine, hour) for machine in MACHINES}
            for machine in MACHINES:
                self.live(machine, hour, version.get(machine))
            if rollout:
                said = self.change(
                    hour + 0.99, "advance", ID, "--patch-version", f"{rollout}", "--events", "events.jsonl", "--author", "cron",
                    "--steps", "group canary,100%", "--new-devices", "1", "--soak", "4h", *GATES, allowed=(0, 20))
                print(f"{hour:4}  {said.splitlines()[0]}")
                if said.startswith(("complete", "paused")):
                    rollout = None
        self.tool(30 * 24, "report", "events.jsonl", "--feed", "feed", *GATES, "--html", PAGE, "--force", allowed=(0, 20))


def main():
    with tempfile.TemporaryDirectory(prefix="patchpack-month.") as folder:
        Fleet(pathlib.Path(folder)).month()


main()
