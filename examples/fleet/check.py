#!/usr/bin/env python3
"""Compares `patchpack report` with the same figures from ClickHouse's own engine (chdb), over the same lines.

    check.py PATCHPACK EVENTS...     compares every figure of every patch; exits with 1 if one differs
"""

import json
import pathlib
import subprocess
import sys

from chdb import session

HERE = pathlib.Path(__file__).resolve().parent
FIGURES = ["devices", "running", "failing", "rolledBack", "suspected", "refused", "inShadow", "shadowed", "trial", "good", "over", "withdrawn", "calls", "failures",
           "fallbacks", "agreed", "differed", "failed", "incomparable", "meanNanoseconds", "longestNanoseconds"]


def clickhouse(files):
    database = session.Session()
    for statement in (HERE / "clickhouse.sql").read_text().split(";\n"):
        if any(not line.startswith("--") for line in statement.strip().splitlines()):
            database.query(statement)
    for file in files:
        database.query(f"INSERT INTO events_lines SELECT line FROM file('{file}', 'LineAsString', 'line String')")
    rows = str(database.query((HERE / "report.sql").read_text().rstrip().rstrip(";"))).splitlines()
    devices = int(str(database.query("SELECT uniqExact(device) FROM events", "TSV")))
    versions = str(database.query("""
        SELECT patch, version, app_version, count() FROM
            (SELECT patch, version, device, argMax(app_version, arrayMap(x -> toUInt32OrZero(x), splitByChar('.', app_version))) AS app_version
            FROM events WHERE patch != '' GROUP BY patch, version, device)
        GROUP BY ALL""", "TSV"))
    systems = str(database.query("""
        SELECT patch, version, named, count() FROM
            (SELECT patch, version, device, any(system) AS named FROM events WHERE patch != '' AND system != ''
            GROUP BY patch, version, device)
        GROUP BY ALL""", "TSV"))
    hours = str(database.query("""
        SELECT patch, version, toString(toStartOfHour(first)), count() FROM
            (SELECT patch, version, device, min(time) AS first FROM believed WHERE patch != '' AND toUnixTimestamp64Milli(time) > 0 GROUP BY patch, version, device)
        GROUP BY ALL""", "TSV"))
    return devices, [json.loads(row) for row in rows], table(versions), table(systems), table(hours)


def table(text):
    return {tuple(row.split("\t")[:-1]): int(row.split("\t")[-1]) for row in text.splitlines()}


def strip(counts):
    while counts and counts[-1] == 0:
        counts = counts[:-1]
    return counts


def number(value):
    return None if value is None else int(value)


def main():
    tool, files = sys.argv[1], sys.argv[2:]
    report = json.loads(subprocess.run([tool, "report", "--format", "json", *files], check=True, capture_output=True).stdout)
    devices, rows, versions, systems, hours = clickhouse(files)
    wrong = []

    def compare(what, ours, theirs):
        if ours != theirs:
            wrong.append(f"{what}: patchpack {ours}, ClickHouse {theirs}")

    compared = 2
    compare("devices", report["devices"], devices)
    compare("patches", [(p["id"], p["version"]) for p in report["patches"]], [(r["id"], int(r["version"])) for r in rows])
    for patch, row in zip(report["patches"], rows):
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
    print("\n".join(wrong) or f"{compared} figures of {report['input']['events']} events are the same")
    sys.exit(bool(wrong))


main()
