#!/usr/bin/env python3
"""Makes random single changes of Sources, and lists those that no test of their module notices.

    mutation.py [--seed "1 2 3"] [--count 25] [--modules "PatchPublishing PatchFeed PatchText PatchCrypto"]

A change turns an operator, a bound or a condition, or takes out a guard, a throw or a statement. All changes are compiled into one
build of a copy of the tree, .build/mutation; the variable PATCHPACK_MUTANT selects the active one. A change that does not compile
is left out. Each is run against its module's suite.

Those without a visible effect are listed in mutation.txt beside this file, and are not made.
Fails if fewer than 90 percent of the others are noticed.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".build/mutation"
TREE, BUILD = WORK / "tree", WORK / "build"
EQUIVALENTS = pathlib.Path(__file__).with_suffix(".txt")
SWIFT = os.environ.get("SWIFT", "swift")
SWITCH = "activeMutant"
SOURCE = f"""#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

let {SWITCH} = getenv("PATCHPACK_MUTANT").flatMap {{ Int(String(cString: $0)) }} ?? 0
"""

# A place that can be changed: its code, and the alternatives. A place without alternatives is removed.
Site = collections.namedtuple("Site", "file start end first last alternatives")
Mutant = collections.namedtuple("Mutant", "number module site text")

OPERATORS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
             (" && ", " || "), (" || ", " && "), (" - ", " + "), (" + ", " - "), (" / ", " * "), (" * ", " + "),
             ("..<", "..."), ("...", "..<"), ("min(", "max("), ("max(", "min("), (".first", ".last"), (".last", ".first")]


# A comment or a string, with interpolated calls in it.
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|(#+)("{3}|").*?\2\1|"{3}(?:\\.|[^\\])*?"{3}|"""
                   r'"(?:\\\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)|\\.|[^"\\\n])*"', re.S)


def masked(text):
    """The text without comments and strings, character for character."""
    return TOKEN.sub(lambda match: re.sub(r"[^\n]", " " if match[0][0] == "/" else '"', match[0]), text)


def closing(code, at, ends=""):
    """The end of the expression at a place: its closing bracket, or the first of `ends` outside of brackets."""
    depth = 0
    for index in range(at, len(code)):
        if depth == 0 and code[index] in ends:
            return index
        if code[index] in "([{":
            depth += 1
        elif code[index] in ")]}":
            if depth == 0:
                return index
            depth -= 1
            if depth == 0 and not ends:
                return index + 1
    return len(code)


def is_balanced(code):
    return closing(code, 0, "\0") == len(code) and all(code.count(a) == code.count(b) for a, b in ("()", "[]", "{}"))


def changes(text, code, is_condition):
    """The alternatives to an expression."""
    made = []
    if re.search(r"\b(try[?!]|await)|\{.*\btry\b", code):
        return made
    for old, new in OPERATORS:
        for match in re.finditer(re.escape(old), code):
            # Strings and lists are only added, never subtracted.
            if not (old == " + " and '"' in code):
                made.append(text[:match.start()] + new + text[match.end():])
    for match in re.finditer(r"(?<![\w.$])\d+(?![\w.])", code):
        made.append(text[:match.start()] + str(int(match.group()) + 1) + text[match.end():])
    if is_condition or re.search(r" ([<>]=?|[=!]=|&&|\|\|) |\.isEmpty$", code) and "?" not in code:
        made.append(f"!({text})")
    return made


def clauses(code, at, end):
    """The conditions between two places, which commas separate."""
    while at < end:
        comma = min(closing(code, at, ","), end)
        length = len(code[at:comma].lstrip())
        yield comma - length, comma - length + len(code[comma - length:comma].rstrip())
        at = comma + 1


def opener(code, at):
    """The line, up to the brace, that opens the block around a place."""
    depth = 0
    for index in range(at - 1, -1, -1):
        if code[index] in ")]}":
            depth += 1
        elif code[index] in "([{":
            if depth == 0:
                return code[code.rfind("\n", 0, index) + 1:index + 1].strip()
            depth -= 1
    return ""


def sites(file):
    """The places of a file that can be changed."""
    text = (ROOT / file).read_text()
    code = masked(text)
    found = []

    def line(at):
        return code.count("\n", 0, at) + 1

    def add(start, end, alternatives):
        if alternatives and "\n" not in text[start:end]:
            found.append(Site(file, start, end, line(start), line(end), tuple(alternatives)))

    for match in re.finditer(r"(?<![#.\w`])(guard|if|while|for)\b(?!:)", code):
        at = match.end()
        end = closing(code, at, "{")
        if match[1] == "guard":
            found_else = re.compile(r"\belse\s*$").search(code, at, end)
            if not found_else:
                continue
            end = found_else.start()
        elif match[1] == "for":
            where = re.compile(r"\bwhere\b").search(code, at, end)
            if not where:
                continue
            at = where.end()
        for start, stop in clauses(code, at, end):
            part = code[start:stop]
            if re.match(r"(let|var|case)\b|#|\{|$", part):
                continue
            made = changes(text[start:stop], part, True)
            # The guard lets everything through.
            add(start, stop, made + (["true"] if match[1] == "guard" and "await" not in part else []))

    lines = code.split("\n")
    at = 0
    for number, row in enumerate(lines, 1):
        start, at = at, at + len(row) + 1
        part = row.strip()
        start += len(row) - len(row.lstrip())
        after = lines[number].strip() if number < len(lines) else ""
        before = lines[number - 2].strip() if number > 1 else ""
        continues = re.match(r"[.?:&|+\-*/=<>!]", after) or re.search(r"[,(\[=:?&|+\-*/<>]$|\breturn$", before)
        # A value, or the only expression of a block on one line.
        values = [re.match(r"(?:return|(?:(?:package|public|private|static) )*(?:let|var) \w+(?:: [^={]+)? =|[\w.]+ [-+]?=) (?P<value>.+)$", part),
                  re.search(r"\{ (?:[\w, ()]+ in )?(?P<value>[^{}]+) \}$", part)]
        for match in values:
            if not match or continues or re.match(r"(let|var|case|if|switch|get|return|throw|guard)\b", match["value"]):
                continue
            first, last = match.span("value")
            if is_balanced(match["value"]):
                add(start + first, start + last, changes(text[start + first:start + last], match["value"], False))
        # A statement on its own lines.
        block = opener(code, start)
        if continues or re.search(r"\bguard\b|^\} else \{$|^else \{$|\b(enum|struct|class|extension|protocol|switch)\b|^$|[(\[]$", block):
            continue
        if re.match(r"throw\b", part):
            end = closing(code, start, "\n")
            found.append(Site(file, start, end, number, line(end), ()))
        elif re.search(r"\binit\b", block) and re.match(r"(self\.)?\w+ = ", part):
            continue  # it would not compile
        elif is_balanced(part) and re.match(r"(try )?[\w.]+(\(.*\)|\[.*\] [-+]?= .+| [-+]?= .+)$", part) and not re.match(
                r"(let|var|func|return|case|if|for|while|switch|defer|precondition|fatalError|self\.init|super|init)\b", part):
            found.append(Site(file, start, start + len(part), number, number, ()))
        elif part in ("continue", "break"):
            found.append(Site(file, start, start + len(part), number, number, ()))
    return found


def switched(site, text, mutant):
    """The code in the copy: the place as it is, and as it is changed."""
    if not site.alternatives:
        return f"if {SWITCH} != {mutant.number} {{ {text} }}"
    effect, change = "", mutant.text
    if re.search(r"\btry ", text):
        effect, text, change = "try ", text.replace("try ", ""), change.replace("try ", "")
    return f"{effect}({SWITCH} == {mutant.number} ? ({change}) : ({text}))"


def read_equivalents():
    """The changes without a visible effect: file, the code there, and the changed code."""
    rows = [line.split(" | ") for line in EQUIVALENTS.read_text().splitlines() if line and not line.startswith("#")]
    return {tuple(row[:3]) for row in rows}


def choose(modules, seeds, count):
    """The mutants of some seeds: as many for each, and none twice."""
    places = []
    for module in modules:
        files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", f"Sources/{module}/*.swift"], cwd=ROOT,
                               capture_output=True, text=True, check=True)
        for file in files.stdout.split():
            text, seen = (ROOT / file).read_text(), collections.Counter()
            for site in sites(file):
                old = text[site.start:site.end]
                seen[old] += 1
                places.append((module, site, f"{file} {old} {seen[old]}"))
    equivalents = read_equivalents()
    used, chosen = {}, []
    for seed in seeds:
        # Each place draws its own random number for the order, so that a change elsewhere does not affect it.
        draws = [(random.Random(f"{seed} {name}"), module, site) for module, site, name in places]
        draws = [(rng.random(), rng, module, site) for rng, module, site in draws]
        left = count
        for _, rng, module, site in sorted(draws, key=lambda draw: draw[0]):
            if left == 0:
                break
            if any(first <= site.last and site.first <= last for first, last in used.get(site.file, ())):
                continue
            text = rng.choice(site.alternatives) if site.alternatives else ""
            if (site.file, (ROOT / site.file).read_text()[site.start:site.end], text) in equivalents:
                continue
            used.setdefault(site.file, []).append((site.first, site.last))
            chosen.append(Mutant(len(chosen) + 1, module, site, text))
            left -= 1
    return len(places), chosen


def put(path, bytes):
    """Writes a file unless it is the same, so that unchanged files are not built again."""
    if not path.is_file() or path.read_bytes() != bytes:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes)


def copy(mutants):
    """Makes the copy as the checkout is, with mutants."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    kept = set()
    for name in names.stdout.decode().split("\0"):
        source = ROOT / name
        if not name or not source.is_file():
            continue
        kept.add(TREE / name)
        bytes = source.read_bytes()
        if name == "Package.swift":
            # A change may leave a variable unused, and reading the switch is an unsafe call.
            text = re.sub(r"target\.swiftSettings\?\.append\(\.treatAllWarnings\(as: \.error\)\)|\.strictMemorySafety\(\),", "", bytes.decode())
            bytes = text.encode()
        here = sorted((mutant for mutant in mutants if mutant.site.file == name), key=lambda mutant: -mutant.site.start)
        if here:
            text = bytes.decode()
            for mutant in here:
                site = mutant.site
                text = text[:site.start] + switched(site, text[site.start:site.end], mutant) + text[site.end:]
            bytes = text.encode()
        put(TREE / name, bytes)
        shutil.copymode(source, TREE / name)
    for module in {mutant.module for mutant in mutants}:
        kept.add(TREE / f"Sources/{module}/Mutant.swift")
        put(TREE / f"Sources/{module}/Mutant.swift", SOURCE.encode())
    for path in TREE.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


def build(mutants, suites):
    """Builds the copy. Leaves out the changes that do not compile, and returns the others."""
    command = [SWIFT, "build", "--package-path", TREE, "--scratch-path", BUILD, "--product"]
    environment = dict(os.environ, PATCHPACK_TESTS=",".join(suites))
    while mutants:
        copy(mutants)
        done = subprocess.run([*command, "patchpackPackageTests"], env=environment, capture_output=True, text=True)
        if done.returncode == 0 and "PatchDeviceTests" in suites:  # which run the tool
            done = subprocess.run([*command, "patchpack"], env=environment, capture_output=True, text=True)
        if done.returncode == 0:
            return mutants
        faulty = set()
        for file, number in re.findall(rf"^{re.escape(str(TREE))}/(Sources/\S+?):(\d+):\d+: error:", done.stdout + done.stderr, re.M):
            # A block that lost its last statement is reported at its end.
            before = [mutant for mutant in mutants if mutant.site.file == file and mutant.site.first <= int(number)]
            if before:
                faulty.add(max(before, key=lambda mutant: mutant.site.first).number)
        if not faulty:
            sys.exit(f"mutation: the copy does not build\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        print(f"{len(faulty)} do not compile", flush=True)
        mutants = [mutant for mutant in mutants if mutant.number not in faulty]
    return mutants


def run(suite, number, limit):
    """Runs a suite until a test fails; whether one does, and how."""
    tests = [BUILD / "debug/patchpackPackageTests.xctest", "--testing-library", "swift-testing", "--filter", f"{suite}\\."]
    environment = dict(os.environ, PATCHPACK_MUTANT=str(number), SWIFT_BACKTRACE="enable=no")
    process = subprocess.Popen(tests, cwd=TREE, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    noticed, ran = None, False
    deadline = time.monotonic() + limit

    def kill():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    with concurrent.futures.ThreadPoolExecutor(1) as watch:
        def end():
            late = None
            try:
                process.wait(max(0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                late = "a test does not end"
            kill()  # a process that a test started may keep the output open
            return late
        ended = watch.submit(end)
        for line in process.stdout:
            ran = ran or "Test run started" in line
            if match := re.search(r"Test (\S+?)\(.*recorded an issue", line):
                noticed = match[1]
                kill()
                break
        status = process.wait()
        late = ended.result()
    if not ran and number == 0:
        sys.exit(f"mutation: {suite} did not run")
    return noticed or late or (f"it ends with {status}" if status else None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=25, help="mutants of each seed")
    parser.add_argument("--modules", default="PatchPublishing PatchFeed PatchText PatchCrypto")
    arguments = parser.parse_args()
    modules = arguments.modules.split()
    places, mutants = choose(modules, arguments.seed.split(), arguments.count)
    print(f"{len(mutants)} of {places} places in {', '.join(modules)}", flush=True)

    def shown(mutant):
        lines = (ROOT / mutant.site.file).read_text()
        old = " ".join(lines[mutant.site.start:mutant.site.end].split())
        return f"{mutant.number:3} {mutant.site.file}:{mutant.site.first}\n      - {old}\n      + {mutant.text}"

    suites = {module: f"{module}Tests" for module in modules}
    mutants = build(mutants, suites.values())
    limits = {}
    for module, suite in suites.items():
        began = time.monotonic()
        if fault := run(suite, 0, 3600):
            sys.exit(f"mutation: {suite} fails without a mutant: {fault}")
        limits[module] = 60 + 20 * (time.monotonic() - began)

    def judge(mutant):
        noticed = run(suites[mutant.module], mutant.number, limits[mutant.module])
        print(f"{mutant.number:3} {mutant.site.file}:{mutant.site.first}: {noticed or 'LIVES'}", flush=True)
        return mutant, noticed

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        judged = list(pool.map(judge, mutants))
    lived = [mutant for mutant, noticed in judged if not noticed]
    for mutant in lived:
        print(shown(mutant))
    for module in modules:
        here = [noticed for mutant, noticed in judged if mutant.module == module]
        print(f"{module:16}{len(here):4} mutants, {sum(map(bool, here)):4} noticed")
    noticed = len(judged) - len(lived)
    print(f"{noticed} of {len(judged)} noticed ({100 * noticed / max(1, len(judged)):.1f} percent)")
    if not judged or noticed < 0.9 * len(judged):
        sys.exit("mutation: too few are noticed: write tests, or say in mutation.txt why a change has no visible effect")


main()
