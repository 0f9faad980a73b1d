#!/usr/bin/env python3
"""Gives each operand and each option of the tool values that it cannot use, as this user and as nobody, and reports what is untrue.

    Tests/Arguments/matrix.py TOOL [TABLE.tsv]

The verbs, actions and options are those that the tool prints. A run must not crash, hang, succeed without a reason (`true` in commands.txt), or
leave a file behind when it fails (`left`), and its message must name the option or the value.

Then it adds each option, with a right value (`value`), to the command line of each verb that takes it. If that ends with 0, prints the same and
makes the same files as without it, the option has no effect, which must be refused unless there is a reason (`idle`).
"""
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS, LINES = {}, []
for name, text in (row.split(": ", 1) for row in (ROOT / "Tests/Arguments/commands.txt").read_text().splitlines() if row[0] != "#"):
    TEXTS[name] = text.format(**TEXTS)
    LINES.append((name, TEXTS[name]))
VALUES = dict(text.split(" = ") for name, text in LINES if name == "value")
KINDS = {"wrong": "no such/x y", "empty": "", "missing": None, "folder": "folder", "null": "/dev/null", "unreadable": "unreadable"}
TRUE, LEFT, IDLE = (re.compile("|".join(text for name, text in LINES if name == kind)) for kind in ("true", "left", "idle"))
EVENT = {"schema": "patchpack.event/1", "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()), "eventName": "launched",
         "resource": {"app.installation.id": "0123abcd", "service.name": "com.example.shop", "service.version": "2.3.1"},
         "severityNumber": 9, "attributes": {"patch.running": [{"patch.id": TEXTS["ID"], "patch.version": 7}], "safe_mode": False}}


def tool(line, folder="/", user="root", time=None):
    words = [*("setpriv --reuid=65534 --regid=65534 --clear-groups".split() if user == "nobody" else []),
             *(["faketime", "-m", "-f", time] if time else []), TOOL, *line]
    try:
        run = subprocess.run(words, cwd=folder, env={"PATH": os.environ["PATH"], "TMPDIR": f"{folder}/tmp", "TZ": "UTC"}, timeout=20, capture_output=True,
                             stdin=subprocess.DEVNULL)
        return run.returncode, run.stdout.decode(errors="replace"), run.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return 999, "", "it hangs"


def state(folder):
    paths = [os.path.join(top, name) for top, names, leaves in os.walk(folder) for name in names + leaves]
    return {path: (it.st_mode, os.path.isfile(path) and (it.st_size, it.st_mtime_ns)) for path in paths for it in [os.lstat(path)]}


def trials(verb):  # a value in the place of an operand's or an option's own
    words, places = shlex.split(TEXTS[verb]), {}
    for at, word in enumerate(words):
        if word[0] != "-":
            before = words[at - 1] if at > 0 else ""
            places[before if before[:1] == "-" else f"operand {1 + sum(key[0] != '-' for key in places)}"] = at
    options = re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+) [^ \n]", tool([*verb.split(), "--help"])[1])
    for option, kind in itertools.product([*[key for key in places if key[0] != "-"], *options], KINDS):
        at, changed = places.get(option, len(words) + 1), words + ([] if option in places else [option, ""])
        if KINDS[kind] is not None:
            yield option, kind, [*changed[:at], KINDS[kind], *changed[at + 1:]]
        elif option[0] == "-":
            yield option, kind, [*changed[:at - 1], *changed[at + 1:], option]


def contents(folder):
    return {path: os.path.isfile(path) and pathlib.Path(path).read_bytes() for path in state(folder) if os.access(path, os.R_OK)}


def additions(verb):  # each option that the line does not have, with a right value
    words = shlex.split(TEXTS[verb])
    for option, value in re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)( [A-Z][^ \n]*)?", tool([*verb.split(), "--help"])[1]):
        if option not in words and option != "--help":
            yield option, [*words, option, *([VALUES[option + value]] if value else [])]


def fault(trial, status, text, before, after):
    if status <= 0 or status >= 128:
        return "crashes or hangs" if status else "" if TRUE.fullmatch(trial) else "succeeds"
    if after != before and not LEFT.fullmatch(trial):
        return "leaves " + ", ".join(path for path in {**after, **before} if after.get(path) != before.get(path))
    option, kind = trial.split()[-2:]
    names = [option, option[2:].removesuffix("-file").replace("-", " ")] if option[0] == "-" else ["an argument is empty"]
    return "" if any(name in text for name in [*names, KINDS[kind]] if name) else "does not name it"


def runs(user):
    folder = FOLDER / user

    def fresh():
        subprocess.run(f"rm -rf {folder} && cp -a {FOLDER}/made {folder} && chown -R {OWNERS.get(user, os.getuid())} {folder}", shell=True, check=True)
        return state(folder)
    for verb in VERBS:
        fresh()
        status, _, errors = tool([*verb.split(), *shlex.split(TEXTS[verb])], folder, user)
        yield user, verb, "", "", status, "fails without a cause" if status else "", errors.replace("\n", " ")
        before = fresh()
        for option, kind, line in trials(verb):
            status, output, errors = tool([*verb.split(), *line], folder, user)
            after, text = state(folder), " ".join((errors or output)[:300].split())
            left = "leaves a temporary file" if any((folder / "tmp").iterdir()) else ""
            yield user, verb, option, kind, status, left or fault(f"{verb} {option} {kind}", status, errors + output, before, after), text
            before = fresh() if after != before else before
        if user == "nobody":
            continue
        fresh()
        # What is signed has the time, so both runs are at the same time.
        now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        plain = tool([*verb.split(), *shlex.split(TEXTS[verb])], folder, user, now), contents(folder)
        for option, line in additions(verb):
            fresh()
            found = tool([*verb.split(), *line], folder, user, now), contents(folder)
            idle = found == plain and found[0][0] == 0 and not IDLE.fullmatch(f"{verb} {option}")
            yield user, verb, option, "right", found[0][0], "has no effect" if idle else "", " ".join(found[0][2][:300].split())


OWNERS = {"nobody": "65534:65534"}
os.chmod(FOLDER := pathlib.Path(tempfile.mkdtemp(prefix="matrix-")), 0o755)
TOOL = shutil.copy(sys.argv[1], FOLDER / "patchpack")
for name in ("folder", "tmp", "events"):
    (FOLDER / "made" / name).mkdir(parents=True)
for name, source in {"cart.lua": "examples/patches/cart-total.lua", "spec.lua": "examples/specs/cart-total.lua",
                     "interface.json": "Tests/Lint/interface.json"}.items():
    shutil.copy(ROOT / source, FOLDER / "made" / name)
for name, text in {"pass": "a passphrase", "pass2": "another", "unreadable": "unreadable", "other.key": "0123456789abcdef" * 4,
                   "events/events-1.jsonl": json.dumps(EVENT)}.items():
    (FOLDER / "made" / name).write_text(text + "\n")
    (FOLDER / "made" / name).chmod(0 if name == "unreadable" else 0o600)
for name, line in LINES:
    if name == "made" and (run := tool(shlex.split(line), FOLDER / "made"))[0]:
        sys.exit(f"{line}: {run}")
VERBS = []
for verb in [row.split("\t")[0] for row in tool(["completions", "bash", "--", ""])[1].splitlines()]:
    if verb.lstrip("-") not in ("help", "version"):
        usage = tool([verb, "--help"])[1]
        VERBS += [f"{verb} {action}" for action in re.findall(r"(?m)^  ([a-z]+) ", usage)] if f"{verb} ACTION" in usage else [verb]
with concurrent.futures.ThreadPoolExecutor() as pool:
    rows = [row for some in pool.map(lambda user: list(runs(user)), ["root", "nobody"] if os.getuid() == 0 else ["user"]) for row in some]
shutil.rmtree(FOLDER)
pathlib.Path([*sys.argv, "/dev/null"][2]).write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
faults = [" ".join(map(str, row)) for row in rows if row[5]]
print(f"{len(rows)} runs, {len(faults)} faults")
sys.exit("\n".join(faults) or 0)
