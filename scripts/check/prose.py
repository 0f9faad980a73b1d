#!/usr/bin/env python3
"""Prints the prose of source files, each line as `FILE:LINE: prose`: comments, and the string literals of Swift in Sources.

An interpolation is printed as …, without the code in it; strings in that code are prose again.
"""

import bisect
import re
import subprocess
import sys

C = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
SWIFT = re.compile(r'/\*.*?\*/|//[^\n]*|(#*)("""|")', re.S)
# A # or -- in a string counts as a comment too. Of Python's strings, only the first of a file, class or function is prose.
HASHES = re.compile(r"(?:^|(?<=\s))#(?!!)[^\n]*", re.M)
DASHES = re.compile(r"--[^\n]*")
DOCSTRINGS = re.compile(r'(?:\A(?:#[^\n]*\n)*|:\n\s+)"""(.*?)"""', re.S)


def string(text, start, hashes, quote, into):
    """Adds the prose of a string literal whose content begins at `start`, and returns the place after its end."""
    stop = re.compile(rf"{quote}{hashes}|\\{hashes}\(|\\{hashes}." if not hashes else rf"{quote}{hashes}|\\{hashes}\(", re.S)
    parts, place = [], start
    while match := stop.search(text, place):
        parts.append(text[place:match.start()])
        place = match.end()
        if match.group().startswith(quote):
            break
        if match.group().endswith("("):
            parts.append("…")
            end = code(text, place, into, inside=True)
            parts.append("\n" * text.count("\n", place, end))
            place = end
        else:
            parts.append(" ")
    into.append((start, "".join(parts)))
    return place


def code(text, place, into, inside=False):
    """Adds the prose of Swift code, up to the parenthesis that closes an interpolation if it is one."""
    depth = 1
    token = re.compile(SWIFT.pattern + r"|[()]", re.S) if inside else SWIFT
    while match := token.search(text, place):
        place = match.end()
        if match.group(2):
            place = string(text, place, match.group(1), match.group(2), into)
        elif match.group() == "(":
            depth += 1
        elif match.group() == ")":
            depth -= 1
            if depth == 0:
                break
        else:
            into.append((match.start(), match.group()))
    return place


def prose(path, text):
    into = []
    if path.endswith(".swift"):
        code(text, 0, into)
        if not path.startswith("Sources/"):
            into = [(place, part) for place, part in into if text.startswith(("//", "/*"), place)]
    elif path.endswith((".c", ".h", ".cpp")):
        into = [(match.start(), match.group()) for match in C.finditer(text) if match.group()[0] == "/"]
    elif path.endswith(".lua"):
        into = [(match.start(), match.group()) for match in DASHES.finditer(text)]
    else:
        into = [(match.start(), match.group()) for match in HASHES.finditer(text)]
        if path.endswith(".py"):
            into += [(match.start(1), match[1]) for match in DOCSTRINGS.finditer(text)]
    return into


def main():
    files = ["*.swift", "*.c", "*.h", "*.cpp", "*.sh", "*.py", "*.yml", "Sources/*.lua", "examples/*.lua", "Makefile"]
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *files],
                           capture_output=True, text=True, check=True).stdout
    for path in filter(None, names.split("\0")):
        try:
            text = open(path, encoding="utf-8").read()
        except FileNotFoundError:
            continue
        starts = [match.end() for match in re.finditer("\n", text)]
        for place, part in prose(path, text):
            line = bisect.bisect_right(starts, place) + 1
            for offset, one in enumerate(part.split("\n")):
                if one.strip():
                    sys.stdout.write(f"{path}:{line + offset}: {one.strip()}\n")


main()
