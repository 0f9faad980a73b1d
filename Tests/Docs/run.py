#!/usr/bin/env python3
"""Runs the shell blocks of a document, in their order, in a folder that Tests/Docs/prepare.sh has filled.

    run.py DOCUMENT      `patchpack` is on the PATH

Each block begins in that folder. If lines begin with `$ `, these are the commands, and the others are their output; a line that
ends with … is compared up to there, and one that begins with … from there. Notes after `sh` on a fence:

    ```sh (not 0)               a command may end with another status than 0, as the text shows
    ```sh (not run: REASON)     for a reader only
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FENCE = re.compile(r"^( *)```sh(?: \(([^\n]*)\))?\n(.*?)^ *```$", re.S | re.M)


def commands(lines):
    """Pairs of a command and the lines that it prints."""
    prompts = any(line.startswith("$ ") for line in lines)
    found = []
    goes_on = False
    end = None  # of a command's input
    for line in lines:
        if end or goes_on:
            found[-1][0] += "\n" + line
            if end and line == end:
                end = None
            if end:
                continue
        elif not prompts or line.startswith("$ "):
            found.append([line.removeprefix("$ "), []])
        elif line.strip():
            found[-1][1].append(line)
            continue
        else:
            continue
        here = re.search(r"<<'?(\w+)", line)
        end = here[1] if here else None
        goes_on = line.endswith("\\")
    return found


def printed(line, output):
    """Whether a line of a document is in an output."""
    if line.strip() == "…":
        return True
    if line.startswith("…"):
        return any(row.endswith(line[1:]) for row in output)
    start = line.removesuffix("…").rstrip() if line.endswith("…") else line
    return any(row.startswith(start) if line.endswith("…") else row == start for row in output)


def main():
    document = pathlib.Path(sys.argv[1])
    text = document.read_text()
    faults = []
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["bash", "-eu", HERE / "prepare.sh", HERE.parents[1], document.name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for match in FENCE.finditer(text):
            place = f"{document.name}:{text[:match.start()].count(chr(10)) + 1}"
            note = match[2] or ""
            if note.startswith("not run: "):
                continue
            if note not in ("", "not 0"):
                faults.append(f"{place}: ({note}) means nothing here")
            script = "set -o pipefail\n"
            parts = commands([line.removeprefix(match[1]) for line in match[3].split("\n")[:-1]])
            for number, (command, _) in enumerate(parts):
                script += f"{{ {command}\n}} 2>&1; echo \"@@{number} $?\"\n"
            run = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True)
            rows = run.stdout.split("\n")
            for number, (command, shown) in enumerate(parts):
                end = next((i for i, row in enumerate(rows) if row.startswith(f"@@{number} ")), None)
                if end is None:
                    faults.append(f"{place}: {command}: did not end: {run.stderr}")
                    break
                output, status = rows[:end], int(rows[end].split()[1])
                rows = rows[end + 1:]
                count += 1
                if status != 0 and note != "not 0":
                    faults.append(f"{place}: {command}: status {status}: " + "\n    ".join(output[-5:]))
                faults += [f"{place}: {command}: does not print: {line}\n    " + "\n    ".join(output[:12])
                           for line in shown if not printed(line, output)]
    print(f"{document.name}: {count} commands run")
    if not count:
        faults.append(f"{document.name}: no command was found")
    if faults:
        sys.exit("\n".join(faults))


main()
