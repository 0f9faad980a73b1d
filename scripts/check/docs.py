#!/usr/bin/env python3
"""Checks the statements of README and docs/ about the rest of the repository.

    scripts/check/docs.py            fails if a figure, a count, a list, a path, the width of a line or the form of a block is not as it should be
    scripts/check/docs.py --write    takes the figures of speed from RESULTS.md

- Code is in fences that name their language. Tests/Docs/run.py runs `sh`; Tests/Outside compiles `swift`, and Tests/Macros the blocks with macros.
- Figures of speed come from Benchmarks/RESULTS.md, rounded. Counts are counted. Lists have the same members as the code, and settings the same
  defaults.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "SECURITY.md", "CONTRIBUTING.md"] + [f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = {"sh", "swift", "lua", "json", "yaml", "text"}
WIDTH = 160
NOTES = {"sh": r"not 0|not run: .+", "swift": r"part of a manifest|with the macros|with other packages"}

THREADS = "patched calls from several threads"
TASKS = "patched calls of an asynchronous function from several tasks, through to the original"
FIVE, FIFTY = (f"a launch with {number} good patches of 5 KB each" for number in ("five", "fifty"))
PACKED = "pack 200 scripts of 5 KB of code, signed with"
MODEL = "a patched call with a model of nine members: dates, a URL, an enum, a list"
INSTANCE, ONCE = "resident memory of a further instance of a small patch", "Measured once"
# The places of figures in the documents, with the section and the row of RESULTS.md that each one comes from. … is the figure.
FIGURES = {
    "README.md": [
        (r"A replaceable\s+function takes \[…\]", "a call, not patched", "Replaceable"),
        (r"to call without a patch, and … with one", "a patched call", "Replaceable"),
    ],
    "docs/server.md": [(r"A small one takes about …[,.]", INSTANCE, "the mean of fifteen")],
    "docs/performance.md": [
        (r"a `PatchPoint` without a patch \| … \|", "a call, not patched", "PatchPoint"),
        (r"a `Replaceable` without a patch \| … \|", "a call, not patched", "Replaceable"),
        (r"a patch, with a `Double` and an `Int` \| … \|", "a patched call", "Replaceable"),
        (r"calls its original, with the same \| … \|", "a patched call, through to the original", "Replaceable"),
        (r"with a string of 32 bytes \| … \|", "a patched call with a string of 32 bytes", "Replaceable"),
        (r"fields \(`PatchStruct`\) \| … \|", "a patched call with a struct of three fields", "fields declared"),
        (r"the same struct, `Codable` \| … \|", "a patched call with a struct of three fields", "Codable"),
        (r"an array of 100 strings \| … \|", "a patched call with an array of 100 strings", "Replaceable"),
        (r"an array of 1,000 numbers \| … \|", "a patched call with an array of 1,000", "Replaceable"),
        (r"a dictionary of 100 numbers \| … \|", "a patched call with a dictionary of 100 numbers", "Replaceable"),
        (r"an array of 100 structs \(`PatchStruct`\) \| … \|", "a patched call with an array of 100 structs of three fields", "Replaceable"),
        (r"without a listener for events \| … \|", "a patched call that fails, and falls back", "Replaceable"),
        (r"`Codable` takes …\)", MODEL, "Codable"),
        (r"a model of nine members .* \| … \|", MODEL, "fields declared"),
        *[(rf"\n\| {callers}[^|]* \| {cells}… \|", work, f"{callers}, one patch, {instances}")
          for work, some in ((THREADS, "threads"), (TASKS, "tasks")) for callers in (f"two {some}", f"sixteen {some}")
          for cells, instances in (("", "an instance for each processor"), (r"[^|]+ \| ", "one instance"))],
        (r"\n\| one thread \| … \|", THREADS, "one thread"),
        (r"\n\| one task, [^|]* \| … \|", TASKS, "one task"),
        ("sixteen threads, the longest takes …:",
         "the longest of 320,000 patched calls from sixteen threads", "one patch, an instance for each processor"),
        ("further instance of a small patch takes …[,.]", INSTANCE, "the mean of fifteen"),
        ("is a file of … from", ONCE, "PatchDevice, release: file"),
        ("or … after `strip`", ONCE, "PatchDevice, release, stripped: file"),
        ("takes … of processor time in its first debug", ONCE, "PatchDevice, first debug build: processor time"),
        ("it takes …, for swift-syntax", ONCE, "macros, first debug build: processor time"),
        ("folder takes … with one", ONCE, "a device with one small patch: disk"),
        (r"verified, compiled and active after …\.", "from an envelope's bytes to active, a script of 5 KB", "install and remove"),
        ("five good patches of that size takes …,", FIVE, "a store on the disk"),
        (r"five installs from memory take\s+…\.", FIVE, "five installs from memory"),
        (r"the launch with five takes …\.", FIVE, "a store on the disk, pages not cached"),
        ("A launch with fifty takes … on", FIFTY, "a store in memory, checks on other threads"),
        (r"fifty installs on one thread\s+take … ", FIFTY, "fifty installs from memory, on one thread"),
        ("5 KB of code in … with Ed25519", f"{PACKED} Ed25519", "patchpack, 1 job"),
        ("in … without lint", f"{PACKED} Ed25519", "patchpack, 1 job, no lint"),
        (r"with RSA-3072 it takes …\.", f"{PACKED} RSA-3072", "patchpack, 1 job"),
        ("4 KiB is packed in … and", "pack 4 KiB in process, signed with RSA-3072", "patchpack"),
        ("verified in … with RSA-3072", "verify 4 KiB in process, signed with RSA-3072", "patchpack"),
        ("RSA-3072, and takes … and", "pack 4 KiB in process, signed with Ed25519", "patchpack"),
        (r"[mµ]s and … with Ed25519\.", "verify 4 KiB in process, signed with Ed25519", "patchpack"),
    ],
}
# Lists in code and in documents: the kind of members, the file, the part of it, and the form of a member in that part.
PRODUCTS = ("products", "Package.swift", r"products: \[(.*?)\n    \]", r"\.library\(name: \"(\w+)\"")
LISTS = [
    (PRODUCTS, "docs/installing.md", r"// products ([^\n]*)", r"\w+"),
    (PRODUCTS, "docs/compatibility.md", r"covers the products ([^.]*?), and both plug-ins", r"Patch\w+"),
    (("plug-ins", "Package.swift", r"products: \[(.*?)\n    \]", r"\.plugin\(name: \"(\w+)\""), "docs/installing.md", r"(.*)",
     r"^#### (Patch\w+)$"),
    (("suites", "Sources/PatchCrypto/Keys/EnvelopeSuite.swift", r"(.*)", r"static let \w+ = Self\(\s*\"(.*?)\""), "docs/format.md",
     r"\n\| suite \| cipher .*?\n\n", r"^\| `([^`]*)`"),
    (("algorithms", "Sources/PatchCrypto/Keys/SignatureAlgorithm.swift", r"(.*)", r"static let \w+ = Self\(\"([\w-]+)\""), "docs/format.md",
     r"\n\| algorithm \| .*?\n\n", r"^\| `([^`]*)`"),
    (("stages", "Sources/PatchCrypto/Verification/VerificationReport.swift", r"enum Stage\b[^{]*\{(.*?)\}", r"\b(?!case\b)(\w+)(?=,|\n|$)"),
     "docs/cli.md", r"`stages` are `([^`]*)`", r"\w+"),
    (("tags", "Sources/PatchCrypto/Manifest/ScriptHead.swift", r"enum Tag\b(.*?)\n    \}", r"case (\w+)"), "docs/cli.md",
     r"\n## pack\n(.*?)\n## ", r"^\| `@(\w+)"),
    (("verbs", "Sources/patchpack/Commands/Tool/Verb+All.swift", r"Verb\] = \[(.*?)\]", r"(\w+)Command\.verb"), "docs/cli.md",
     r"```text\n(.*?)```", r"^patchpack (\w+)"),
    (("limits", "Sources/PatchRunner/Sandbox/PatchLimits.swift", r"struct PatchLimits\b(.*?)\n    (?:public )?init", r"public var (\w+)"), "docs/runner.md",
     r"\n## Limits\n(.*?)\n### ", r"(?<=[|,;] )`(\w+)`|(?<= within )`(\w+)`"),
    *[((f"actions of {verb}", f"Sources/patchpack/Commands/{path}Command.swift", r"(.*)", rf'name: "{verb} (\w+)"|\baction\(\s*"(\w+)"'),
       "docs/cli.md", rf"\npatchpack {verb} +(.*?)\npatchpack", r"(?:^ *|\| )([a-z]+)")
      for verb, path in (("feed", "Feed/Feed"), ("store", "Device/Store"), ("trust", "Keys/Trust"), ("keystore", "Keys/Keystore"),
                         ("interface", "Scripts/Interface"))],
]
# The settings whose defaults the pages name.
SETTINGS = ["Sources/PatchRunner/Sandbox/PatchLimits.swift", "Sources/PatchHTTP/HTTPSettings.swift", "Sources/PatchDevice/Store/CrashLimits.swift",
            "Sources/PatchDevice/Sync/SyncSettings.swift"]
VALUE = r"\d{1,3}(?:,\d{3})*(?: (?:ms|s|minutes|KiB|MiB)\b)?"
# Nanoseconds, and the KiB that RESULTS.md has as KB.
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "KiB": 1, "KB": 1, "MB": 1024}


def result(section, row):
    text = (ROOT / "Benchmarks/RESULTS.md").read_text()
    part = re.search(rf"^## {re.escape(section)}$(.*?)(?=^## |\Z)", text, re.S | re.M)
    found = part and re.search(rf"^\| {re.escape(row)} \| ([^|]+) \|", part[1], re.M)
    return found and found[1].strip()


def measured():
    """The form of each name of a work or a row in the sources of `make bench`, with any text for an interpolation."""
    sources = "".join(path.read_text() for path in sorted((ROOT / "Benchmarks/Sources/benchmarks").glob("*.swift")))
    names = re.findall(r'(?:work:|work =|way:|name:|\.init\()\s*"((?:[^"\\]|\\.)*)"', sources)
    return [".*".join(map(re.escape, re.split(r"\\\(.*?\)", name))) for name in names]


def figures(write):
    names, late = measured(), []
    for document, pattern, section, row in ((document, *row) for document, rows in FIGURES.items() for row in rows):
        text = (ROOT / document).read_text()
        found, there = re.search(pattern.replace("…", r"([\d.]+)\s(\w+)"), text), result(section, row)
        if found and not there and all(any(re.fullmatch(name, words) for name in names) for words in (section, row)):
            late.append(row)
            continue
        if not found or not there:
            yield f"{document}: no figure at {pattern!r}" if not found else f"Benchmarks/RESULTS.md: no {row!r} in {section!r}"
            continue
        (number, unit), (measure, measure_unit) = found.groups(), there.split()
        digits = len(number.partition(".")[2])
        # Half a unit of the last digit shown.
        if abs(float(number) * UNITS[unit] - float(measure) * UNITS[measure_unit]) <= 10 ** -digits * UNITS[unit] / 2 * 1.001:
            continue
        if write:
            new = f"{float(measure):.{digits}f} {unit}" if UNITS[unit] == UNITS[measure_unit] else there
            (ROOT / document).write_text(text[:found.start(1)] + new + text[found.end(2):])
        else:
            yield f"{document}: has {number} {unit}, and RESULTS.md {there}: {section}, {row}; run scripts/check/docs.py --write"
    if late:
        print(f"docs.py: {len(late)} figures are not compared, because RESULTS.md has no such rows before the next `make bench`", file=sys.stderr)


def counts():
    there = len(list((ROOT / "Tests/PatchRunnerTests/Hostile/scripts").glob("*.lua")))
    if f"`HostileScriptTests`, {there} scripts" not in (ROOT / "Tests/README.md").read_text():
        yield f"Tests/README.md: `HostileScriptTests` has {there} scripts"


def settings():
    """The defaults in the code of the settings of a library, by name: numbers, bytes and seconds. Two may have one name."""
    found = {}
    for path in SETTINGS:
        for name, value in re.findall(r"public var (\w+)(?:: \w+)? = ([\w.()<* ]+)$", (ROOT / path).read_text(), re.M):
            seconds = re.fullmatch(r"Duration\.(seconds|milliseconds)\(([\d.]+)\)", value)
            if seconds:
                found.setdefault(name, set()).add(float(seconds[2]) * UNITS["s" if seconds[1] == "seconds" else "ms"] / UNITS["s"])
            elif re.fullmatch(r"[\d_.]+(?: (?:\*|<<) [\d_.]+)?", value):
                found.setdefault(name, set()).add(eval(value))
    return found


def defaults():
    """The defaults of settings that pages name: in the table of limits, and as `name` (VALUE) or VALUE (`name`)."""
    code, count = settings(), 0
    for document in DOCUMENTS:
        for number, line in enumerate((ROOT / document).read_text().split("\n"), 1):
            named = re.findall(rf"`(?:\w+\.)?(\w+)` \(({VALUE})", line)
            named += [(name, value) for value, name in re.findall(rf"({VALUE})[^()|`;,.]* \(`(?:\w+\.)?(\w+)`\)", line)]
            cells = line.strip("| ").split(" | ")
            if document == "docs/runner.md" and len(cells) == 2 and re.match(VALUE, cells[1]):
                values = re.findall(VALUE, cells[1])
                named += zip([name for name in re.findall(r"`(\w+)`", cells[0]) if name in code], values * 2 if "each" in line else values)
            for name, value in named:
                if name not in code:
                    continue
                count += 1
                amount, _, unit = value.replace(",", "").partition(" ")
                if float(amount) * {"": 1, "minutes": 60, "KiB": 1 << 10, "MiB": 1 << 20, "s": 1, "ms": 1e-3}[unit] not in code[name]:
                    yield f"{document}:{number}: {name} is {value}, and in the code {' or '.join(map(str, code[name]))}"
    if count < 25:
        yield f"docs: only {count} defaults of settings are found in the pages"


def members(path, part, form):
    found = re.search(part, (ROOT / path).read_text(), re.S)
    return {"".join(name if isinstance(name, tuple) else [name]).lower() for name in re.findall(form, found[min(1, found.re.groups)], re.M)} if found else set()


def lists():
    for (name, path, *code), document, *text in LISTS:
        here, there = members(document, *text), members(path, *code)
        if here != there or not here:
            yield f"{document}: the {name} differ from {path}: {', '.join(sorted(here ^ there)) or 'none is found'}"


def schemas():
    """The members of the tool's JSON lines that docs/cli.md does not list."""
    table = (ROOT / "docs/cli.md").read_text().replace("\n  ", " ")  # an item of a list goes on in the next line
    rows = {name: set(re.findall(r"`(\w+)`", line)) | {"schema", "error"}
            for line in table.split("\n") for name in re.findall(r"`patchpack\.([\w-]+)/1`", re.split(r" \| |, one for each", line)[0])}
    for path in sorted((ROOT / "Sources/patchpack").rglob("*.swift")):
        text = path.read_text()
        for schema in re.finditer(r'\.(?:object|report)\([\s\[]*(?:\("schema", \.string\()?"patchpack\.([\w-]+)/1"', text):
            place, depth, names = text.index("(", schema.start()) + 1, 1, set()
            for token in re.finditer(r'[(\[]\s*(?:"(\w+)",)?|[)\]]', text[place:]):
                if token[1] and depth == 2:
                    names.add(token[1])
                depth += 1 if token[0][0] in "([" else -1
                if depth == 0:
                    break
            if schema[1] != "error" and (missing := names - rows.get(schema[1], set())):
                yield f"docs/cli.md: patchpack.{schema[1]}/1 lacks {', '.join(sorted(missing))}"


def blocks():
    for document in DOCUMENTS:
        lines = (ROOT / document).read_text().split("\n")
        inside = False
        for number, line in enumerate(lines, 1):
            fence = re.match(r" *```(.*)$", line)
            if fence and not inside:
                language, _, note = fence[1].partition(" ")
                if language not in LANGUAGES:
                    yield f"{document}:{number}: a block of code needs a language: {', '.join(sorted(LANGUAGES))}"
                elif note and not re.fullmatch(NOTES.get(language, "-"), note.strip("()")):
                    yield f"{document}:{number}: {note} means nothing for {language}"
            elif not fence and not inside and line.startswith("    ") and not lines[number - 2].strip() and number > 1 \
                    and not any(re.match(r"\s*[-*] ", above) for above in lines[max(0, number - 12):number - 1]):
                yield f"{document}:{number}: code is in a fence that names its language"
            inside = inside != bool(fence)


def widths():
    """Lines that are too wide to read beside an editor. A row of a table goes on in another row, with empty cells."""
    for document in DOCUMENTS:
        if document != "CONTRIBUTING.md":
            for number, line in enumerate((ROOT / document).read_text().split("\n"), 1):
                if len(line) > WIDTH:
                    yield f"{document}:{number}: has {len(line)} columns, more than {WIDTH}"


def prose(document):
    return re.sub(r"^ *```.*?^ *```$", "", (ROOT / document).read_text(), flags=re.S | re.M)


def anchors(document):
    """The headings of a page as GitHub's fragments, and those that it gives itself."""
    text = prose(document)
    headings = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in re.findall(r"^#+ (.*)", text, re.M)]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings} | set(re.findall(r'<a id="([^"]+)"', text))


def links():
    for document in DOCUMENTS:
        for link in re.findall(r"\]\((?!\w+:)([^)\s]+)\)", prose(document)):
            name, _, fragment = link.partition("#")
            target = (ROOT / document).parent / name if name else ROOT / document
            if not target.exists() or fragment and target.suffix == ".md" and fragment not in anchors(target):
                yield f"{document}: links to {link}, which does not exist"
    for page in sorted((ROOT / "docs").glob("*.md")):
        if f"(docs/{page.name})" not in (ROOT / "README.md").read_text() + (ROOT / "CONTRIBUTING.md").read_text():
            yield f"docs/{page.name}: neither README.md nor CONTRIBUTING.md links to it"


def paths():
    """The files that documents name, those that maintainers' pages name without their folder, and CONTRIBUTING's list of folders."""
    for document in DOCUMENTS:
        for path in re.findall(r"[`(]((?:Sources|Tests|scripts|examples|Benchmarks|Fuzz)/[\w/+.-]+\.\w+)[`)]", (ROOT / document).read_text()):
            if not (ROOT / path).exists():
                yield f"{document}: names {path}, which does not exist"
    files = subprocess.check_output(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True).split("\n")
    for document in ["CONTRIBUTING.md", "docs/design.md", "Benchmarks/README.md", "Tests/Vectors/README.md"]:
        for name in re.findall(r"`([\w/+.-]+\.(?:swift|c|h|cpp|lua|sh|py|sql|txt|json|md))`", (ROOT / document).read_text()):
            if not any(f"/{file}".endswith(f"/{name}") for file in files):
                yield f"{document}: names {name}, which does not exist"
    listed, path = set(), []
    for line in (ROOT / "CONTRIBUTING.md").read_text().split("## Where things are")[-1].split("```")[1].split("\n"):
        indent, words = re.match(r"( *)(.*?)(?:  |$)", line).groups()
        if len(indent) <= 4 and words:
            path = path[:len(indent) // 2] + [words.split()[0].strip(",")]
            listed |= {"/".join(path[:-1] + [word.strip(",")]) for word in words.split()}
    there = {folder for file in files if file.startswith("Sources/") for folder in map(str, pathlib.Path(file).parents)}
    there = {folder for folder in there if folder.count("/") > 1 and not folder.endswith(("/include", ".docc"))}
    listed = {folder for folder in listed if folder.startswith("Sources/") and folder.count("/") > 1}
    if listed != there:
        yield f"CONTRIBUTING.md: lists other folders than there are: {', '.join(sorted(listed ^ there))}"


def main():
    faults = [*blocks(), *widths(), *paths(), *links(), *figures("--write" in sys.argv), *counts(), *defaults(), *lists(), *schemas()]
    if faults:
        sys.exit("\n".join(faults))


main()
