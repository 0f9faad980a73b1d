#!/usr/bin/env python3
"""Writes the Swift of README and docs into Sources/samples/Generated, a file for each block, so that it is compiled.

A block that begins with a declaration stays as it is. Any other becomes the body of a function. The names that a block leaves out (`host`,
`now` …) are in Sources/samples/Context.swift. `#expect` and `@Test` are swift-testing's, which only tests can import.

A block that imports Foundation is a whole program: the `main.swift` of a target of its own, which programs.py runs.
"""

import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BLOCK = re.compile(r"^( *)```swift\n(.*?)^ *```$", re.S | re.M)
DECLARATION = re.compile(r"(?:@\w+ )?(?:public )?(?:struct|final class|class|enum|extension|func)\b|@Test")
# PatchDevice includes PatchCrypto, PatchFeed and PatchRunner.
MODULES = ["PatchDevice", "PatchFoundation", "PatchHTTP", "PatchTesting"]
# The page of each whole program, and the text that the test replaces in it.
PROGRAMS = {
    "runner": {},
    "server": {
        "/usr/share/files": "files",
        'HTTPSource("https://patches.example.com")':
            'HTTPSource(ProcessInfo.processInfo.environment["FEED"] ?? "", settings: HTTPSettings(allowsHTTP: true))',
    },
}


def generate():
    folder = HERE / "Sources" / "samples" / "Generated"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count = 0
    programs = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text()
        for match in BLOCK.finditer(text):
            line = text[:match.start()].count("\n") + 2
            lines = [row.removeprefix(match[1]) for row in match[2].split("\n")]
            place = f'#sourceLocation(file: "{path}", line: {line})'
            if "import Foundation" in lines:
                programs.append(path.stem)
                write_program(path.stem, f"{place}\n" + "\n".join(lines))
                continue
            imports = {row for row in lines if row.startswith("import ")} - {"import Foundation", "import Testing"}
            # The parts of a module that a test imports are in Context.swift.
            code = [row for row in lines if not row.startswith(("import ", "@testable import "))]
            while code and not code[0].strip():
                code.pop(0)
            body = "\n".join(code).replace("#expect(", "expect(").replace("@Test ", "")
            if not DECLARATION.match(code[0]):
                body = f"func sample{count}() async throws {{\n{body}\n}}\n"
            names = sorted({f"import {name}" for name in MODULES} | imports | {"import Foundation"})
            (folder / f"{path.stem}-{line}.swift").write_text("\n".join(names) + f"\n\n{place}\n{body}")
            count += 1
    if programs != [*PROGRAMS]:
        sys.exit(f"samples: the whole programs are on the pages {programs}, and programs.py runs {[*PROGRAMS]}")
    return count


def write_program(page, code):
    for given, other in PROGRAMS.get(page, {}).items():
        if code.count(given) != 1:
            sys.exit(f"samples: {page}.md: {given} is not there once")
        code = code.replace(given, other)
    folder = HERE / "Sources" / f"{page}-page" / "Generated"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.swift").write_text(code)


if __name__ == "__main__":
    print(f"{generate()} samples")
