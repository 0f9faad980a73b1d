#!/usr/bin/env python3
"""Compares `patchpack report` with DuckDB, ClickHouse's engine (chdb) and jq: the same figures from the same lines, each with two threads; jq has one.

    reports.py PATCHPACK FILE...     the files of `fleet --events FOLDER DEVICES`

Each way runs three times, one after the other, as a process of its own; the medians are printed. jq reads the first file only.
The ways must agree on the figures, or it exits with 1.
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/fleet"

COLUMNS = {
    "schema": "VARCHAR", "timestamp": "VARCHAR", "eventName": "VARCHAR",
    "resource": 'STRUCT("app.installation.id" VARCHAR, "service.version" VARCHAR)',
    "attributes": """STRUCT("patch.id" VARCHAR, "patch.version" BIGINT, "code.function.name" VARCHAR, "error.type" VARCHAR,
        "error.message" VARCHAR, "event.count" BIGINT, "patch.calls" BIGINT, "patch.failures" BIGINT, "patch.fallbacks" BIGINT,
        "patch.measured" BIGINT, "patch.nanoseconds" BIGINT, "patch.longest" BIGINT, "patch.running" STRUCT("patch.id" VARCHAR, "patch.version" BIGINT)[])""",
}

LOAD = """CREATE TABLE events AS SELECT
    "timestamp"::TIMESTAMP AS time, hash(resource."app.installation.id") AS device, resource."service.version" AS app,
    eventName AS event, attributes."patch.id" AS patch, attributes."patch.version" AS version,
    attributes."code.function.name" AS function, attributes."error.type" AS error, attributes."event.count" AS repeats,
    attributes."patch.calls" AS calls, attributes."patch.failures" AS failures, attributes."patch.fallbacks" AS fallbacks,
    attributes."patch.measured" AS measured, attributes."patch.nanoseconds" AS nanoseconds,
    attributes."patch.longest" AS longest, attributes."patch.running" AS running
FROM read_json(?, format = 'newline_delimited', columns = {columns})
WHERE schema = 'patchpack.event/1' AND resource."app.installation.id" IS NOT NULL"""

STAGES = "('refused', 'trial', 'confirmed', 'withdrawn', 'rolled-back')"

COUNT = f"""
WITH launches AS (SELECT device, max(time) AS last_launch FROM events WHERE event = 'launched' GROUP BY device),
activations AS (
    SELECT patch, version, device, time, event FROM events WHERE event IN ('activated', 'deactivated')
    UNION ALL
    SELECT named."patch.id", named."patch.version", device, time, 'activated'
    FROM (SELECT unnest(running) AS named, device, time FROM events WHERE event = 'launched')),
last_activations AS (
    SELECT patch, version, device, arg_max(event = 'activated', (time, event = 'activated')) AS is_active, max(time) AS since
    FROM activations GROUP BY ALL),
by_device AS (
    SELECT patch, version, device,
        arg_max(event, (time, list_position({STAGES.replace('(', '[').replace(')', ']')}, event)))
            FILTER (event IN {STAGES}) AS stage,
        max(time) FILTER (event IN {STAGES}) AS stage_time,
        bool_or(event = 'failed') AS failed, bool_or(event = 'rolled-back') AS rolled_back, bool_or(event = 'refused') AS refused
    FROM events WHERE version > 0 GROUP BY ALL),
judged AS (
    SELECT *, is_active AND since >= coalesce(last_launch, since)
        AND NOT (coalesce(stage IN ('refused', 'withdrawn', 'rolled-back'), false) AND stage_time >= since) AS runs
    FROM by_device LEFT JOIN last_activations USING (patch, version, device) LEFT JOIN launches USING (device))
SELECT patch, version, devices, running, failing, rolled_back, refused, calls, failures FROM
    (SELECT patch, version, count(*) AS devices, count(*) FILTER (runs) AS running, count(*) FILTER (failed) AS failing,
        count(*) FILTER (rolled_back) AS rolled_back, count(*) FILTER (refused) AS refused,
        count(*) FILTER (stage = 'trial'), count(*) FILTER (stage = 'confirmed'), count(*) FILTER (stage = 'withdrawn')
    FROM judged GROUP BY ALL)
JOIN (SELECT patch, version, coalesce(sum(calls), 0) AS calls, coalesce(sum(least(failures, calls)), 0) AS failures,
        sum(fallbacks), sum(nanoseconds) / sum(measured), max(longest),
        min(date_trunc('minute', time)) FILTER (event IN ('failed', 'rolled-back'))
    FROM events WHERE version > 0 GROUP BY ALL) USING (patch, version)
ORDER BY 1, 2"""

REST = [
    """SELECT patch, version, app, count(*) FROM
        (SELECT patch, version, device, max(app) AS app FROM events WHERE version > 0 GROUP BY ALL) GROUP BY ALL""",
    """SELECT patch, version, date_trunc('hour', first), count(*) FROM
        (SELECT patch, version, device, min(time) AS first FROM events WHERE version > 0 GROUP BY ALL) GROUP BY ALL""",
    """SELECT patch, version, event, error, function, sum(coalesce(repeats, 1)) FROM events
        WHERE event IN ('failed', 'refused', 'fell-back') GROUP BY ALL""",
    """SELECT patch, version, date_trunc('hour', time), sum(calls), sum(failures), count(*) FILTER (event = 'failed'),
        count(*) FILTER (event = 'rolled-back') FROM events WHERE version > 0 GROUP BY ALL""",
]

# The values that need no sorting by time, because jq has no dates with milliseconds.
JQ = r"""
reduce (inputs | select(.schema == "patchpack.event/1" and .attributes."patch.version" > 0)) as $e ({};
    ($e.attributes | "\(."patch.id") \(."patch.version")") as $patch
    | .[$patch].devices[$e.resource."app.installation.id"] = 1
    | if $e.eventName == "called" then
        .[$patch].calls += $e.attributes."patch.calls" | .[$patch].failures += $e.attributes."patch.failures"
      elif $e.eventName == "failed" then .[$patch].failing[$e.resource."app.installation.id"] = 1
      else . end)
| to_entries | map([.key, (.value.devices | length), (.value.failing | length), .value.calls // 0, .value.failures // 0]) | sort
"""


def duckdb(files):
    import duckdb as engine

    database = engine.connect()
    database.execute("SET threads = 2; SET preserve_insertion_order = false")
    columns = "{" + ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items()) + "}"
    database.execute(LOAD.replace("{columns}", columns), [files])
    rows = database.execute(COUNT).fetchall()
    for query in REST:
        database.execute(query).fetchall()
    return [list(row) for row in rows]


def clickhouse(files):
    from chdb import session

    database = session.Session()
    database.query("SET max_threads = 2, max_insert_threads = 2")
    for statement in (EXAMPLES / "clickhouse.sql").read_text().split(";\n"):
        if any(not line.startswith("--") for line in statement.strip().splitlines()):
            database.query(statement)
    for file in files:
        database.query(f"INSERT INTO events_lines SELECT line FROM file('{file}', 'LineAsString', 'line String')")
    rows = str(database.query((EXAMPLES / "report.sql").read_text().rstrip().rstrip(";"))).splitlines()
    names = ["id", "version", "devices", "running", "failing", "rolledBack", "refused", "calls", "failures"]
    return [[row[name] if name == "id" else int(row[name]) for name in names] for row in map(json.loads, rows)]


def patchpack(tool, files):
    report = json.loads(subprocess.run([tool, "report", "--format", "json", *files], check=True, capture_output=True).stdout)
    names = ["id", "version", "devices", "running", "failing", "rolledBack", "refused", "calls", "failures"]
    return [[patch[name] for name in names] for patch in report["patches"]]


def jq(files):
    return json.loads(subprocess.run(["jq", "-cn", JQ, *files], check=True, capture_output=True).stdout)


def measured(arguments):
    """Runs this script for one way. Returns seconds, megabytes, and the figures."""
    begin = time.monotonic()
    run = subprocess.run(["taskset", "-c", "0,1", sys.executable, __file__, *arguments], check=True, capture_output=True, text=True)
    took = time.monotonic() - begin
    result = json.loads(run.stdout.splitlines()[-1])
    return took, result["megabytes"], result["figures"]


def main():
    if sys.argv[1] == "--way":
        way, tool, *files = sys.argv[2:]
        figures = {"duckdb": duckdb, "clickhouse": clickhouse, "jq": jq}.get(way, lambda f: patchpack(tool, f))(files)
        kilobytes = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        print(json.dumps({"figures": figures, "megabytes": kilobytes // 1024}))
        return
    tool, *files = sys.argv[1:]
    print(f"{sum(pathlib.Path(file).stat().st_size for file in files) / 1e9:.2f} GB in {len(files)} files")
    for ways, inputs in [(["patchpack", "duckdb", "clickhouse"], files), (["patchpack", "jq"], files[:1])]:
        runs = [[measured(["--way", way, tool, *inputs]) for way in ways] for _ in range(3)]
        for column, way in enumerate(ways):
            seconds, megabytes = (statistics.median(run[column][i] for run in runs) for i in (0, 1))
            print(f"{way:12} {seconds:7.1f} s  {megabytes:6.0f} MB  {len(inputs)} files")
        first = runs[0][0][2]
        counted = sorted([f"{patch} {version}", devices, failing, calls, failures]
                         for patch, version, devices, _, failing, _, _, calls, failures in first)
        if any(figures != (counted if way == "jq" else first) for run in runs for way, (_, _, figures) in zip(ways, run)):
            sys.exit("the ways disagree")


main()
