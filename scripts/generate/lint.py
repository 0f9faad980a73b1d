#!/usr/bin/env python3
"""Makes docs/lint.md: the findings of lint, each with the two patches of Tests/Lint that have a line `-- doc: SENTENCE`.

    lint.py [--check]     --check compares the page instead
"""

import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/lint.md"
# A patch with this finding is too long for a page.
WITHOUT = {"too-large"}
HEAD = """# The findings of lint

<!-- scripts/generate/lint.py makes this page. -->

`patchpack lint` prints the code of a finding at the end of its line. An error is in code that the app refuses, or that fails when it is called. A warning is
about code that may be intended: a comment `-- patchpack: ignore CODE` [silences it](cli.md#init-interface-lint-test).

{errors}
{warnings}

The scripts are for an app with this interface. The head of a script is shown only if the finding has to do with it.

```text
{app}
```
"""


def codes():
    """Each code with its severity and its meaning."""
    source = (ROOT / "Sources/PatchLint/Findings/Finding.swift").read_text()
    rows = re.findall(r'static let \w+ = Code\(\s*"([\w-]+)",\s*\.(\w+),\s*"(.*)"\s*\)', source)
    if len(rows) != source.count("= Code("):
        sys.exit("lint.py: Finding.swift has a code that this script cannot read")
    return {code: (severity, meaning.replace('\\"', '"')) for code, severity, meaning in rows}


def patches():
    """The patches with a sentence, each as its code or `none`, the sentence, and its scripts."""
    for path in sorted((ROOT / "Tests/Lint").glob("*.lua")):
        # Bytes that are not UTF-8 are Latin-1.
        text = re.sub("[\udc80-\udcff]", lambda match: chr(ord(match[0]) - 0xDC00), path.read_bytes().decode(errors="surrogateescape"))
        for match in re.finditer(r"((?:^-- lint: .*\n)+)-- doc: (.*)\n((?:(?!-- lint: ).*\n)*)", text, re.M):
            found = re.findall(r"^-- lint: ([\w-]+)", match[1], re.M)
            yield path.stem if path.stem in found else found[0], match[2], match[3]


def functions(interface, scripts):
    """The declarations of the functions that scripts use, and of all types that these name, a line each."""
    def line(name, function):
        names = function.get("parameters") or function["arguments"]
        arguments = ", ".join(f"{name}: {kind}" for name, kind in zip(names, function["arguments"]))
        return f"{name}({arguments}){' throws' if function['throws'] else ''} -> {function['result']}"

    def used(declarations, words):
        return [one for one in declarations if re.search(rf"\b{re.escape(one['name'])}\b", words)]

    def shown(kind):
        if "fields" in kind:
            return [f"{kind['name']} has " + ", ".join(f"{field['name']}: {field['type']}" for field in kind["fields"])]
        if "cases" in kind:
            return [f"{kind['name']} is " + (", ".join(map(json.dumps, kind["cases"])) or kind["type"])]
        return [line(f"{kind['name']}:{method['name']}", method) for method in kind["methods"]]

    lines = [line(function["name"], function) for function in used(interface["functions"], scripts)]
    kinds, found, words = interface["structs"] + interface["scalars"] + interface["classes"], [], " ".join(lines)
    while new := [kind for kind in used(kinds, words) if kind not in found]:
        found += new
        words = " ".join(text for kind in new for text in shown(kind))
    return "\n".join(lines + [text for kind in kinds if kind in found for text in shown(kind)])


def wrapped(text, indent=""):
    return textwrap.fill(text, 160, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def page():
    findings, every, shown = codes(), list(patches()), {}
    if len(every) % 2:
        sys.exit(f"lint.py: in Tests/Lint, the patches to show are pairs, but the last one is alone: {every[-1][0]}")
    for (wrong, *first), (right, *second) in zip(every[::2], every[1::2]):
        if wrong not in findings or right != "none" or wrong in shown:
            sys.exit(f"lint.py: in Tests/Lint, the patches to show are pairs, one with a finding and one without it: {wrong}, {right}")
        shown[wrong] = (("wrong", *first), ("right", *second))
    if missing := findings.keys() - shown.keys() - WITHOUT:
        sys.exit(f"lint.py: Tests/Lint shows no patch with {', '.join(sorted(missing))}")
    links, parts = {"error": [], "warning": []}, []
    for code, (severity, meaning) in sorted(findings.items()):
        links[severity].append(f"[`{code}`](#{code})")
        parts.append(f"## `{code}`\n\n" + wrapped(f"{severity.capitalize()}: {meaning}.") + "\n")
        if code in shown:
            parts.append("```lua\n" + "\n".join(f"-- {word}: {sentence}\n{scripts}" for word, sentence, scripts in shown[code]) + "```\n")
    interface = json.loads((ROOT / "Tests/Lint/interface.json").read_text())
    app = functions(interface, "".join(scripts for pair in shown.values() for _, _, scripts in pair))
    errors, warnings = (wrapped(f"- {name}: {', '.join(links[severity])}.", "  ") for name, severity in (("Errors", "error"), ("Warnings", "warning")))
    return "\n".join([HEAD.format(errors=errors, warnings=warnings, app=app), *parts])


if sys.argv[1:] not in ([], ["--check"]):
    sys.exit(__doc__)
if sys.argv[1:] == ["--check"]:
    if not PAGE.exists() or PAGE.read_text() != page():
        sys.exit("docs/lint.md: differs from Tests/Lint and the codes; run scripts/generate/lint.py")
else:
    PAGE.write_text(page())
