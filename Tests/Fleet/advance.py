#!/usr/bin/env python3
"""Takes a bad, a good and a mute release through a simulated fleet with `patchpack feed advance`, an hour at a time.

    advance.py PATCHPACK DEVICES

The tool runs under faketime, on a real feed; the devices are in the buckets of docs/feed.md, and send the lines of docs/events.md. A device
syncs every four hours on average. Prints the events of each hour, and fails if the bad release is offered to more than 1 percent, if the
good one does not reach everybody, or if the one whose collector dies goes on.
"""

import datetime
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

TOOL, DEVICES = os.path.abspath(sys.argv[1]), int(sys.argv[2])
ROOT = pathlib.Path(__file__).resolve().parents[2]
ID, VERSION = "com.example.shop.cart-total", 7
START = datetime.datetime(2027, 3, 1, tzinfo=datetime.timezone.utc)
KEYS = ["--key", "online/signing.pem"]

# A release: the share of devices on which it fails, and the hour in which its collector dies.
RELEASES = {"bad": (0.02, None), "good": (0.0005, None), "mute": (0.0005, 8)}


def bucket(device):
    text = f"patchpack rollout 1\n{ID}\n{device}"
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) % 10_000


def run(hour, *arguments, allowed=(0,)):
    """Runs the tool at the beginning of an hour."""
    time = (START + datetime.timedelta(hours=hour)).strftime("%Y-%m-%d %H:%M:%S")
    done = subprocess.run(["faketime", "-f", time, TOOL, *arguments], capture_output=True, text=True,
                          env=dict(os.environ, TZ="UTC", NO_COLOR="1", USER="cron"))
    if done.returncode not in allowed:
        sys.exit(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def line(event, device, hour):
    moment = START + datetime.timedelta(hours=hour, seconds=random.randrange(3500))
    return json.dumps({
        "schema": "patchpack.event/1", "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "resource": {"app.installation.id": str(device), "service.name": "com.example.shop", "service.version": "2.3.1"},
        "severityNumber": 9, "eventName": event, "attributes": {"patch.id": ID, "patch.version": VERSION}})


def simulate(name):
    rate, death = RELEASES[name]
    random.seed(name)
    buckets = [bucket(device) for device in range(DEVICES)]
    fails = [random.random() < rate for _ in range(DEVICES)]
    has = [False] * DEVICES
    pathlib.Path("events").mkdir()
    run(0, "feed", "publish", "feed", "dist/cart-total.js", "--rollout", "1%", "-q", *KEYS, "--key", "release/signing.pem",
        "--trusted-key", "keys/trusted.pem", "--script-key", "keys/script.key")
    state, permyriad, hour, failed = "active", 100, 0, 0
    print(f"\n{name}: fails on {rate:.2%} of devices" + (f", and its collector dies after {death} hours" if death else ""))
    print("hour  offered to  devices with it  of these failing  feed advance")
    while hour < 16 and state == "active":
        lines = []
        for device in range(DEVICES):
            if not has[device] and buckets[device] < permyriad and random.random() < 0.25:
                has[device] = True
                lines.append(line("activated", device, hour))
                if fails[device]:
                    lines.append(line("failed", device, hour))
                    failed += 1
        if lines and (death is None or hour < death):
            pathlib.Path(f"events/{hour:03}.jsonl").write_text("\n".join(lines) + "\n")
        hour += 1
        if hour % 2 == 0:
            run(hour, "feed", "refresh", "feed", "-q", *KEYS)
        said = run(hour, "feed", "advance", "feed", ID, "--events", "events", "--gate", "failing<0.5%", "--gate",
                   "rolled-back<0.5%", *KEYS, allowed=(0, 20)).splitlines()
        row = f"{hour:4}  {permyriad / 100:8.4g} %  {sum(has):15,}  {failed:16,}  "
        print(row + said[0].replace(f"  {ID} {VERSION}", ""))
        status = json.loads(run(hour, "feed", "status", "feed", "--format", "json"))
        entry = status["patches"][0]
        state, permyriad = entry["state"], entry["rollout"]["permyriad"]
        if said[0].startswith("complete"):
            break
    return state, permyriad


def main():
    with tempfile.TemporaryDirectory() as folder:
        outcomes = {}
        for name in RELEASES:
            work = pathlib.Path(folder) / name
            work.mkdir()
            os.chdir(work)
            for key in ("keys", "root", "release", "online"):
                run(0, "keygen", "--profile", "modern", "-o", key, "-q")
            run(0, "pack", str(ROOT / "examples/patches/cart-total.lua"), "-o", "dist", "--no-lint", "-q",
                "--signing-key", "keys/signing.pem", "--script-key", "keys/script.key")
            run(0, "feed", "init", "feed", "--app", "com.example.shop", "-q", "--root-key", "root/signing.pem",
                "--release-key", "release/signing.pem", "--online-key", "online/signing.pem")
            outcomes[name] = simulate(name)
    expected = {"bad": ("paused", 100), "good": ("active", 10_000)}
    wrong = {name: outcomes[name] for name in expected if outcomes[name] != expected[name]}
    if outcomes["mute"][0] != "active" or outcomes["mute"][1] == 10_000:
        wrong["mute"] = outcomes["mute"]
    if wrong:
        sys.exit(f"not as it must be: {wrong}")


main()
