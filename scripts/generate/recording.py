#!/usr/bin/env python3
"""Draws docs/recording.svg: the story of docs/getting-started.md, with the real output of its commands, line by line.

    recording.py PATCHPACK      builds the app of that page, which takes some minutes
"""

import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/getting-started.md"
PUBLISH = """patchpack pack -q patches/{name}.lua -o dist && patchpack feed publish feed dist/{name}.js --rollout 100% \\
    --key keys/release/signing.pem --key keys/online/signing.pem"""
BAD = "sed -e 's/@version 1/@version 2/' -e 's/return #name/return -1/' patches/length.lua >patches/length-2.lua"
# The commands as typed, which also run, each with the lines that are shown of its output.
COMMANDS = [
    ("hello                # a wrong answer: the name is cut", "Hello"),
    (PUBLISH.format(name="length"), "published"),
    ("hello                # fetches the patch", "Hello|.* 1: offered"),
    ("hello                # right", "Hello"),
    (f"# version 2 answers -1, with which the program crashes\n{PUBLISH.format(name='length-2')}", "published"),
    ("hello                # fetches version 2", "Hello|.* 2: offered"),
    ("hello                # starts with version 2", ".*Fatal error"),
    ("hello", ".*Fatal error"),
    ("hello                # right again: it has gone back by itself", "Hello"),
    ("patchpack store why device com.example.hello.length", "banned|good"),
]
LINE, WIDTH = 22, 118
STYLE = """
  .back { fill: #f6f8fa; } text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre; }
  .typed { font-weight: 600; } .good { fill: #1a7f37; } .bad { fill: #c62828; } .faint { fill: #59636e; }
  @media (prefers-color-scheme: dark) {
    .back { fill: #15181d; } text { fill: #e8eaee; } .good { fill: #57c173; } .bad { fill: #ff7b72; } .faint { fill: #9aa4b2; }
  }
  @media (prefers-reduced-motion: no-preference) { text { animation: show 1ms linear both; } }
  @keyframes show { from { visibility: hidden; } to { visibility: visible; } }
"""
LABEL = "A program greets by a name that is cut. A patch is published, and the program is right. Version 2 crashes it twice. Then it is right again, \
and says that version 2 is banned."


def prepare(tool, folder):
    """Makes the app, the first patch, the keys and the feed of the page. Returns the environment of the commands."""
    folder.joinpath("patchpack").symlink_to(ROOT)
    for start in ("cat >Package.swift", "mkdir patches"):
        block = re.search(rf"^```sh\n({re.escape(start)}.*?)^```$", PAGE.read_text(), re.S | re.M)
        subprocess.run(["bash", "-euc", block[1]], cwd=folder, check=True)
    subprocess.run(["bash", "-c", BAD], cwd=folder, check=True)
    subprocess.run(["swift", "build", "--product", "hello"], cwd=folder, check=True, stdout=sys.stderr)
    for name in (".", "root", "release", "online"):
        subprocess.run([tool, "keygen", "-q", "-o", f"keys/{name}", "--profile", "modern"], cwd=folder, check=True)
    subprocess.run([tool, "feed", "init", "-q", "feed", "--app", "com.example.hello", "--root-key", "keys/root/signing.pem",
                    "--release-key", "keys/release/signing.pem", "--online-key", "keys/online/signing.pem"], cwd=folder, check=True)
    keys = {"SIGNING_KEY": "signing.pem", "SCRIPT_KEY": "script.key", "TRUSTED_KEY": "trusted.pem"}
    return os.environ | {f"PATCHPACK_{name}": f"keys/{file}" for name, file in keys.items()} | {
        "PATH": f"{tool.parent}:{folder}/.build/debug:{os.environ['PATH']}", "SWIFT_BACKTRACE": "enable=no"}


def typed(line):
    """A line of a command. A comment is faint, and so is the prompt."""
    prompt, command, comment = re.fullmatch(r"( *)(.*?)((?:  |^)# .*)?", line).groups()
    return (f'<tspan class="faint">{html.escape(prompt or "$ ")}</tspan><tspan class="typed">{html.escape(command)}</tspan>'
            f'<tspan class="faint">{html.escape(comment or "")}</tspan>')


def answer(line):
    """A line of output. What it says first has the colour of good or bad news."""
    line = line.split("/")[-1]  # of the file in which it crashed
    news, rest = re.fullmatch(r"(.*?)(  .*)?", line).groups()
    kind = "bad" if re.search("Fatal error|^banned", news) else "good" if re.match("published|good|Hello, Margaret", news) else ""
    return f'<tspan class="{kind}">{html.escape(news)}</tspan>{html.escape(rest or "")}'


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    lines, now = [], 0.4  # (seconds, markup)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = prepare(tool, folder)
        for command, shown in COMMANDS:
            lines += [(now, typed(line)) for line in command.split("\n")]
            now += 0.9
            run = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            output = [line for line in run.stdout.splitlines() if re.match(shown, line)]
            if not output:
                sys.exit(f"recording.py: {command}: {run.stdout}")
            for line in output:
                lines.append((now, answer(line)))
                now += 0.15
            now += 0.8
    body = "\n".join(f'<text x="16" y="{place * LINE}" style="animation-delay: {when:.2f}s">{markup}</text>'
                     for place, (when, markup) in enumerate(lines, 1))
    (ROOT / "docs/recording.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * 9} {(len(lines) + 1) * LINE}" role="img" aria-label="{LABEL}">\n'
        f'<style>{STYLE}</style>\n<rect class="back" width="100%" height="100%" rx="8"/>\n{body}\n</svg>\n')
    print("docs/recording.svg")


main()
