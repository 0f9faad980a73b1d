#!/usr/bin/env python3
"""Runs the shell blocks of a document as its reader does: in their order, in one shell, in a folder that Tests/Docs/prepare.sh has filled.

    run.py DOCUMENT      `patchpack` is on the PATH, and SHOP is the example app, with the example service beside it

Each block begins in that folder; variables stay. If lines begin with `$ `, these are the commands, and the others are their output, in its
order; a line that ends with … is compared up to there, and one that begins with … from there. A `text` block right below a block without
`$ ` is what that block prints. The ports 8080 to 8089 become free ones.

README's reader is a newcomer: the folder has what a clone has and nothing else, `shop` is on the PATH, as after README's own commands to
install, and each block begins where the last one ended. Notes after `sh` on a fence:

    ```sh (not 0)               a command may end with another status than 0, as the text shows
    ```sh (not run: REASON)     for a reader only
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
FENCE = re.compile(r"^( *)```sh(?: \(([^\n]*)\))?\n(.*?)^ *```$", re.S | re.M)
OUTPUT = re.compile(r"\n[^\n`]*\n\n```text\n(.*?)^```$", re.S | re.M)


def is_whole(command):
    """Whether a command is complete, and not the beginning of a function or a loop."""
    return subprocess.run(["bash", "-n"], input=command, text=True, stderr=subprocess.DEVNULL).returncode == 0


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
        elif line.strip() and not prompts or line.startswith("$ "):
            found.append([line.removeprefix("$ "), []])
        elif line.strip():
            found[-1][1].append(line)
            continue
        else:
            continue
        here = re.search(r"<<'?(\w+)", line)
        end = here[1] if here else None
        goes_on = line.endswith("\\") or not is_whole(found[-1][0])
    return found


def printed(line, output):
    """Whether a line of a document is in an output."""
    if line.strip() == "…":
        return True
    if line.startswith("…"):
        return any(row.endswith(line[1:]) for row in output)
    start = line.removesuffix("…").rstrip() if line.endswith("…") else line
    return any(row.startswith(start) if line.endswith("…") else row == start for row in output)


def blocks(text):
    """The blocks that are run: the place, the note, the commands with their output, and whether the output is of all of them together."""
    for match in FENCE.finditer(text):
        note = match[2] or ""
        if note.startswith("not run: "):
            continue
        parts = commands([line.removeprefix(match[1]) for line in match[3].split("\n")[:-1]])
        output = OUTPUT.match(text, match.end()) if parts and not any(shown for _, shown in parts) else None
        if output:
            parts[-1][1] += [line for line in output[1].split("\n") if line.strip()]
        yield text[:match.start()].count("\n") + 1, note, parts, bool(output)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def play(document, folder, path):
    """Runs all blocks, and yields the number of a line with a fault in it."""
    text = document.read_text()
    for port in sorted(set(re.findall(r"\b808\d\b", text))):
        text = text.replace(port, free_port())
    script = "set -o pipefail; here=$PWD\n"
    begin = "" if document.name == "README.md" else 'cd "$here"\n'
    played = [*blocks(text)]
    for _, _, parts, _ in played:
        script += begin + "".join(f'{{ {command}\n}} 2>&1; echo "ended: $?"\n' for command, _ in parts)
    environment = os.environ | {"PATH": path}
    with subprocess.Popen(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as run:
        timer = threading.Timer(30 * 60, os.killpg, (run.pid, signal.SIGKILL))  # with what it has started
        timer.start()
        written, errors = run.communicate()
        timer.cancel()
    rows = written.split("\n")
    count = 0
    for line, note, parts, together in played:
        if note not in ("", "not 0"):
            yield f"{line}: ({note}) means nothing here"
        before = []
        for command, shown in parts:
            end = next((i for i, row in enumerate(rows) if row.startswith("ended: ")), None)
            if end is None:
                yield f"{line}: {command}: did not end: {errors}"
                return
            output, status = rows[:end], int(rows[end].split()[1])
            rows = rows[end + 1:]
            count += 1
            if status != 0 and note != "not 0":
                yield f"{line}: {command}: status {status}: " + "\n    ".join(output[-5:])
            before = before + output if together else output
            left = before
            for row in shown:
                found = next((i for i, other in enumerate(left) if printed(row, [other])), None)
                if found is None:
                    yield f"{line}: {command}: does not print, or not in this order: {row}\n    " + "\n    ".join(before[:40])
                elif row.strip() != "…":
                    left = left[found + 1:]
    print(f"{document.name}: {count} commands run")
    if not count:
        yield "1: no command was found"


def main():
    document = pathlib.Path(sys.argv[1])
    path = os.environ["PATH"]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as programs:
        shop = pathlib.Path(os.environ["SHOP"]).absolute()
        for program in {"README.md": [shop], "server.md": [shop.with_name("service")]}.get(document.name, []):
            pathlib.Path(programs, program.name).symlink_to(program)
        path = f"{programs}:{path}"
        if document.name == "README.md":
            pathlib.Path(folder, "examples").symlink_to(HERE.parents[1] / "examples")
        else:
            subprocess.run(["bash", "-eu", HERE / "prepare.sh", HERE.parents[1], document.name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        faults = [*play(document, folder, path)]
    if faults:
        sys.exit("\n".join(f"{document.name}:{fault}" for fault in faults))


main()
