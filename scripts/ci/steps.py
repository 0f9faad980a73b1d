#!/usr/bin/env python3
"""Runs the steps of CI, and knows which steps of nightly a change needs.

    steps.py run NAME LIMIT COMMAND...    runs a step: its command with a time limit. $CI_STEPS/NAME then says whether it has passed
    steps.py touched                      prints the steps of nightly whose files have changed since they passed. Fails if they would
                                          take too long for `.ci/run`, or if one has never passed
    steps.py check                        fails if nightly.txt differs from steps.mk, or names files that do not exist

scripts/ci/nightly.txt lists the files that each step of nightly is about. .ci/passed has a line for each step: the commit at which it has
passed, a hash of the contents of its files then, and the seconds of processor time that it took. A step whose files have these contents
still passes, whatever the history of the checkout is. A change of .ci/passed itself touches nothing.
"""

import fcntl
import hashlib
import os
import pathlib
import resource
import subprocess
import sys
import time

os.chdir(pathlib.Path(__file__).resolve().parents[2])
PASSED = pathlib.Path(".ci/passed")
# Seconds of processor time for steps of nightly in `.ci/run`. The other steps take 45 of 90 minutes on a slow machine of two cores.
MOST = 1500


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def table():
    rows = [line.split() for line in pathlib.Path("scripts/ci/nightly.txt").read_text().splitlines() if line and line[0] != "#"]
    return {name: paths for name, *paths in rows}


def passed():
    rows = [line.split() for line in (PASSED.read_text().splitlines() if PASSED.exists() else []) if line and line[0] != "#"]
    return {name: (commit, state, int(seconds)) for name, commit, state, seconds in rows}


def changes(*paths):
    """Whether files differ from the last commit."""
    return bool(git("status", "--porcelain", "--untracked-files=all", "--", *paths, f":(exclude){PASSED}"))


def state(paths):
    """A hash of the contents of files in the last commit; - for none."""
    return hashlib.sha256(git("ls-files", "--stage", "--", *paths).encode()).hexdigest()[:16] if paths else "-"


def run(name, limit, *command):
    paths = table().get(name)
    if paths is not None:
        before = None if changes() else (git("rev-parse", "--short=12", "HEAD").strip(), state(paths))
    try:
        os.write(9, f"   {name}: begins\n".encode())  # make shows the output when the step has ended; .ci/run makes this file of its own
    except OSError:
        pass
    print(f"== {name}: {' '.join(command)}", flush=True)
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # of the make that runs the steps
        os.environ.pop(variable, None)
    began = time.monotonic()
    status = subprocess.run(["timeout", "--kill-after=10", limit, *command]).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = round(used.ru_utime + used.ru_stime)
    if status != 0:
        print(f" error: {name}: ended with {status}")
    elif paths is not None and before is None:
        print(f"{name}: passed, which {PASSED} does not record: the checkout has changes")
    elif paths is not None:
        with open("scripts/ci/nightly.txt") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            rows = passed() | {name: (*before, seconds)}
            head = "# Written by steps of `make nightly` that pass: step, commit, contents of its files, seconds of processor time.\n"
            PASSED.write_text(head + "".join(f"{step} {' '.join(map(str, row))}\n" for step, row in sorted(rows.items())))
    if folder := os.environ.get("CI_STEPS"):
        pathlib.Path(folder, name).write_text("failed" if status else "passed")
    wall = round(time.monotonic() - began)
    print(f"== {name}: {wall // 60} min {wall % 60} s, {seconds} s of processor time", flush=True)
    return status


def listed(layer):
    return subprocess.run(["make", "-s", "-f", "scripts/ci/steps.mk", f"list-{layer}"], capture_output=True, text=True, check=True).stdout.split()


def touched():
    rows, always = passed(), listed("tests")
    followed = {name: paths for name, paths in table().items() if paths and name not in always}
    names = [name for name, paths in followed.items() if name in rows and (rows[name][1] != state(paths) or changes(*paths))]
    unknown = [name for name in followed if name not in rows]
    seconds = sum(rows[name][2] for name in names)
    if names:
        print(f"steps of nightly whose files have changed since they passed: {', '.join(names)}", file=sys.stderr)
    print("\n".join(names))
    fault = f"{PASSED} does not have {', '.join(unknown)}" if unknown else (
        f"they take {seconds} s of processor time, and may take {MOST}" if seconds > MOST else None)
    if fault:
        print(f" error: {fault}: run make nightly ONLY={','.join(unknown or names)} and commit {PASSED}", file=sys.stderr)
    return 1 if fault else 0


def check():
    rows = table()
    faults = [f"nightly.txt and steps.mk: only one has {name}" for name in sorted((set(listed("nightly")) ^ set(rows)) - {"conformance"})]
    faults += [f"nightly.txt: {name}: there is no {path}" for name, paths in rows.items() for path in paths if not git("ls-files", "--", path)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


sys.exit({"run": run, "touched": touched, "check": check}[sys.argv[1]](*sys.argv[2:]))
