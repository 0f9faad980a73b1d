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


NAME_VISITOR = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, Text)
VISITOR = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)


class Store:
    """The index of a build."""
    def __init__(self, folder):
        programs = pathlib.Path(subprocess.check_output([ROOT / "scripts/toolchain.sh"], text=True).strip())
        suffix = "dylib" if platform.system() == "Darwin" else "so"
        file = programs.parent / f"lib/libIndexStore.{suffix}"
        if not file.exists():
            stop(f"{file}: missing; use a toolchain of swift.org, or Xcode's")
        self.library = ctypes.CDLL(str(file))
        for name, result, *arguments in [
            ("store_create", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
            ("store_units_apply_f", ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, NAME_VISITOR),
            ("unit_reader_create", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
            ("unit_reader_dispose", None, ctypes.c_void_p),
            ("unit_reader_get_main_file", Text, ctypes.c_void_p),
            ("unit_reader_get_modification_time", None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
            ("unit_reader_dependencies_apply_f", ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, VISITOR),
            ("unit_dependency_get_kind", ctypes.c_int, ctypes.c_void_p),
            ("unit_dependency_get_filepath", Text, ctypes.c_void_p),
            ("unit_dependency_get_name", Text, ctypes.c_void_p),
            ("record_reader_create", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
            ("record_reader_dispose", None, ctypes.c_void_p),
            ("record_reader_symbols_apply_f", ctypes.c_bool, ctypes.c_void_p, ctypes.c_bool, ctypes.c_void_p, VISITOR),
            ("symbol_get_roles", ctypes.c_uint64, ctypes.c_void_p),
            ("symbol_get_usr", Text, ctypes.c_void_p),
            ("symbol_get_name", Text, ctypes.c_void_p),
        ]:
            function = getattr(self.library, "indexstore_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.handle = self.store_create(str(folder).encode(), None)
        if not self.handle:
            stop(f"{folder}: no index; run make test")

    def records(self):
        """The newest record of each Swift file of Sources that is there, with the time at which it was compiled."""
        names, records = [], {}
        self.store_units_apply_f(self.handle, 0, None, NAME_VISITOR(lambda _, name: names.append(str(name)) or True))
        for name in names:
            unit = self.unit_reader_create(self.handle, name.encode(), None)
            file = pathlib.Path(str(self.unit_reader_get_main_file(unit)))
            if file.suffix == ".swift" and file.is_relative_to(ROOT / "Sources") and file.exists():
                seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
                self.unit_reader_get_modification_time(unit, ctypes.byref(seconds), ctypes.byref(nanoseconds))

                def visit(_, dependency):
                    if self.unit_dependency_get_kind(dependency) == RECORD:
                        record = (seconds.value + nanoseconds.value / 1e9, str(self.unit_dependency_get_name(dependency)))
                        if str(self.unit_dependency_get_filepath(dependency)) == str(file):
                            records[file] = max(records.get(file, record), record)
                    return True
                self.unit_reader_dependencies_apply_f(unit, None, VISITOR(visit))
            self.unit_reader_dispose(unit)
        return {file.relative_to(ROOT / "Sources"): record for file, record in records.items()}

    def symbols(self, record):
        """The identity, the name and the roles of each symbol that a file has."""
        found = []

        def visit(_, symbol):
            found.append((str(self.symbol_get_usr(symbol)), str(self.symbol_get_name(symbol)), self.symbol_get_roles(symbol)))
            return True
        reader = self.record_reader_create(self.handle, record.encode(), None)
        self.record_reader_symbols_apply_f(reader, True, None, VISITOR(visit))
        self.record_reader_dispose(reader)
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

    def show(circle, arrows):
        for one in circle:
            for other in sorted(set(arrows[one]) & set(circle)):
                print(f"    {one} -> {other}: {', '.join(sorted(arrows[one][other])[:4])}")

    found = circles(folders, sorted(folders))
    for circle in found:
        print(f"folders use each other: {', '.join(map(str, circle))}")
        show(circle, folders)
    for circle in circles(files, sorted(files)):
        types = {file.stem.split("+")[0] for file in circle}
        is_wrong = len(types) > (3 if circle[0].suffix == ".swift" else 1)
        if is_wrong:
            found.append(circle)
        if is_wrong or "--print" in sys.argv:
            print(f"files use each other: {', '.join(map(str, circle))}")
            show(circle, files)
    if found:
        stop("circles; move the code that both need below them, or the code that one takes above")
    print(f"scripts/check/references.py: {len(every)} files, no circle of folders")


if __name__ == "__main__":
    main()
