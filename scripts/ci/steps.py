#!/usr/bin/env python3
"""Runs the steps of CI, and says how they ended.

    steps.py run NAME LIMIT COMMAND...    runs a step: its command with a time limit. A command that ends with 77 is left out, and its last line
                                          gives the reason
    steps.py table NAME...                prints how each of these steps ended, as $CI_STEPS has it, with wall and processor time. Ends with 0 if
                                          all passed, with 77 if some were left out, and with 1 if one failed or did not run
    steps.py check                        fails if a check that `make help` lists belongs to no step
"""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

os.chdir(pathlib.Path(__file__).resolve().parents[2])
LEFT_OUT = 77  # as in Automake's tests


def run(name, limit, *command):
    folder = pathlib.Path(os.environ["CI_STEPS"]) if "CI_STEPS" in os.environ else None
    if folder:
        os.write(9, f"   {name}: begins\n".encode())  # make shows the output when the step has ended; .ci/run makes this file of its own
    print(f"== {name}: {' '.join(command)}", flush=True)
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # of the make that runs the steps
        os.environ.pop(variable, None)
    began = time.monotonic()
    last = ""
    with subprocess.Popen(["timeout", "--kill-after=10", limit, *command], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
            last = line.decode(errors="replace").strip() or last
    status = process.returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    row = {"wall": round(time.monotonic() - began), "processor": round(used.ru_utime + used.ru_stime)}
    # make ends with 2, whatever its command ends with.
    match = re.fullmatch(r"left out: (.+)", last)
    row["end"] = "passed" if status == 0 else f"left out: {match[1]}" if match and status in (2, LEFT_OUT) else f"failed with {status}"
    if folder:
        (folder / name).write_text(json.dumps(row))
    print(f"{' error: ' if row['end'].startswith('failed') else '== '}{name}: {row['end']}", flush=True)
    return 1 if row["end"].startswith("failed") else 0


def minutes(seconds):
    return f"{seconds // 60}:{seconds % 60:02}"


def table(*names):
    ends = []
    width = max(map(len, names), default=0)
    print(f"== {'step':{width}}  {'wall':>6}  {'processor':>9}  end")
    for name in names:
        try:
            row = json.loads(pathlib.Path(os.environ["CI_STEPS"], name).read_text())
        except FileNotFoundError:
            row = {"wall": 0, "processor": 0, "end": "not run"}
        ends.append(row["end"])
        print(f"== {name:{width}}  {minutes(row['wall']):>6}  {minutes(row['processor']):>9}  {row['end']}")
    if all(end == "passed" for end in ends):
        return 0
    return LEFT_OUT if all(end == "passed" or end.startswith("left out") for end in ends) else 1


def check():
    checks = re.findall(r"^(check-[\w-]+) = ", pathlib.Path("Makefile").read_text(), re.MULTILINE)
    steps = pathlib.Path("scripts/ci/steps.mk").read_text().replace("\n", " ") + " "
    missing = [name for name in checks if f" {name} " not in steps]
    for name in missing:
        print(f"scripts/ci/steps.mk: no step runs `make {name}`")
    return 1 if missing else 0


sys.exit({"run": run, "table": table, "check": check}[sys.argv[1]](*sys.argv[2:]))
