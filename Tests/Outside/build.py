#!/usr/bin/env python3
"""Builds and runs a package that depends on this checkout, as an app does, in the ways in which release builds are made.

Each way of keeping a replaceable function is written out for each form of function, because the optimizer sees each:
Swift 6.3.1 has crashed on some of them. Prints for each build how long it took, and how much memory the largest process had; a
build of more than 2 GiB is a failure.
"""

import os
import resource
import subprocess
import sys
import time

import programs
import samples

HERE = os.path.dirname(os.path.abspath(__file__))
GENERATED = os.path.join(HERE, "Sources", "outside", "Generated")
PACKAGES = os.path.join(HERE, "..", "..", ".build", "packages")
SWIFT = os.environ.get("SWIFT", "swift")
MOST_MEMORY = 2 << 20  # KiB

VARIANTS = {
    "plain": [],
    "testing": ["-enable-testing"],
    "evolution": ["-enable-library-evolution"],
    "testing-evolution": ["-enable-testing", "-enable-library-evolution"],
}

# The type of an argument, a value of it, and its `weight`.
ARGUMENTS = [
    ("Double", "1.5", 1.5), ("Int", "2", 20), ("String", '"abc"', 3000), ("[Double]?", "[1, 2]", 30_000),
    ("Item", 'Item(name: "pen", price: 2)', 200_000), ("Basket", "Basket()", 1_000_000),
]
ARITIES = range(len(ARGUMENTS) + 1)
RESULTS = {
    "Double": "{sum}", "String": 'String({sum})', "Item": 'Item(name: "sum", price: {sum})', "Void": "_ = {sum}",
}
IS_RIGHT = {"Double": "answer == {sum}", "String": 'Double(answer) == {sum}', "Item": "answer.price == {sum}"}


class Function:
    def __init__(self, number, effects, result, is_point=False):
        self.number, self.effects, self.result, self.is_point = number, effects, result, is_point
        self.throws, self.is_async = "throws" in effects, "async" in effects
        words = effects.replace("(", " ").replace(")", " ").split()
        self.name = "_".join([("p" if is_point else "f") + str(number), *words, result.lower()])
        types = ", ".join(a[0] for a in ARGUMENTS[:number])
        signature = f"({types}) {effects + ' ' if effects else ''}-> {result}"
        # This module does not enable NonisolatedNonsendingByDefault.
        isolation = "nonisolated(nonsending) " if self.is_async else ""
        self.type = f"PatchPoint<{isolation}{signature}>" if is_point else f"Replaceable<{isolation}@Sendable {signature}>"
        self.sum = f"{sum(a[2] for a in ARGUMENTS[:number])}"
        body = "World.work(); " + ("try World.mayFail(); " if self.throws else "")
        names = [f"a{i}" for i in range(number)]
        weights = " + ".join(["0.0", *(f"weight({n})" for n in names)])
        returns = "" if result == "Void" else "return "
        parameters = ", ".join(f"{n}: {a[0]}" for n, a in zip(names, ARGUMENTS))
        # A typed error is one of the errors that a throwing function may throw.
        effects = effects.replace("throws", "throws(Trouble)") if result == "Item" else effects
        self.original = (f"{{ ({parameters}) {effects + ' ' if effects else ''}-> {result} in {body}"
                         f"{returns}{RESULTS[result].format(sum=weights)} }}")
        self.values = ", ".join(a[1] for a in ARGUMENTS[:number])
        if is_point:
            self.registration = f'try registry.register({self.type}("T.{self.name}"))'
        else:
            self.registration = f'try registry.replaceable("T.{self.name}") {self.original}'

    def call(self, function):
        """The expression that calls the kept function."""
        effects = ("try " if self.throws else "") + ("await " if self.is_async else "")
        trailing = f" {self.original}" if self.is_point else ""
        return f"{effects}{function}({self.values}){trailing}"

    def caller(self, way, parameters, before, function):
        """A function that calls it in some way."""
        effects = ("async " if self.is_async else "") + ("throws " if self.throws else "")
        return (f"@inline(never) func {way}_{self.name}({parameters}) {effects}-> {self.result} {{\n"
                f"    {before}\n    return {self.call(function)}\n}}\n")

    def check(self, call, others="", may_wait=False):
        """Checks the result of a call."""
        effects = ("try " if self.throws else "") + ("await " if self.is_async or may_wait else "")
        answer = f"let answer: {self.result} = {effects}{call}; " if self.result != "Void" else f"{effects}{call}; "
        is_right = IS_RIGHT.get(self.result, "true").format(sum=self.sum)
        return (f'    await World.check("{call.partition(chr(40))[0]}", throws: {str(self.throws).lower()}) '
                f"{{ {answer}return {is_right} }}\n")


FORMS = [("", "Double"), ("", "Void"), ("throws", "String"), ("throws", "Item"), ("throws", "Void")]
FUNCTIONS = [Function(n, e, r) for n in ARITIES for e, r in [*FORMS, *((f"async {e}".strip(), r) for e, r in FORMS)]]
POINTS = [Function(n, e, r, is_point=True) for n in ARITIES for e, r in FORMS]
ALL = FUNCTIONS + POINTS


def share(way, functions):
    """The functions that are called in a way: every form and every number of arguments, but not each with each, unless
    OUTSIDE=all asks for them, because that takes minutes to compile."""
    if os.environ.get("OUTSIDE") == "all":
        return functions
    return [f for i, f in enumerate(functions) if (i + f.number + sum(way.encode())) % 6 == 0]


# How a kept function is reached: its declarations, the values that a caller gets, the preparation, and the call.
WAYS = {
    "local": ("", "_ all: Functions", "let function = all.{name}", "function", "all"),
    "structs": ("", "_ all: Functions", "", "all.{name}", "all"),
    "parameter": ("", "_ function: {type}", "", "function", "all.{name}"),
    "tuple": ("", "_ pair: (Int, {type})", "", "pair.1", "(1, all.{name})"),
    "optional": ("", "_ function: ({type})?", "guard let function else {{ fatalError() }}", "function", "all.{name}"),
    "array": ("", "_ functions: [{type}], _ index: Int", "", "functions[index]", "[all.{name}, all.{name}], 1"),
    "dictionary": ("", "_ functions: [String: {type}]", 'guard let function = functions["one"] else {{ fatalError() }}',
                   "function", '["one": all.{name}]'),
    "box": ("", "_ box: Box<{type}>", "", "box.value", "Box(all.{name})"),
    "enumeration": ("", "_ kept: OneOf<{type}>", "guard case .this(let function) = kept else {{ fatalError() }}",
                    "function", ".this(all.{name})"),
    "existential": ("", "_ kept: any Sendable", "guard let function = kept as? {type} else {{ fatalError() }}",
                    "function", "all.{name}"),
    "finalClass": ("", "_ kept: ClassOfAll", "", "kept.{name}", "ClassOfAll(all)"),
    "openClass": ("", "_ kept: OpenClassOfAll", "", "kept.{name}", "OpenClassOfAll(all)"),
    "globals": ("let global_{name} = Kept.functions.{name}\n", "", "", "global_{name}", ""),
    "statics": ("extension Statics {{ static let {name} = Kept.functions.{name} }}\n", "", "", "Statics.{name}", ""),
    "captured": ("", "_ function: {type}", "{capture}", "call", "all.{name}"),
}


def write(name, text):
    path = os.path.join(GENERATED, name + ".swift")
    text = "import PatchRunner\n\n" + text
    if not os.path.exists(path) or open(path).read() != text:
        with open(path, "w") as file:
            file.write(text)


def holder(kind, way, keyword):
    """A type with a property for each function."""
    properties = "".join(f"    {keyword} {f.name}: {f.type}\n" for f in ALL)
    assignments = "".join(f"        {f.name} = all.{f.name}\n" for f in ALL)
    return f"{kind} {{\n{properties}    init(_ all: Functions) {{\n{assignments}    }}\n}}\n"


def generate():
    os.makedirs(GENERATED, exist_ok=True)
    text = "struct Functions: Sendable {\n" + "".join(f"    let {f.name}: {f.type}\n" for f in ALL)
    text += "    init(_ registry: PatchRegistry) throws {\n"
    text += "".join(f"        {f.name} = {f.registration}\n" for f in ALL) + "    }\n}\n\n"
    text += """enum Kept {
    static let registry = PatchRegistry(instrument: Around.asked)
    static let functions: Functions = {
        do { return try Functions(registry) } catch { fatalError("\\(error)") }
    }()
}
enum Statics {}
enum OneOf<Value> { case this(Value), that }
final class Box<Value: Sendable>: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
"""
    text += holder("final class ClassOfAll: Sendable", "finalClass", "let")
    text += holder("class OpenClassOfAll", "openClass", "var")
    text += "func exposeMethods(_ methods: inout PatchMethods<Basket>) {\n"
    for n in ARITIES:
        parameters = ", ".join(["_: Basket", *(f"a{i}: {a[0]}" for i, a in enumerate(ARGUMENTS[:n]))])
        weights = " + ".join(["0.0", *(f"weight(a{i})" for i in range(n))])
        text += f'    methods.method("m{n}") {{ ({parameters}) -> Double in {weights} }}\n'
    text += "}\n"
    lua = ["1.5", "2", "'abc'", "{1, 2}", "{name = 'pen', price = 2}", "basket"]
    calls = " + ".join(f"basket:m{n}({', '.join(lua[:n])})" for n in ARITIES)
    total = sum(sum(a[2] for a in ARGUMENTS[:n]) for n in ARITIES)
    text += f'let methodCalls = "{calls}"\nlet methodSum = {float(total)}\n\n'
    text += "func callAll(_ all: Functions) async throws {\n"
    text += "".join(f"    await {way}_all(all)\n" for way in [*WAYS, "actors", "originals"]) + "}\n"
    write("Functions", text)

    for way, (declaration, parameters, before, function, values) in WAYS.items():
        text = checks = ""
        for f in share(way, ALL):
            names = {"name": f.name, "type": f.type, "capture": f"let call = {{ {f.call('function')} }}"}
            text += declaration.format(**names)
            if way == "captured":
                inner = ("async " if f.is_async else "") + ("throws " if f.throws else "")
                text += (f"@inline(never) func {way}_{f.name}({parameters.format(**names)}) "
                         f"-> () {inner}-> {f.result} {{ {{ {f.call('function')} }} }}\n")
                checks += f.check(f"{way}_{f.name}({values.format(**names)})()")
            else:
                text += f.caller(way, parameters.format(**names), before.format(**names), function.format(**names))
                checks += f.check(f"{way}_{f.name}({values.format(**names)})")
        write(way, f"{text}\nfunc {way}_all(_ all: Functions) async {{\n{checks}}}\n")

    properties = "".join(f"    let {f.name}: {f.type}\n" for f in ALL)
    assignments = "".join(f"        {f.name} = all.{f.name}\n" for f in ALL)
    methods = checks = ""
    for f in share("actors", ALL):
        effects = ("async " if f.is_async else "") + ("throws " if f.throws else "")
        methods += f"    func call_{f.name}() {effects}-> {f.result} {{ {f.call(f.name)} }}\n"
        checks += f.check(f"kept.call_{f.name}()", may_wait=True)
    write("actors", f"actor ActorOfAll {{\n{properties}    init(_ all: Functions) {{\n{assignments}    }}\n{methods}}}\n\n"
          f"func actors_all(_ all: Functions) async {{\n    let kept = ActorOfAll(all)\n{checks}}}\n")

    text = checks = ""
    for f in share("originals", FUNCTIONS):
        for way, parameters, function, values in (
            ("original", f"_ function: {f.type}", "function.original", f"all.{f.name}"),
            ("originalInClass", "_ kept: ClassOfAll", f"kept.{f.name}.original", "ClassOfAll(all)"),
            ("originalInArray", f"_ functions: [{f.type}]", "functions[0].original", f"[all.{f.name}]"),
        ):
            text += f.caller(way, parameters, "", function)
            checks += f.check(f"{way}_{f.name}({values})")
    write("originals", f"{text}\nfunc originals_all(_ all: Functions) async {{\n{checks}}}\n")


def run(*command):
    """Seconds, and the largest process's memory in KiB."""
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        status = subprocess.call(command, cwd=HERE)
        with open(os.path.join(PACKAGES, "memory"), "w") as file:
            file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
        os._exit(0 if status == 0 else 1)
    failed = os.waitpid(child, 0)[1] != 0
    if failed:
        sys.exit(f"outside: failed: {' '.join(command)}")
    with open(os.path.join(PACKAGES, "memory")) as file:
        return time.monotonic() - started, int(file.read())


def main():
    generate()
    if not samples.generate():
        sys.exit("outside: no Swift was found in the documents")
    os.makedirs(PACKAGES, exist_ok=True)
    for variant in sys.argv[1:] or VARIANTS:
        # The benchmarks and the programs of Tests/Macros are built in the first one too.
        scratch = PACKAGES + ("" if variant == "plain" else f"-{variant}")
        flags = [x for flag in VARIANTS[variant] for x in ("-Xswiftc", flag)]
        build = [SWIFT, "build", "-c", "release", "--scratch-path", scratch, *flags]
        run(*build, "--target", "PatchRunner")
        seconds, memory = run(*build)
        print(f"{variant}: {seconds:.0f} s, {memory >> 10} MiB", flush=True)
        if memory > MOST_MEMORY:
            sys.exit(f"outside: {variant} took {memory >> 10} MiB to build, and {MOST_MEMORY >> 10} are allowed")
        for program, *arguments in (["outside"], ["outside", "instrumented"], ["main-actor"]):
            run(os.path.join(scratch, "release", program), *arguments)
        programs.check(os.path.join(HERE, scratch, "release"))


main()
