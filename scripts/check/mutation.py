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
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".build/mutation"
TREE, NEW, BUILD = WORK / "tree", WORK / "new", WORK / "build"
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

# A place that can be changed: its code, its lines, and the alternatives. A place without alternatives is removed.
Site = collections.namedtuple("Site", "file start code first last alternatives")
Mutant = collections.namedtuple("Mutant", "number module site text")

OPERATORS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
             (" && ", " || "), (" || ", " && "), (" - ", " + "), (" + ", " - "), (" / ", " * "), (" * ", " + "),
             ("..<", "..."), ("...", "..<"), ("min(", "max("), ("max(", "min("), (".first", ".last"), (".last", ".first")]

# A comment or a string, with interpolated calls in it.
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|(#+)("{3}|").*?\2\1|"{3}(?:\\.|[^\\])*?"{3}|"""
                   r'"(?:\\\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)|\\.|[^"\\\n])*"', re.S)
KEYWORD = re.compile(r"(let|var|case|if|switch|get|return|throw|guard)\b")
STATEMENT = re.compile(r"(?!(?:let|var|func|return|case|if|for|while|switch|defer|precondition|fatalError|self\.init|super|init)\b)"
                       r"(try )?[\w.]+(\(.*\)|(\[.*\])? [-+]?= .+)$")


def masked(text):
    """The text without comments and strings, character for character."""
    return TOKEN.sub(lambda match: re.sub(r"[^\n]", " " if match[0][0] == "/" else '"', match[0]), text)


def closing(code, at, ends):
    """The end of the expression at a place: its closing bracket, or the first of `ends` outside of brackets."""
    depth = 0
    for index in range(at, len(code)):
        if depth == 0 and code[index] in ends + ")]}":
            return index
        depth += (code[index] in "([{") - (code[index] in ")]}")
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
        if depth == 0 and code[index] in "([{":
            return code[code.rfind("\n", 0, index) + 1:index + 1].strip()
        depth += (code[index] in ")]}") - (code[index] in "([{")
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
            found.append(Site(file, start, text[start:end], line(start), line(end), alternatives))

    for match in re.finditer(r"(?<![#.\w`])(guard|if|while|for)\b(?!:)", code):
        conditions = {"guard": r"(.*)\belse\s*$", "for": r"\bwhere\b(.*)"}.get(match[1], "(.*)")
        bounds = re.search(conditions, code[match.end():closing(code, match.end(), "{")], re.S)
        for start, stop in clauses(code, match.end() + bounds.start(1), match.end() + bounds.end(1)) if bounds else ():
            part = code[start:stop]
            if not re.match(r"(let|var|case)\b|#|\{|$", part):
                # The guard lets everything through.
                always = ["true"] if match[1] == "guard" and "await" not in part else []
                add(start, stop, changes(text[start:stop], part, True) + always)

    rows = list(re.finditer("^ *(.*?) *$", code, re.M))
    for number, row in enumerate(rows, 1):
        start, part = row.start(1), row[1]
        before, after = (rows[place][1] if 0 <= place < len(rows) else "" for place in (number - 2, number))
        continues = re.match(r"[.?:&|+\-*/=<>!]", after) or re.search(r"[,(\[=:?&|+\-*/<>]$|\breturn$", before)
        # A value, or the only expression of a block on one line.
        values = [re.match(r"(?:return|(?:(?:package|public|private|static) )*(?:let|var) \w+(?:: [^={]+)? =|[\w.]+ [-+]?=) (?P<value>.+)$", part),
                  re.search(r"\{ (?:[\w, ()]+ in )?(?P<value>[^{}]+) \}$", part)]
        for match in values:
            if match and not continues and is_balanced(match["value"]) and not KEYWORD.match(match["value"]):
                first, last = match.span("value")
                add(start + first, start + last, changes(text[start + first:start + last], match["value"], False))
        # A statement on its own lines.
        block = opener(code, start)
        if continues or re.search(r"\bguard\b|^\} else \{$|^else \{$|\b(enum|struct|class|extension|protocol|switch)\b|^$|[(\[]$", block):
            continue
        is_property = re.search(r"\binit\b", block) and re.match(r"(self\.)?\w+ = ", part)  # without its value, it would not compile
        end = closing(code, start, "\n") if re.match(r"throw\b", part) else start + len(part)
        if re.match(r"throw\b|(continue|break)$", part) or not is_property and is_balanced(part) and STATEMENT.match(part):
            found.append(Site(file, start, text[start:end], number, line(end), ()))
    return found


def switched(mutant):
    """The code in the copy: the place as it is, and as it is changed."""
    code, change, effect = mutant.site.code, mutant.text, ""
    if not mutant.site.alternatives:
        return f"if {SWITCH} != {mutant.number} {{ {code} }}"
    if re.search(r"\btry ", code):
        effect, code, change = "try ", code.replace("try ", ""), change.replace("try ", "")
    return f"{effect}({SWITCH} == {mutant.number} ? ({change}) : ({code}))"


def listed(*patterns):
    """The files of the checkout."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns]
    return [name for name in subprocess.check_output(command, cwd=ROOT, text=True).split("\0") if (ROOT / name).is_file()]


def choose(modules, seeds, count):
    """The mutants of some seeds: as many for each, and none twice."""
    places = []
    for module in modules:
        for file in listed(f"Sources/{module}/*.swift"):
            seen = collections.Counter()
            for site in sites(file):
                seen[site.code] += 1
                places.append((module, site, f"{file} {site.code} {seen[site.code]}"))
    equivalents = {tuple(line.split(" | ")[:3]) for line in EQUIVALENTS.read_text().splitlines()}
    used, chosen = collections.defaultdict(list), []
    for seed in seeds:
        # Each place draws its own random number for the order, so that a change elsewhere does not affect it.
        draws = [(random.Random(f"{seed} {name}"), module, site) for module, site, name in places]
        left = count
        for rng, module, site in sorted(draws, key=lambda draw: draw[0].random()):
            text = rng.choice(site.alternatives) if site.alternatives else ""
            overlaps = any(first <= site.last and site.first <= last for first, last in used[site.file])
            if left > 0 and not overlaps and (site.file, site.code, text) not in equivalents:
                used[site.file].append((site.first, site.last))
                chosen.append(Mutant(len(chosen) + 1, module, site, text))
                left -= 1
    return len(places), chosen


def copy(mutants):
    """Makes the copy as the checkout is, with mutants. A file that stays as it was is not built again."""
    shutil.rmtree(NEW, ignore_errors=True)
    for name in listed():
        (NEW / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, NEW / name)
    package = NEW / "Package.swift"
    # A change may leave a variable unused, and reading the switch is an unsafe call.
    settings = r"target\.swiftSettings\?\.append\(\.treatAllWarnings\(as: \.error\)\)|\.strictMemorySafety\(\),"
    package.write_text(re.sub(settings, "", package.read_text()))
    for mutant in sorted(mutants, key=lambda mutant: -mutant.site.start):
        file, start = NEW / mutant.site.file, mutant.site.start
        text = file.read_text()
        file.write_text(text[:start] + switched(mutant) + text[start + len(mutant.site.code):])
        (NEW / f"Sources/{mutant.module}/Mutant.swift").write_text(SOURCE)
    subprocess.run(["rsync", "-r", "--perms", "--checksum", "--delete", f"{NEW}/", TREE], check=True)


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
    with tempfile.NamedTemporaryFile() as output:
        process = subprocess.Popen(tests, cwd=TREE, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        end, status, noticed = time.monotonic() + limit, None, None
        while status is None and not noticed and time.monotonic() < end:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = process.wait(0.2)
            said = pathlib.Path(output.name).read_text(errors="replace")
            noticed = re.search(r"Test (\S+?)\(.*recorded an issue", said)
        with contextlib.suppress(ProcessLookupError):  # also what a test started
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if "Test run started" not in said and number == 0:
        sys.exit(f"mutation: {suite} did not run")
    if noticed or status == 0:
        return noticed and noticed[1]
    return "a test does not end" if status is None else f"it ends with {status}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=25, help="mutants of each seed")
    parser.add_argument("--modules", default="PatchPublishing PatchFeed PatchText PatchCrypto")
    arguments = parser.parse_args()
    modules = arguments.modules.split()
    places, mutants = choose(modules, arguments.seed.split(), arguments.count)
    print(f"{len(mutants)} of {places} places in {', '.join(modules)}", flush=True)

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
    for number, _, site, text in lived:
        print(f"{number:3} {site.file}:{site.first}\n      - {' '.join(site.code.split())}\n      + {text}")
    for module in modules:
        here = [noticed for mutant, noticed in judged if mutant.module == module]
        print(f"{module:16}{len(here):4} mutants, {sum(map(bool, here)):4} noticed")
    noticed = len(judged) - len(lived)
    print(f"{noticed} of {len(judged)} noticed ({100 * noticed / max(1, len(judged)):.1f} percent)")
    if not judged or noticed < 0.9 * len(judged):
        sys.exit("mutation: too few are noticed: write tests, or say in mutation.txt why a change has no visible effect")


main()
