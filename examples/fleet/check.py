#!/usr/bin/env python3
"""Compares `patchpack report` with the same figures from ClickHouse's own engine (chdb), over the same lines.

    check.py PATCHPACK EVENTS...             compares every figure of every patch; exits with 1 if one differs
    check.py PATCHPACK --fleets N [SEED]     the same for made-up fleets, with shadows, other apps, installations that lie, and damage
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from chdb import session

HERE = pathlib.Path(__file__).resolve().parent
FIGURES = ["devices", "running", "failing", "rolledBack", "suspected", "refused", "inShadow", "shadowed", "trial", "good", "over", "withdrawn", "calls", "failures",
           "fallbacks", "agreed", "differed", "failed", "incomparable", "meanNanoseconds", "longestNanoseconds"]
ORIGIN = ("com.example.shop", "release")


class Engine:
    """The tables and the query of this folder."""

    def __init__(self):
        self.database = session.Session()
        for statement in (HERE / "clickhouse.sql").read_text().split(";\n"):
            if any(not line.startswith("--") for line in statement.strip().splitlines()):
                self.database.query(statement)
        self.report = (HERE / "report.sql").read_text().rstrip().rstrip(";")
        # Other questions about the same devices.
        self.beginning = self.report[:self.report.index("SELECT\n    patch AS id")]

    def figures(self, files, origin):
        database = self.database
        database.query("TRUNCATE TABLE events")
        for file in files:
            database.query(f"INSERT INTO events_lines SELECT line FROM file('{file}', 'LineAsString', 'line String')")
        params = dict(zip(("app", "environment"), origin or ("", "")))

        def query(text, output="TSV"):
            return str(database.query(text, output, params=params))

        rows = [json.loads(row) for row in query(self.report, "JSONEachRow").splitlines()]
        devices = int(query(f"{self.beginning} SELECT uniqExact(device) FROM own"))
        counted = "(SELECT patch, version, device FROM judged WHERE is_counted)"
        versions = query(f"""{self.beginning}
            SELECT patch, version, newest, count() FROM
                (SELECT patch, version, device, argMax(app_version, arrayMap(x -> toUInt32OrZero(x), splitByChar('.', app_version))) AS newest
                FROM mentions WHERE (patch, version, device) IN {counted} GROUP BY patch, version, device)
            GROUP BY ALL""")
        systems = query(f"""{self.beginning}
            SELECT patch, version, named, count() FROM
                (SELECT patch, version, device, any(system) AS named FROM mentions
                WHERE system != '' AND (patch, version, device) IN {counted} GROUP BY patch, version, device)
            GROUP BY ALL""")
        hours = query(f"""{self.beginning}
            SELECT patch, version, toString(toStartOfHour(first)), count() FROM
                (SELECT patch, version, device, min(time) AS first FROM mentions
                WHERE toUnixTimestamp64Milli(time) > 0 AND (patch, version, device) IN {counted} GROUP BY patch, version, device)
            GROUP BY ALL""")
        return devices, rows, table(versions), table(systems), table(hours)


def table(text):
    return {tuple(row.split("\t")[:-1]): int(row.split("\t")[-1]) for row in text.splitlines()}


def strip(counts):
    while counts and counts[-1] == 0:
        counts = counts[:-1]
    return counts


def number(value):
    return None if value is None else int(value)


def compare_all(tool, engine, files, feed=None):
    """The figures that differ, and how many were compared. With a feed, only events of its app and environment count."""
    options = ["--feed", feed] if feed else []
    run = subprocess.run([tool, "report", "--format", "json", *options, *files], capture_output=True)
    report = json.loads(run.stdout)
    devices, rows, versions, systems, hours = engine.figures(files, ORIGIN if feed else None)
    wrong = []

    def compare(what, ours, theirs):
        if ours != theirs:
            wrong.append(f"{what}: patchpack {ours}, ClickHouse {theirs}")

    compared = 2
    compare("devices", report["devices"], devices)
    compare("patches", [(p["id"], p["version"]) for p in report["patches"]], [(r["id"], int(r["version"])) for r in rows])
    by_name = {(row["id"], int(row["version"])): row for row in rows}
    for patch in report["patches"]:
        row = by_name.get((patch["id"], patch["version"]))
        if not row:
            continue
        name = (patch["id"], str(patch["version"]))
        for figure in FIGURES:
            compare(f"{name} {figure}", (patch["compared"] | patch)[figure], number(row[figure]))
        compare(f"{name} times", strip(patch["times"]), strip([int(count) for count in row["times"]]))
        first = patch["firstFailure"]
        compare(f"{name} first failure", first[:16].replace("T", " ") if first else "1970-01-01 00:00", row["firstFailure"][:16])
        for version in patch["appVersions"]:
            compare(f"{name} on {version['version']}", version["devices"], versions.get((*name, version["version"])))
        for system in patch["systems"]:
            compare(f"{name} on {system['system']}", system["devices"], systems.get((*name, system["system"])))
        new = [hour for hour in patch["hours"] if hour["newDevices"]]
        for hour in new:
            key = (*name, hour["hour"][:19].replace("T", " "))
            compare(f"{name} new at {hour['hour']}", hour["newDevices"], hours.get(key))
        compared += len(FIGURES) + 2 + len(patch["appVersions"]) + len(patch["systems"]) + len(new)
    return wrong, compared, report["input"]["events"]


def made_up(seed):
    """The lines of a fleet of which some devices shadow a patch that is live, some are of other apps, and some send anything."""
    chance = random.Random(seed)
    now = int(time.time()) - 3600
    lines = []

    def line(event, device, at, attributes, place=ORIGIN, app="2.3.1"):
        resource = {"app.installation.id": device, "service.name": place[0], "service.version": app, "os.name": "Debian", "os.version": "12"}
        if place[1]:
            resource["deployment.environment.name"] = place[1]
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{at % 1000:03}Z"
        lines.append(json.dumps({"schema": "patchpack.event/1", "timestamp": stamp, "resource": resource, "severityNumber": 9,
                                 "eventName": event, "attributes": attributes}))

    went_live, withdrawn = chance.choice([0, 600, 9999]), chance.choice([1200, 9999])
    for device in map(str, range(chance.randrange(5, 400))):
        place = chance.choices([ORIGIN, (ORIGIN[0], ""), (ORIGIN[0], "debug"), ("com.example.other", "release")], [8, 1, 1, 1])[0]
        patch = {"patch.id": "com.example.shop.tax", "patch.version": chance.choice([7, 7, 8])}
        if chance.random() < 0.7:
            line("compared", device, now + chance.randrange(500), patch | {
                "code.function.name": chance.choice(["A.a", "B.b"]), "shadow.agreed": chance.randrange(90),
                "shadow.differed": chance.randrange(2), "shadow.failed": chance.choice([0, 0, 1]), "patch.nanoseconds": 700}, place)
        if went_live < 9999 and chance.random() < 0.6:
            at = now + went_live + chance.randrange(300)
            line("trial", device, at, patch, place)
            line("activated", device, at, patch, place)
            if chance.random() < 0.5:
                line("launched", device, at + 50, {"patch.running": [patch] if chance.random() < 0.8 else []}, place, "2.10.0")
            if chance.random() < 0.3:
                line("failed", device, at + 60, patch | {"code.function.name": "A.a", "error.type": "script", "error.message": "no"}, place)
            line("called", device, at + 70, patch | {"patch.calls": chance.randrange(500), "patch.failures": chance.randrange(3),
                 "patch.measured": 4, "patch.nanoseconds": 9000, "patch.longest": 5000, "patch.times": [3, 1]}, place)
            end = chance.choice(["confirmed", "rolled-back", "closed", "refused", "expired", "none", "none"])
            if end != "none":
                reason = chance.choice(["no", "launches failed while it was on trial with others"])
                line(end, device, at + 100, patch | {"patch.reason": reason}, place)
            if withdrawn < 9999 and chance.random() < 0.5:
                line("deactivated", device, now + withdrawn, patch, place)
                line("withdrawn", device, now + withdrawn, patch, place)
            if chance.random() < 0.05:
                line("compared", device, now + 1300, patch | {"code.function.name": "A.a", "shadow.agreed": 1}, place)
    names = ["compared", "activated", "deactivated", "failed", "called", "trial", "confirmed", "rolled-back", "closed", "refused", "launched",
             "expired", "withdrawn", "fell-back", "loaded", "unheard-of"]
    counts = [0, 1, 7, 2**53, 2**63 - 1, 2**63 - 1]
    bad = [-1, 1.5, "x", 2**63, True]
    for liar in range(chance.randrange(3)):
        for _ in range(40):
            attributes = {"patch.id": chance.choice(["com.example.shop.tax", "com.example.made", "x"]),
                          "patch.version": chance.choice([7, 8, 9, 0, -1, 2**31, "7"])}
            for key in ["patch.calls", "patch.failures", "patch.measured", "patch.nanoseconds", "shadow.agreed", "shadow.failed", "event.count"]:
                if chance.random() < 0.3:
                    attributes[key] = chance.choice(counts if chance.random() < 0.9 else bad)
            if chance.random() < 0.3:
                attributes |= {"code.function.name": chance.choice(["A.a", "a b"]), "error.type": chance.choice(["script", "a b"])}
            if chance.random() < 0.3:
                attributes["patch.times"] = [chance.choice(counts) for _ in range(chance.randrange(14))]
            at = chance.choice([now, now + 900, now + 12 * 3600, now + 3 * 86400, 0, 1_000_000_000])
            line(chance.choice(names), f"liar {liar}", at, attributes, chance.choice([ORIGIN, ("com.example.other", "release")]),
                 chance.choice(["2.3.1", "2.4", "x"]))
    chance.shuffle(lines)
    for _ in range(chance.randrange(5)):
        lines[chance.randrange(len(lines))] = chance.choice(["{", "", lines[0][:100], '{"schema":"other/1"}', lines[0] + "}"])
    return lines


def fleets(tool, engine, count, seed):
    wrong, compared, events = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "events.jsonl"
        feed = make_feed(tool, folder)
        for number in range(seed, seed + count):
            file.write_text("\n".join(made_up(number)) + "\n")
            for place in [None, feed]:
                differing, figures, lines = compare_all(tool, engine, [str(file)], place)
                wrong += [f"fleet {number}{' of the feed' if place else ''}: {text}" for text in differing]
                compared, events = compared + figures, events + lines
    return wrong, compared, events


def make_feed(tool, folder):
    """A feed without patches, which names the app and the environment."""
    path = pathlib.Path(folder)
    for role in ["root", "release", "online"]:
        subprocess.run([tool, "keygen", "--profile", "modern", "-q", "-o", path / role], check=True)
    keys = [part for role in ["root", "release", "online"] for part in (f"--{role}-key", path / role / "signing.pem")]
    subprocess.run([tool, "feed", "init", path / "feed", "-q", "--app", ORIGIN[0], "--environment", ORIGIN[1], *keys], check=True)
    return str(path / "feed")


def main():
    tool, files = sys.argv[1], sys.argv[2:]
    engine = Engine()
    if files[0] == "--fleets":
        wrong, compared, events = fleets(tool, engine, int(files[1]), int(files[2]) if len(files) > 2 else 1)
    else:
        wrong, compared, events = compare_all(tool, engine, files)
    print("\n".join(wrong[:50]) or f"{compared} figures of {events} events are the same")
    sys.exit(bool(wrong))


main()
