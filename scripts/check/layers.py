#!/usr/bin/env python3
"""Checks that the folders of each module are layers: no two of them use each other, directly or through others.

The declarations of a file (types, functions, constants, and members that extensions add) and the names that it uses are read from its
tokens, without a compiler. A type that several files declare counts for none of them, nor does a member that is also the name of something else in its
module, or in the standard library. In C, no more than three files may use each other.

    scripts/check/layers.py               fails if a folder uses one above it, and names the lines
    scripts/check/layers.py --print       prints each module's folders, from the ground up, and its largest circle of files
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPE = re.compile(r"\b(?:struct|class|enum|protocol|actor|typealias|macro)\s+(\w+)")
MEMBER = re.compile(r"\b(?:func|var|let|case)\s+`?(\w+)")
PARAMETER = re.compile(r"\b(\w+)\s*:")
GLOBAL = re.compile(r"^(?:(?:public|package|internal|fileprivate|private|@\w+(?:\([^)]*\))?)\s+)*(?:func|let|var)\s+(\w+)", re.M)
STRINGS = re.compile(r'#*"""(?:.|\n)*?"""#*|"(?:\\.|[^"\\\n])*"')
COMMENTS = re.compile(r"//[^\n]*|/\*(?:.|\n)*?\*/")
# Members of the standard library and of lower modules. Other declarations may have the same names.
NAMESAKES = {"rollout", "append", "bool", "insert", "string", "text", "remove", "first", "last", "contains", "count", "map", "reduce", "description"}
INTERPOLATION = re.compile(r"\\\(([^()]*(?:\([^()]*\)[^()]*)*)\)")


def code(text):
    """The text with its comments gone and its strings replaced by their interpolations; lines stay lines."""
    def keep(match):
        inside = " ".join(INTERPOLATION.findall(match.group()))
        return inside.replace("\n", " ") + "\n" * match.group().count("\n")
    text = re.sub(STRINGS.pattern + "|" + COMMENTS.pattern,
                  lambda m: "\n" * m.group().count("\n") if m.group().startswith("/") else keep(m), text)
    return text


def private(line):
    return re.match(r"\s*(?:@\w+\s+)*(?:static\s+)?(?:private|fileprivate)\b", line)


def declared(text, own):
    """Names that the file declares for others; `own` are the module's types."""
    names = set()
    lines = text.split("\n")
    depth = 0
    inside = None
    for line in lines:
        if depth == 0:
            match = re.match(r"\s*(?:(?:public|package|internal|@\w+(?:\([^)]*\))?)\s+)*extension\s+([\w.]+)", line)
            inside = match.group(1) if match else None
        if not private(line):
            if depth <= 1 and (match := TYPE.search(line)) and not re.match(r"\s*import\b", line):
                if depth == 0 or inside:
                    names.add(match.group(1))
            if depth == 0 and (match := GLOBAL.match(line)):
                names.add(match.group(1))
            if depth == 1 and inside:
                if match := MEMBER.search(line):
                    names.add(match.group(1))
        depth += line.count("{") - line.count("}")
    return names


class Module:
    def __init__(self, folder):
        self.name = folder.name
        self.files = {}
        for path in sorted(folder.rglob("*.swift")):
            self.files[path.relative_to(folder)] = code(path.read_text())
        own = {match for text in self.files.values() for match in TYPE.findall(text)}
        places = collections.defaultdict(set)
        for path, text in self.files.items():
            for name in declared(text, own):
                places[name].add(path)
        meanings = collections.Counter(
            name for text in self.files.values() for name in MEMBER.findall(text) + PARAMETER.findall(text))
        self.places = {name: next(iter(paths)) for name, paths in places.items()
                       if len(paths) == 1 and (name in own or meanings[name] == 1 and name not in NAMESAKES)}
        self.is_flat = all(path.parent == pathlib.Path(".") for path in self.files)
        self.uses = collections.defaultdict(lambda: collections.defaultdict(list))
        for path, text in self.files.items():
            for number, line in enumerate(text.split("\n"), 1):
                for name in set(re.findall(r"\w+", line)):
                    place = self.places.get(name)
                    if place and place != path:
                        self.uses[path][place].append((number, name))

    def folder(self, path):
        """A file beside folders is a floor of its own; files without folders are one."""
        return str(path.parent if self.is_flat or path.parent != pathlib.Path(".") else path)

    def arrows(self):
        arrows = collections.defaultdict(set)
        for path, places in self.uses.items():
            for place in places:
                if self.folder(path) != self.folder(place):
                    arrows[self.folder(path)].add(self.folder(place))
        return arrows

    def reasons(self, one, other):
        for path, places in sorted(self.uses.items()):
            for place, found in sorted(places.items()):
                if self.folder(path) == one and self.folder(place) == other:
                    for number, name in found[:2]:
                        yield f"Sources/{self.name}/{path}:{number} names {name} of {place}"


C_DEFINITION = re.compile(r"^(?!static |typedef |return )(?:[\w*]+ )+\**(\w+)\([^;]*$", re.M)
C_PROTOTYPE = re.compile(r"^(?:[\w*]+ )+\**\w+\([^{;]*\);", re.M)
C_IN_HEADER = re.compile(r"^static inline [^;{]*?\b(\w+)\(|^#define (\w+)|^(?:struct|union|enum) (\w+) \{|^\} (\w+);", re.M)
C_CONSTANTS = re.compile(r"^(?:typedef )?enum(?: \w+)? \{([^}]*)\}", re.M)


class CModule:
    """The files of a C target."""
    def __init__(self, folder):
        texts = {path: code(path.read_text()) for path in sorted(folder.rglob("*.[ch]"))}
        self.files = {path.name for path in texts}
        places = collections.defaultdict(set)
        for path, text in texts.items():
            names = C_DEFINITION.findall(text) if path.suffix == ".c" else []
            if path.suffix == ".h" and path.parent == folder:
                names += [name for match in C_IN_HEADER.findall(text) for name in match if name]
                names += [name for part in C_CONSTANTS.findall(text) for name in re.findall(r"\b([A-Z]\w+)", part)]
            for name in names:
                places[name].add(path.name)
        self.uses = collections.defaultdict(lambda: collections.defaultdict(set))
        for path, text in texts.items():
            if path.parent != folder:
                continue  # a header that the library offers
            for name in set(re.findall(r"\w+", C_PROTOTYPE.sub("", text))):
                if len(places[name]) == 1 and (place := next(iter(places[name]))) != path.name:
                    self.uses[path.name][place].add(name)


def circles(arrows, nodes):
    """Strongly connected components with more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in arrows.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            circle = []
            while True:
                circle.append(stack.pop())
                if circle[-1] == node:
                    break
            if len(circle) > 1:
                found.append(sorted(circle, key=str))

    sys.setrecursionlimit(10_000)
    for node in nodes:
        if node not in index:
            visit(node)
    return found


def main():
    failed = False
    for folder in sorted((ROOT / "Sources").iterdir()):
        module = Module(folder)
        if not module.files:
            module = CModule(folder)
            for circle in circles(module.uses, module.files):
                if "--print" in sys.argv:
                    print(f"{folder.name}: a circle of {', '.join(circle)}")
                if len(circle) > 3:
                    failed = True
                    for one in circle:
                        for other in sorted(set(module.uses[one]) & set(circle)):
                            print(f"{folder.name}: {one} uses {', '.join(sorted(module.uses[one][other]))} of {other}")
            continue
        arrows = module.arrows()
        folders = sorted({module.folder(path) for path in module.files})
        found = circles(arrows, folders)
        if "--print" in sys.argv:
            files = circles({path: list(places) for path, places in module.uses.items()}, list(module.files))
            pairs = [(a, b) for a in folders for b in arrows[a] if a < b and a in arrows[b]]
            print(f"{module.name}: {len(module.files)} files, {len(pairs)} pairs of folders that use each other, "
                  f"largest circle of files {max((len(circle) for circle in files), default=1)}")
            placed = []
            while len(placed) < len(folders):
                floor = [f for f in folders if f not in placed and arrows[f] <= set(placed)]
                if not floor:
                    break
                placed += floor
                print("    " + ", ".join(floor))
            for circle in sorted(files, key=len, reverse=True)[:3]:
                print("    circle: " + ", ".join(str(path) for path in circle))
        for circle in found:
            failed = True
            for one in circle:
                for other in sorted(arrows[one] & set(circle)):
                    for reason in module.reasons(one, other):
                        print(f"{one} -> {other}: {reason}")
    if failed:
        sys.exit("scripts/check/layers.py: error: folders use each other; move the code that both need below them, or the code that one takes above")


if __name__ == "__main__":
    main()
