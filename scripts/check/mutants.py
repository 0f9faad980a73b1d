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


def each(pattern, change):
    """A kind of mistake: the result of `change` for each match of a pattern, if there is one."""
    def mutants(code):
        for match in re.finditer(pattern, code):
            replacement = change(match)
            if replacement is not None and replacement != match.group():
                yield code[:match.start()] + replacement + code[match.end():]
    return mutants


def arguments(match):
    return [part.strip() for part in match.group("arguments").split(",")]


CALL = r"(?P<callee>\boriginal|\w+:\w+)\((?P<arguments>[^()]+)\)"
FIELDS = r"\b(?P<object>order|line|item)\.(?P<field>lines|item|quantity|grams|price|name|customer|country)\b"
RESULT = r"\breturn (?P<value>[^\n]+)"

# The kinds of mistakes, whether they change a type, and how to make them.
KINDS = [
    ("a field is renamed", True, each(FIELDS, lambda m: f"{m['object']}.{m['field'][:-1]}")),
    ("a field of another struct", True, each(FIELDS, lambda m: f"{m['object']}.weight")),
    ("the last argument is dropped", True,
     each(CALL, lambda m: f"{m['callee']}({', '.join(arguments(m)[:-1])})")),
    ("one argument too many", True, each(CALL, lambda m: f"{m['callee']}({m['arguments']}, 1)")),
    ("the first argument is nil", True, each(CALL, lambda m: f"{m['callee']}({', '.join(['nil'] + arguments(m)[1:])})")),
    ("the first argument is a table", True, each(CALL, lambda m: f"{m['callee']}({', '.join(['{}'] + arguments(m)[1:])})")),
    ("original is forgotten", True, each(r"function\(original, ", lambda m: "function(")),
    ("original is not called", True, each(r"\boriginal\([^()]*\)", lambda m: "original")),
    ("a return is removed", True, each(RESULT, lambda m: f"local unused = {m['value']}")),
    ("a result is nil", True, each(RESULT, lambda m: "return nil")),
    ("a result is a table", True, each(RESULT, lambda m: f"return {{ {m['value']} }}")),
    ("a result of another type", True,
     each(RESULT, lambda m: 'return "text"' if not re.search(r'"', m["value"]) else "return 5")),
    ("a number is a string", True, each(r"(?<=[<>=] )\d[\d.]*\b(?! and)", lambda m: f'"{m.group()}"')),
    ("a wrong method", True, each(r"\b(stock|service):(\w+)\(", lambda m: f"{m[1]}:{m[2]}s(")),
    ("a wrong function of Lua", True, each(r"\b(math|string|table)\.(\w+)\(", lambda m: f"{m[1]}.{m[2]}d(")),
    ("host.throw in a function that cannot throw", True, each(RESULT, lambda m: 'host.throw("no")')),
    ("it calls itself", True,
     each(r"\boriginal\(", lambda m: 'host.call("%s", ' % re.search(r"@replaces ([\w.]+)", m.string)[1])),
    ("a misspelt name", True, each(r"(?<=[(,] )\w+(?=[,)])|(?<=original\()\w+", lambda m: m.group() + "s" if "function" not in
                                   m.string[m.string.rfind("\n", 0, m.start()):m.start()] else None)),
    ("another comparison", False, each(r" (<=|>=|<|>) ", lambda m: {"<": " > ", ">": " < ", "<=": " > ", ">=": " < "}[m[1]])),
    ("another operator", False, each(r" ([-+*/]) (?=[\w(])", lambda m: {"+": " - ", "-": " + ", "*": " / ", "/": " * "}[m[1]])),
    ("another number", False, each(r"(?<=[ (])\d[\d.]*\b", lambda m: f"{float(m.group()) * 3 + 7:g}")),
    ("a condition is negated", False, each(r"\bif ([^\n]+) then", lambda m: f"if not ({m[1]}) then")),
]


def run(*arguments):
    environment = dict(os.environ, NO_COLOR="1")
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=60, env=environment)


def lint(path, interface):
    done = run("lint", path, "--interface", interface)
    return {re.sub(r":\d+:\d+:", ":", line) for line in done.stdout.splitlines() if re.match(r"(error|warning)\s", line)}


def main():
    verbose = "-v" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        interface = str(work / "interface.json")
        pathlib.Path(interface).write_text(subprocess.run([SHOP, "--interface"], capture_output=True, text=True, check=True).stdout)
        mutants, seen = [], set()
        for patch in sorted((ROOT / "examples/patches").glob("*.lua")):
            code, spec = patch.read_text(), ROOT / "examples/specs" / patch.name
            head = re.match(r"(--[^\n]*\n)*", code).end()
            copy = work / patch.name
            copy.write_text(code)
            known = lint(str(copy), interface)
            passes = run("test", str(copy), "--spec", str(spec), "--interface", interface).returncode == 0
            for kind, changes_a_type, make in KINDS:
                for mutant in make(code):
                    if mutant[:head] != code[:head] or mutant in seen:
                        continue
                    seen.add(mutant)
                    mutants.append((kind, changes_a_type, patch.name, mutant, spec, known, passes))

        def judge(numbered):
            number, (kind, changes_a_type, name, code, spec, known, passes) = numbered
            place = work / str(number)
            place.mkdir()
            path = place / name
            path.write_text(code)
            found = {line.replace(str(place), str(work)) for line in lint(str(path), interface)} - known
            # A spec that fails without a mistake cannot find one.
            fails = passes and run("test", str(path), "--spec", str(spec), "--interface", interface).returncode != 0
            return kind, changes_a_type, bool(found), fails, path.name, code

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            judged = list(pool.map(judge, enumerate(mutants)))

    rows = collections.OrderedDict((kind, [changes, 0, 0, 0]) for kind, changes, _ in KINDS)
    for kind, _, by_lint, by_spec, name, code in judged:
        rows[kind][1] += 1
        rows[kind][2] += by_lint
        rows[kind][3] += by_lint or by_spec
        if verbose and not by_lint and (rows[kind][0] or not by_spec):
            print(f"not found by lint{'' if by_spec else ' nor a spec'}: {kind} in {name}\n{code[code.index('patch') if 'patch.' in code else 0:]}")
    print(f"{'mistake':36}{'made':>6}{'lint':>6}{'lint and spec':>15}")
    for kind, (changes, made, by_lint, either) in rows.items():
        print(f"{kind:36}{made:6}{by_lint:6}{either:15}")
    typed = [row for row in rows.values() if row[0]]
    made, by_lint = sum(row[1] for row in typed), sum(row[2] for row in typed)
    every, either = sum(row[1] for row in rows.values()), sum(row[3] for row in rows.values())
    print(f"of {made} that change a type, lint finds {by_lint} ({100 * by_lint / made:.1f} percent)")
    print(f"of {every} in all, lint and specs find {either} ({100 * either / every:.1f} percent)")
    if by_lint < 0.9 * made or either < 0.95 * every:
        sys.exit("mutants: too few are found")


main()
