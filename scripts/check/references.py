#!/usr/bin/env python3
"""Checks the layers of each module of Sources by the references that the compiler has resolved.

The last debug build has left those of Swift in .build/debug/index/store, and the toolchain's libIndexStore reads them, on Linux and macOS.
Those of C are the symbols that an object defines and uses. All files must have been built as they are now: run `make test` before.

    scripts/check/references.py           fails if folders or C files use each other, or more than three Swift files, or if a file is
                                          written without OutputFile
    scripts/check/references.py --print   prints all circles of files too

Files named after one type (`Slot.swift`, `Slot+Async.swift`) count as one.
"""

import collections
import ctypes
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build/debug"

DEFINITION, REFERENCE, RECORD = 1 << 1, 1 << 2, 2
# Functions that make or change files, by the compiler's name for those of C and by their own for those of PatchFiles, and who uses them
# besides PatchFiles: those who append, and those who open a terminal or a program's output. All others write with OutputFile.
WRITES = re.compile(r"c:@F@(creat|fopen|link|mkdir|mkfifo|mknod|mkstemp|open|rename|rmdir|symlink|truncate|unlink)(at)?|"
                    r"s:\d+(Glibc|Darwin)4open.*|namelessFile\(in:\)|init\(_:_:in:permissions:\)")
WRITERS = {"PatchDevice/Events/EventFolder.swift", "PatchDevice/Store/StoreFolder.swift", "patchpack/Keys/SignatureCommand.swift",
           "patchpack/Main.swift", "patchpack/System/ShellCommand.swift", "patchpack/System/Terminal.swift", "patchpack/Targets/RsyncTarget.swift"}


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode()


class Handle(ctypes.c_void_p):
    """A pointer that is not turned into a number."""


NAME_VISITOR, VISITOR = (ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, visited) for visited in (Text, Handle))
# What functions of libIndexStore return, if it is not an int or nothing.
RESULTS = {
    Handle: ["store_create", "unit_reader_create", "record_reader_create"],
    Text: ["unit_reader_get_main_file", "unit_dependency_get_filepath", "unit_dependency_get_name", "symbol_get_usr", "symbol_get_name"],
    ctypes.c_uint64: ["symbol_get_roles"],
}


class Store:
    """The index of a build."""
    def __init__(self, folder):
        programs = pathlib.Path(subprocess.check_output([ROOT / "scripts/toolchain.sh"], text=True).strip())
        suffix = "dylib" if platform.system() == "Darwin" else "so"
        file = programs.parent / f"lib/libIndexStore.{suffix}"
        if not file.exists():
            stop(f"{file}: missing; use a toolchain of swift.org, or Xcode's")
        self.library = ctypes.CDLL(str(file))
        for result, names in RESULTS.items():
            for name in names:
                self(name).restype = result
        self.handle = self("store_create")(str(folder).encode(), None)
        if not self.handle:
            stop(f"{folder}: no index; run make test")

    def __call__(self, name):
        """A function of the library."""
        return getattr(self.library, f"indexstore_{name}")

    def visit(self, function, *arguments, visitor=VISITOR, read):
        """What `read` makes of each thing that a function visits, which is gone afterwards."""
        found = []
        self(function)(*arguments, None, visitor(lambda _, thing: found.append(read(thing)) or True))
        return found

    def records(self):
        """The newest record of each Swift file of Sources that is there, with the time at which it was compiled."""
        records = {}
        for name in self.visit("store_units_apply_f", self.handle, 0, visitor=NAME_VISITOR, read=str):
            unit = self("unit_reader_create")(self.handle, name.encode(), None)
            file = pathlib.Path(str(self("unit_reader_get_main_file")(unit)))
            if file.suffix == ".swift" and file.is_relative_to(ROOT / "Sources") and file.exists():
                seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
                self("unit_reader_get_modification_time")(unit, ctypes.byref(seconds), ctypes.byref(nanoseconds))
                dependencies = self.visit("unit_reader_dependencies_apply_f", unit, read=lambda dependency: [
                    self("unit_dependency_get_kind")(dependency),
                    *(str(self(f"unit_dependency_get_{part}")(dependency)) for part in ("filepath", "name"))])
                for kind, path, record in dependencies:
                    if kind == RECORD and path == str(file):
                        new = (seconds.value + nanoseconds.value / 1e9, record)
                        records[file.relative_to(ROOT / "Sources")] = max(records.get(file.relative_to(ROOT / "Sources"), new), new)
            self("unit_reader_dispose")(unit)
        return records

    def symbols(self, record):
        """The identity, the name and the roles of each symbol that a file has."""
        reader = self("record_reader_create")(self.handle, record.encode(), None)
        found = self.visit("record_reader_symbols_apply_f", reader, True, read=lambda symbol: (
            str(self("symbol_get_usr")(symbol)), str(self("symbol_get_name")(symbol)), self("symbol_get_roles")(symbol)))
        self("record_reader_dispose")(reader)
        return found


def c_symbols():
    """The symbols that each C and C++ file defines for others, and those that it uses."""
    tools = subprocess.check_output([ROOT / "scripts/toolchain.sh"], text=True).strip()
    defined, used = collections.defaultdict(set), collections.defaultdict(dict)
    for source in sorted(ROOT.glob("Sources/*/*.c*")):
        file, target = source.relative_to(ROOT / "Sources"), BUILD / f"{source.parent.name}.build"
        compiled = target / f"{source.name}.o"
        # A header that changed compiles only the files that include it, which the compiler lists beside the object.
        listed = target / f"{source.name}.d"
        included = listed.read_text() if listed.exists() else ""
        texts = [source, *(header for header in source.parent.rglob("*.h") if f"/{header.name}" in included)]
        if not compiled.exists() or compiled.stat().st_mtime < max(text.stat().st_mtime for text in texts):
            stop(f"{source.relative_to(ROOT)}: not built as it is now; run make test")
        for line in subprocess.check_output([f"{tools}/llvm-nm", "--extern-only", "--format=posix", compiled], text=True).splitlines():
            name, kind = line.split()[:2]
            if kind == "U":
                used[file][name] = name
            else:
                defined[name].add(file)
    return defined, used


def circles(arrows):
    """The sets of nodes that reach each other."""
    reached = {}
    for node in arrows:
        found, left = set(), {node}
        while left:
            left = {other for one in left for other in arrows.get(one, ())} - found
            found |= left
        reached[node] = found
    return sorted({tuple(sorted(other for other in found if node in reached.get(other, ()))) for node, found in reached.items() if node in found})


def stop(message):
    sys.exit(f"scripts/check/references.py: error: {message}")


def main():
    store = Store(BUILD / "index/store")
    records = store.records()
    for path in sorted(ROOT.glob("Sources/*/**/*.swift")):
        time, _ = records.get(path.relative_to(ROOT / "Sources"), (0, ""))
        if time < path.stat().st_mtime:
            stop(f"{path.relative_to(ROOT)}: not in the index as it is now; run make test")
    defined, used = c_symbols()
    for file, (_, record) in records.items():
        for usr, name, roles in store.symbols(record):
            if roles & DEFINITION:
                defined[usr].add(file)
            if roles & REFERENCE:
                used[file][usr] = name
                if (WRITES.fullmatch(usr) or WRITES.fullmatch(name)) and file.parts[0] != "PatchFiles" and str(file) not in WRITERS:
                    stop(f"{file} uses {name}: files are written with OutputFile; see WRITERS in this script")
    files = collections.defaultdict(lambda: collections.defaultdict(set))
    for file, symbols in used.items():
        for usr, name in symbols.items():
            for place in defined[usr] - {file}:
                if place.parts[0] == file.parts[0]:
                    files[file][place].add(name)
    folders = collections.defaultdict(lambda: collections.defaultdict(set))
    every = {*records, *used}
    flat = {file.parts[0] for file in every} - {file.parts[0] for file in every if len(file.parts) > 2}
    for file, places in files.items():
        for place, names in places.items():
            one, other = (path if len(path.parts) == 2 and path.parts[0] not in flat else path.parent for path in (file, place))
            if one != other:
                folders[one][other] |= {f"{name} ({file.name} uses {place.name})" for name in names}

    found = [("folders", folders, circle, True) for circle in circles(folders)]
    for circle in circles(files):
        types = {file.stem.split("+")[0] for file in circle}
        found.append(("files", files, circle, len(types) > (3 if circle[0].suffix == ".swift" else 1)))
    for kind, arrows, circle, is_wrong in found:
        if is_wrong or "--print" in sys.argv:
            print(f"{kind} use each other: {', '.join(map(str, circle))}")
            for one in circle:
                for other in sorted(set(arrows[one]) & set(circle)):
                    print(f"    {one} -> {other}: {', '.join(sorted(arrows[one][other])[:4])}")
    if any(is_wrong for *_, is_wrong in found):
        stop("circles; move the code that both need below them, or the code that one takes above")
    print(f"scripts/check/references.py: {len(every)} files, no circle of folders")


main()
