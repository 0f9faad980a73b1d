#!/usr/bin/env python3
"""Counts the lines of each target of Sources without generated files, and those of tests, scripts and pages, against lines.txt.

    scripts/check/lines.py            fails if something has more lines than its budget
    scripts/check/lines.py --write    lowers budgets to what there is; it raises none, and removes those of what is gone
"""

import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUDGETS = ROOT / "scripts/check/lines.txt"


now = collections.Counter()
command = ["git", "ls-files", "-z", "Sources", "Tests", "scripts", "README.md", "docs/*.md", ":!*Arities.swift", ":!docs/lint.md"]
for file in filter(None, subprocess.check_output(command, cwd=ROOT, text=True).split("\0")):
    parts = file.split("/")
    name = "/".join(parts[:2]) if parts[0] == "Sources" else "docs" if parts[0] == "README.md" else parts[0]
    if (ROOT / file).exists():
        now[name] += (ROOT / file).read_bytes().count(b"\n")
lines = BUDGETS.read_text().splitlines()
budgets = {name: int(number) for name, number in (line.split() for line in lines if line and line[0] != "#")}
if "--write" in sys.argv:
    rows = [f"{name:26}{min(budget, now[name])}" for name, budget in budgets.items() if name in now]
    BUDGETS.write_text("\n".join([line for line in lines if line.startswith("#")] + rows) + "\n")
    sys.exit()
faults = [f"lines: {name} has {count} lines, and may have {budgets.get(name, 0)}" for name, count in sorted(now.items()) if count > budgets.get(name, 0)]
for name, budget in budgets.items():
    if now[name] < budget * 0.98:
        print(f"lines: {name} has {now[name]} lines, and may have {budget}: lower that with scripts/check/lines.py --write", file=sys.stderr)
if faults:
    sys.exit("\n".join([*faults, "take lines out, or give it more in scripts/check/lines.txt, and another one as much less, in the same commit"]))
