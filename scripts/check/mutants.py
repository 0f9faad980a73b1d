#!/usr/bin/env python3
"""Makes mistakes in the example patches, one at a time, and counts which of them `lint` finds, and which the specs find too.

    mutants.py PATCHPACK SHOP [-v]

A mistake that changes a type gives a value of another type to an operation, a function or the app. Fails if lint finds fewer than 90
percent of these, if lint and specs find fewer than 95 percent of all, or if lint finds something in a patch without a mistake.
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL, SHOP = map(os.path.abspath, sys.argv[1:3])

CALL = r"(\boriginal|\w+:\w+)\(([^(),]+)((?:,[^(),]+)*)\)"
FIELD = r"\b(order|line|item)\.(lines|item|quantity|grams|price|name|customer|country)\b"
RESULT = r"\breturn ([^\n]+)"
# The kinds of mistakes, whether they change a type, the code that they change, and what it becomes.
KINDS = [
    ("a field is renamed", True, FIELD, lambda m: m[0][:-1]),
    ("a field of another struct", True, FIELD, r"\1.weight"),
    ("the last argument is dropped", True, r"(\boriginal|\w+:\w+)\(([^()]*?),?[^(),]+\)", r"\1(\2)"),
    ("one argument too many", True, CALL, r"\1(\2\3, 1)"),
    ("the first argument is nil", True, CALL, r"\1(nil\3)"),
    ("the first argument is a table", True, CALL, r"\1({}\3)"),
    ("original is forgotten", True, r"function\(original, ", "function("),
    ("original is not called", True, r"\boriginal\([^()]*\)", "original"),
    ("a return is removed", True, RESULT, r"local unused = \1"),
    ("a result is nil", True, RESULT, "return nil"),
    ("a result is a table", True, RESULT, r"return { \1 }"),
    ("a result of another type", True, RESULT, lambda m: "return 5" if '"' in m[1] else 'return "text"'),
    ("a number is a string", True, r"(?<=[<>=] )\d[\d.]*\b(?! and)", r'"\g<0>"'),
    ("a wrong method", True, r"\b(stock|service):(\w+)\(", r"\1:\2s("),
    ("a wrong function of Lua", True, r"\b(math|string|table)\.(\w+)\(", r"\1.\2d("),
    ("host.throw in a function that cannot throw", True, RESULT, 'host.throw("no")'),
    ("it calls itself", True, r"\boriginal\(", lambda m: 'host.call("%s", ' % re.search(r"@replaces ([\w.]+)", m.string)[1]),
    ("a misspelt name", True, r"(?<=[(,] )\w+(?=[,)])|(?<=original\()\w+",
     lambda m: m[0] + "s" if "function" not in m.string[:m.start()].rpartition("\n")[2] else m[0]),
    ("another comparison", False, r" (<=|>=|<|>) ", lambda m: {"<": " > ", ">": " < ", "<=": " > ", ">=": " < "}[m[1]]),
    ("another operator", False, r" ([-+*/]) (?=[\w(])", lambda m: {"+": " - ", "-": " + ", "*": " / ", "/": " * "}[m[1]]),
    ("another number", False, r"(?<=[ (])\d[\d.]*\b", lambda m: f"{float(m[0]) * 3 + 7:g}"),
    ("a condition is negated", False, r"\bif ([^\n]+) then", r"if not (\1) then"),
]


def mistakes():
    """Each mistake, with its kind and the name of the patch."""
    seen = set()
    for patch in sorted((ROOT / "examples/patches").glob("*.lua")):
        code = patch.read_text()
        head = re.match(r"(--[^\n]*\n)*", code)
        for kind, _, pattern, change in KINDS:
            for match in re.compile(pattern).finditer(code, head.end()):
                new = change(match) if callable(change) else match.expand(change)
                mutant = code[:match.start()] + new + code[match.end():]
                if mutant != code and mutant not in seen:
                    seen.add(mutant)
                    yield kind, patch.name, mutant


def judge(name, code, interface):
    """What lint finds in a patch, anywhere, and whether its spec passes."""
    def run(verb, *options):
        return subprocess.run([TOOL, verb, name, "--interface", interface, *options], cwd=folder, capture_output=True, text=True,
                              timeout=60, env=dict(os.environ, NO_COLOR="1"))

    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, name).write_text(code)
        found = {re.sub(r":\d+:\d+:", ":", line) for line in run("lint").stdout.splitlines() if re.match(r"(error|warning)\s", line)}
        return found, run("test", "--spec", ROOT / "examples/specs" / name).returncode == 0


def main():
    with tempfile.NamedTemporaryFile() as interface, concurrent.futures.ThreadPoolExecutor(2) as pool:
        subprocess.run([SHOP, "--interface"], stdout=interface, check=True)
        known, passes = {}, {}
        for patch in (ROOT / "examples/patches").glob("*.lua"):
            known[patch.name], passes[patch.name] = judge(patch.name, patch.read_text(), interface.name)
            if known[patch.name] and passes[patch.name]:
                sys.exit("\n".join(["mutants: lint finds something in a patch without a mistake", *known[patch.name]]))
        judged = list(pool.map(lambda mistake: (*mistake, *judge(*mistake[1:], interface.name)), mistakes()))

    changes_type = {kind: changes for kind, changes, *_ in KINDS}
    made, by_lint, by_either, totals = (collections.Counter() for _ in range(4))
    for kind, name, code, found, passed in judged:
        # What lint or the spec says without the mistake does not count.
        found, by_spec = found - known[name], passes[name] and not passed
        made[kind] += 1
        by_lint[kind] += bool(found)
        by_either[kind] += bool(found) or by_spec
        if "-v" in sys.argv and not found and (changes_type[kind] or not by_spec):
            print(f"not found by lint{'' if by_spec else ' nor a spec'}: {kind} in {name}\n{code[code.index('patch') if 'patch.' in code else 0:]}")
    print(f"{'mistake':36}{'made':>6}{'lint':>6}{'lint and spec':>15}")
    for kind in changes_type:
        print(f"{kind:36}{made[kind]:6}{by_lint[kind]:6}{by_either[kind]:15}")
    typed, found = (sum(counter[kind] for kind in changes_type if changes_type[kind]) for counter in (made, by_lint))
    print(f"of {typed} that change a type, lint finds {found} ({100 * found / typed:.1f} percent)")
    print(f"of {made.total()} in all, lint and specs find {by_either.total()} ({100 * by_either.total() / made.total():.1f} percent)")
    if found < 0.9 * typed or by_either.total() < 0.95 * made.total():
        sys.exit("mutants: too few are found")


main()
