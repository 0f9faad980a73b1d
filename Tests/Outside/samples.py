#!/usr/bin/env python3
"""Writes the Swift of README and docs into Sources/samples/Generated, a file for each block, so that it is compiled.

A block that begins with a declaration stays as it is. Any other becomes the body of a function. The names that a block leaves out (`host`,
`clock` …) are in Sources/samples/Context.swift. `#expect` and `@Test` are swift-testing's, which only tests can import.
"""

import pathlib
import re
import shutil

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BLOCK = re.compile(r"^( *)```swift\n(.*?)^ *```$", re.S | re.M)
DECLARATION = re.compile(r"(?:@\w+ )?(?:public )?(?:struct|final class|class|enum|extension|func)\b|@Test")
# PatchDevice includes PatchCrypto, PatchFeed and PatchRunner.
MODULES = ["PatchDevice", "PatchFoundation", "PatchHTTP", "PatchTesting"]


def generate():
    folder = HERE / "Sources" / "samples" / "Generated"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count = 0
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text()
        for match in BLOCK.finditer(text):
            line = text[:match.start()].count("\n") + 2
            lines = [row.removeprefix(match[1]) for row in match[2].split("\n")]
            imports = {row for row in lines if row.startswith("import ")} - {"import Foundation", "import Testing"}
            code = [row for row in lines if not row.startswith("import ")]
            while code and not code[0].strip():
                code.pop(0)
            body = "\n".join(code).replace("#expect(", "expect(").replace("@Test ", "")
            if not DECLARATION.match(code[0]):
                body = f"func sample{count}() async throws {{\n{body}\n}}\n"
            names = sorted({f"import {name}" for name in MODULES} | imports | {"import Foundation"})
            place = f'#sourceLocation(file: "{path}", line: {line})'
            (folder / f"{path.stem}-{line}.swift").write_text("\n".join(names) + f"\n\n{place}\n{body}")
            count += 1
    return count


if __name__ == "__main__":
    print(f"{generate()} samples")
