#!/usr/bin/env python3
"""Takes releases through a simulated fleet with `patchpack feed advance`, an hour at a time.

    advance.py PATCHPACK DEVICES

The tool runs under faketime, on a real feed; the devices are in the buckets of docs/feed.md, and send the lines of docs/events.md. A device
syncs every four hours on average. Prints the events of each hour, and fails if the bad release is offered to more than 1 percent, if the
good one does not reach everybody, or if the one whose collector dies goes on.

Three more begin in shadow, on a tenth of all devices: one that rounds wrongly in 2 % of the calls, one that fails for one kind of input, and
the fix of a bug that 0.1 % of the calls meet. Fails if one of the first two ever answers, or if the fix does not reach everybody.
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
# A release in shadow: the share of calls in which it would answer otherwise, and the share of devices whose input it fails for.
SHADOWS = {"rounds wrongly": (0.02, 0), "fails for one kind of input": (0, 0.02), "fix": (0.001, 0)}


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


def line(event, device, hour, **attributes):
    moment = START + datetime.timedelta(hours=hour, seconds=random.randrange(3500))
    return json.dumps({
        "schema": "patchpack.event/1", "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "resource": {"app.installation.id": str(device), "service.name": "com.example.shop", "service.version": "2.3.1"},
        "severityNumber": 9, "eventName": event, "attributes": {"patch.id": ID, "patch.version": VERSION, **attributes}})


def advance(hour, *options):
    """Refreshes the feed in each second hour, and advances. Returns what the tool said first, and the patch as it is listed then."""
    if hour % 2 == 0:
        run(hour, "feed", "refresh", "feed", "-q", *KEYS)
    said = run(hour, "feed", "advance", "feed", ID, "--events", "events", *options, *KEYS, allowed=(0, 20)).splitlines()[0]
    entry = json.loads(run(hour, "feed", "status", "feed", "--format", "json"))["patches"][0]
    return said.replace(f"  {ID} {VERSION}", ""), entry


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
        said, entry = advance(hour, "--gate", "failing<0.5%", "--gate", "rolled-back<0.5%")
        row = f"{hour:4}  {permyriad / 100:8.4g} %  {sum(has):15,}  {failed:16,}  "
        print(row + said)
        state, permyriad = entry["state"], entry["rollout"]["permyriad"]
        if said.startswith("complete"):
            break
    return state, permyriad


def compared(device, hour, differs, fails):
    """The counts of a device in an hour, and how many calls it has compared. What fails does so in one of twenty calls."""
    calls = random.randrange(20, 200)
    differed = sum(random.random() < differs for _ in range(calls))
    failed = sum(random.random() < 0.05 for _ in range(calls)) if fails else 0
    counts = {"agreed": calls - differed - failed, "differed": differed, "failed": failed, "incomparable": 0}
    attributes = {f"shadow.{name}": count for name, count in counts.items()}
    return calls, line("compared", device, hour, **{"code.function.name": "Cart.total", "patch.nanoseconds": 9000 * calls}, **attributes)


def simulate_shadow(name):
    differs, failing = SHADOWS[name]
    random.seed(name)
    buckets = [bucket(device) for device in range(DEVICES)]
    fails = [random.random() < failing for _ in range(DEVICES)]
    # What a device does with the patch, after its last sync.
    has = [None] * DEVICES
    pathlib.Path("events").mkdir()
    run(0, "feed", "publish", "feed", "dist/cart-total.js", "--shadow", "--rollout", "10%", "-q", *KEYS, "--key", "release/signing.pem",
        "--trusted-key", "keys/trusted.pem", "--script-key", "keys/script.key")
    state, permyriad, hour, calls = "shadow", 1000, 0, 0
    print(f"\n{name}: would answer {differs:.1%} of all calls otherwise, and fail on {failing:.0%} of all devices")
    print("hour  offered to  in shadow  live  calls compared  feed advance")
    while hour < 24 and state in ("shadow", "active"):
        lines = []
        for device in range(DEVICES):
            if random.random() < 0.25:
                now = state if buckets[device] < permyriad else None
                if now == "active" and has[device] != "active":
                    lines.append(line("activated", device, hour))
                has[device] = now
            if has[device] == "shadow":
                count, text = compared(device, hour, differs, fails[device])
                calls += count
                lines.append(text)
        pathlib.Path(f"events/{hour:03}.jsonl").write_text("".join(text + "\n" for text in lines))
        hour += 1
        said, entry = advance(hour, "--steps", "shadow,1%,5%,25%,100%", "--gate", "differs<0.5%", "--gate", "failing<0.5%")
        print(f"{hour:4}  {permyriad / 100:8.4g} %  {has.count('shadow'):9,}  {has.count('active'):6,}  {calls:14,}  "
              + said)
        state, permyriad = entry["state"], entry["rollout"]["permyriad"]
        if said.startswith("complete"):
            break
    return state, permyriad, has.count("active")


def main():
    with tempfile.TemporaryDirectory() as folder:
        outcomes = {}
        for name in [*RELEASES, *SHADOWS]:
            work = pathlib.Path(folder) / name
            work.mkdir()
            os.chdir(work)
            for key in ("keys", "root", "release", "online"):
                run(0, "keygen", "--profile", "modern", "-o", key, "-q")
            run(0, "pack", str(ROOT / "examples/patches/cart-total.lua"), "-o", "dist", "--no-lint", "-q",
                "--signing-key", "keys/signing.pem", "--script-key", "keys/script.key")
            run(0, "feed", "init", "feed", "--app", "com.example.shop", "-q", "--root-key", "root/signing.pem",
                "--release-key", "release/signing.pem", "--online-key", "online/signing.pem")
            outcomes[name] = simulate(name) if name in RELEASES else simulate_shadow(name)
    expected = {"bad": ("paused", 100), "good": ("active", 10_000)}
    wrong = {name: outcomes[name] for name in expected if outcomes[name] != expected[name]}
    if outcomes["mute"][0] != "active" or outcomes["mute"][1] == 10_000:
        wrong["mute"] = outcomes["mute"]
    for name in ("rounds wrongly", "fails for one kind of input"):
        if outcomes[name][0] != "paused" or outcomes[name][2] != 0:
            wrong[name] = outcomes[name]
    if outcomes["fix"][:2] != ("active", 10_000):
        wrong["fix"] = outcomes["fix"]
    if wrong:
        sys.exit(f"not as it must be: {wrong}")


main()
