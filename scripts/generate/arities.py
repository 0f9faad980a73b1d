#!/usr/bin/env python3
"""Writes Swift code that is the same for each number of parts. usage: arities.py functions|refusals|structs

functions: Sources/PatchRunner/Registry/Arities.swift, for registered functions with 0 to 6 arguments.
refusals: Sources/PatchRunner/Registry/Unavailable+Arities.swift, for functions that cannot be registered.
structs: Sources/PatchRunner/Values/PatchFields+Arities.swift, for declared structs with 1 to 16 fields.

Code with parameter packs would need no generator. But it was measured that a call from Lua back to a Swift original through
packs takes twice as long as through code of fixed arity, because its closures are built at run time. A struct of three fields
takes two thirds more instructions. With packs in the helpers of asynchronous calls alone, such a call takes 5,745 instructions
instead of 4,335.

With 8 arguments instead of 6, a debug build of PatchRunner takes 18.2 s of processor time instead of 15.9.

The code is emitted into the modules that use it, and nowhere else (`@_alwaysEmitIntoClient`): with `@inlinable`, each app also had the
unspecialized form of all of it, which is half a megabyte.

In a template, «…» stands once for each part: $A is its type, $a its name, and $i its place.
"""
import re
import string
import sys

MOST = 6
MOST_FIELDS = 16

HEAD = """\
//
public import PatchCrypto

// For each number of arguments: how a call enters the patch that is active on its name (`call`), how a script's values
// are passed to the original (`invoke`), and the public functions that use both.
"""

FUNCTIONS = """
// MARK: $n argument$s

extension Slot {
$entries$reader    @_alwaysEmitIntoClient
    func callAsynchronously<«$A: PatchValue, »Output: PatchResult, Failure: Error>(
        «_ $a: $A, »as _: Output.Type, original: («$A, ») async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value {
        try await run(
            .cell(cell), («$a, »), count: $n, as: Output.self,
            push: { (values: («$A, »), stack) in «values.$i._push(to: stack); »},
            read: { stack in readAsynchronously(stack, from: 1«, $A.self») },
            original: { (values: («$A, »)) async throws(Failure) -> Output.Value in try await original(«values.$i, ») })
    }

    /// The arguments from a place on the stack. nil after an error was pushed.
    @_alwaysEmitIntoClient
    func readAsynchronously<«$A: PatchValue, »>(_ stack: _PatchStack, from first: Int32«, _: $A.Type») -> («$A, »)? {
        guard $reads else {
            _ = stack.refuseArguments(of: self, from: first, [«$A.self, »])
            return nil
        }
        return («$a, »)
    }
}

extension PatchRegistry {
    @_alwaysEmitIntoClient
    func asynchronous<«$A: PatchValue, »Output: PatchResult, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable («$A, ») async throws(Failure) -> Output.Value,
        as _: Output.Type
    ) throws(PatchError) -> Slot where Output.Value: Sendable«, $A: Sendable» {
        try registerAsynchronous(
            name, arguments: [«$A.self, »], result: Output.self, failure: Failure.self
        ) {
            slot, stack, first in
            guard let («$a, ») = slot.readAsynchronously(stack, from: first«, $A.self») else { return nil }
            return {
                await Slot.outcome(as: Output.self) { () async throws(Failure) -> Output.Value in
                    try await slot.callAsynchronously(«$a, »as: Output.self, original: original)
                }
            }
        }
    }

$registrations}

extension Replaceable {
$calls}

extension PatchPoint {
$points}
"""

# How a call of scalars enters the patch, with arguments and without.
SCALARS = """\
                var bits = («Scalar.bits($a), »)
                let entrance = unsafe withUnsafeBytes(of: &bits) { bits in
                    unsafe call(
                        cell, CallReference(record), bits.assumingMemoryBound(to: UInt64.self).baseAddress, kinds)
                }"""
NO_SCALARS = "                let entrance = unsafe call(cell, CallReference(record), nil, kinds)"

ENTRY = """\
    @_alwaysEmitIntoClient @inline(never)
    func call$Throwing<«$A: PatchValue, »Output: PatchResult>(
        _ cell: LayerCell, «_ $a: $A, »as _: Output.Type, original: @escaping («$A, ») $throws-> Output.Value
    ) $throws-> Output.Value {
        ${try}unsafe withUnsafePointer(to: original) { (place) $throws-> Output.Value in
            var record = unsafe CallRecord<(«$A, ») $throws-> Output.Value, Output.Value, $failure>(place)
            return ${try}unsafe withUnsafeMutablePointer(to: &record) { (record) $throws-> Output.Value in
            let stack: _PatchStack
            if «Scalar.kind($A.self) > 0, »Scalar.kind(Output.Value.self) > 0 {
                let kinds = «Scalar.kind($A.self) << $bit | »Scalar.kind(Output.Value.self) << 32
$scalars
                switch entrance {
                case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                case .entered(let entered): stack = entered
                default: return ${try}answer$Throwing(entrance, «$a, »as: Output.self, original: original)
                }
            } else {
                let entrance = unsafe enter(cell, CallReference(record))
                switch entrance {
                case .entered(let entered):
«                    $a._push(to: entered)
»                    if let value = Output.finish(entered, arguments: $n) { return value }
                    stack = entered
                default: return ${try}answer$Throwing(entrance, «$a, »as: Output.self, original: original)
                }
            }
            switch unsafe settle(stack, Output.self, record.pointee.outcome) {
            case .outcome(let outcome): return ${try}outcome.get()
            case .below(var below):
                return ${try}unsafe withUnsafeMutablePointer(to: &below) { (below) $throws-> Output.Value in
                    ${try}unsafe call$Throwing(LayerCell(below), «$a, »as: Output.self, original: original)
                }
            }
            }
        }
    }

    /// Answers a call that has not entered the patch.
    @_alwaysEmitIntoClient @inline(never)
    func answer$Throwing<«$A: PatchValue, »Output: PatchResult>(
        _ entrance: Entrance, «_ $a: $A, »as _: Output.Type, original: @escaping («$A, ») $throws-> Output.Value
    ) $throws-> Output.Value {
        switch entrance {
        case .otherwise(let bits): return ${try}Otherwise.outcome(bits, Output.self, $failure.self).get()
        case .instrumented(let cell):
            return ${try}observed(
                cell, («$a, »), count: $n, as: Output.self, push: { (values: («$A, »), stack) in «values.$i._push(to: stack); »}
            ) { () throws($failure) in ${try}call$Throwing(cell, «$a, »as: Output.self, original: original) }
        default: return ${try}original(«$a, »)
        }
    }

    @_alwaysEmitIntoClient @inline(__always)
    func invoke$Throwing<«$A: PatchValue, »Output: PatchResult>(
        _ original: @escaping («$A, ») $throws-> Output.Value, _ stack: _PatchStack, _ first: Int32, _ record: CallReference?, _ cell: LayerCell, as _: Output.Type«, _: $A.Type»
    ) -> Int32 {
        guard $reads else {
            return stack.refuseArguments(of: self, from: first, [«$A.self, »])
        }
        // For functions of scalars, the bridge separates the host's time from the script's.
        let isTimed = «Scalar.kind($A.self) > 0 && »Scalar.kind(Output.Value.self) > 0 && record != nil
        let record = unsafe CallRecord<(«$A, ») $throws-> Output.Value, Output.Value, $failure>.at(record)
        return unsafe stack.answer$Throwing(record, isTimed: isTimed, as: Output.self) {
            ${try}cell.isEmpty
                ? original(«$a, ») : call$Throwing(cell, «$a, »as: Output.self, original: original)
        }
    }

"""

READER = """\
    @_alwaysEmitIntoClient @inline(__always)
    static func arguments<«$A: PatchValue, »>(_ stack: _PatchStack, from first: Int32, «_: $A.Type, ») -> («$A, »)? {
        if «Scalar.kind($A.self) > 0, »{
            var bits = («UInt64(0), »)
            let areRead = unsafe withUnsafeMutableBytes(of: &bits) { bits in
                unsafe stack.read(
                    «Scalar.kind($A.self) << $bit | », from: first, into: bits.assumingMemoryBound(to: UInt64.self).baseAddress)
            }
            return areRead ? («Scalar.value(bits.$i, as: $A.self), ») : nil
        }
        guard stack.hasAtMost($n, from: first)«, let $a = $A._read(from: stack, at: first + $i)» else { return nil }
        return («$a, »)
    }

"""

# Only the first pair, without arguments, with a result and without errors, has the documentation below its first line.
REGISTRATION = """\
    /// Registers a function with $words that $does.
    ///
    /// - Parameters:
    ///   - name: The name that patches use, such as `Cart.total`.
    ///   - original: The function. It answers while no patch is active on its name.
    /// - Returns: The function to call instead.
    /// - Throws: `config` if the name is already registered or cannot be registered.
    @_alwaysEmitIntoClient
    public func replaceable<«$A: PatchValue, »$generic>(
        _ name: String, _ original: @escaping @Sendable («$A, ») $throws-> $value
    ) throws(PatchError) -> Replaceable<@Sendable («$A, ») $throws-> $value> {
        let slot = try register(
            name, arguments: [«$A.self, »], result: $output.self, failure: $failure.self
        ) { $0.invoke$Throwing(original, $1, $2, $3, $4, as: $output.self«, $A.self») }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function with $words that $does. It runs on its caller's actor.
    ///
    /// - Parameters:
    ///   - name: The name that patches use, such as `Cart.total`.
    ///   - original: The function. While it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call instead.
    /// - Throws: `config` if the name is already registered or cannot be registered.
    @_alwaysEmitIntoClient
    public func replaceable<«$A: PatchValue, »$generic>(
        _ name: String, _ original: @escaping @Sendable («$A, ») async $throws-> $value
    ) throws(PatchError) -> Replaceable<@Sendable («$A, ») async $throws-> $value>
    where «$A: Sendable, »$sendable {
        Replaceable(slot: try asynchronous(name, original, as: $output.self), original: original)
    }

"""

CALL = """\
    /// Calls the function, or the patch that replaces it.
    @_alwaysEmitIntoClient @inline(__always)
    public func callAsFunction<«$A: PatchValue, »$generic>(«_ $a: $A, ») $throws-> $value
    where Function == @Sendable («$A, ») $throws-> $value {
        guard slot.isPatched else { return ${try}original(«$a, ») }
        return ${try}slot.call$Throwing(slot.cell, «$a, »as: $output.self, original: original)
    }

    /// Calls the function, or the patch that replaces it.
    @_alwaysEmitIntoClient @inline(__always)
    public func callAsFunction<«$A: PatchValue, »$generic>(«_ $a: $A, ») async $throws-> $value
    where Function == @Sendable («$A, ») async $throws-> $value, «$A: Sendable, »$sendable {
        guard slot.isPatched else { return ${try}await original(«$a, ») }
        return ${try}await slot.callAsynchronously(«$a, »as: $output.self, original: original)
    }

"""

POINT = """\
    /// Declares a place in the code, with $words, that $does.
    /// ``PatchRegistry/register(_:)`` registers it.
    ///
    /// - Parameters:
    ///   - name: The name that patches use, such as `Cart.total`.
    ///   - parameters: The parameters' names, for the interface.
    @_alwaysEmitIntoClient
    public init<«$A: PatchValue, »$generic>(_ name: String, parameters: [String] = []) where Function == («$A, ») $throws-> $value {
        self.init(
            name, arguments: [«$A.self, »], result: $output.self, failure: $failure.self, parameters: parameters,
            calling: { $0.invoke$Throwing($1, $2, $3, $4, $5, as: $output.self«, $A.self») })
    }

    /// Declares an asynchronous place in the code, with $words, that $does.
    /// ``PatchRegistry/register(_:)`` registers it.
    ///
    /// - Parameters:
    ///   - name: The name that patches use, such as `Cart.total`.
    ///   - parameters: The parameters' names, for the interface.
    @_alwaysEmitIntoClient
    public init<«$A: PatchValue, »$generic>(_ name: String, parameters: [String] = []) where Function == («$A, ») async $throws-> $value {
        self.init(
            name, arguments: [«$A.self, »], result: $output.self, failure: $failure.self, parameters: parameters)
    }

    /// Runs the code at this place, or the patch that replaces it. Both run on the caller's actor.
    @_alwaysEmitIntoClient @inline(__always)
    public func callAsFunction<«$A: PatchValue, »$generic>(
        «_ $a: $A, »original: («$A, ») async $throws-> $value
    ) async $throws-> $value where Function == («$A, ») async $throws-> $value {
        guard slot.isPatched else { return ${try}await original(«$a, ») }
        return ${try}await slot.callAsynchronously(«$a, »as: $output.self, original: original)
    }

    /// Runs the code at this place, or the patch that replaces it.
    @_alwaysEmitIntoClient @inline(__always)
    public func callAsFunction<«$A: PatchValue, »$generic>(
        «_ $a: $A, »original: («$A, ») $throws-> $value
    ) $throws-> $value where Function == («$A, ») $throws-> $value {
        guard slot.isPatched else { return ${try}original(«$a, ») }
        return ${try}withoutActuallyEscaping(original) { (original) $throws-> $value in
            ${try}slot.call$Throwing(slot.cell, «$a, »as: $output.self, original: original)
        }
    }

"""

WORDS = ["no arguments", "one argument"] + [f"{word} arguments" for word in ("two", "three", "four", "five", "six")]

REFUSALS_HEAD = """\
//
public import PatchCrypto

// The compiler chooses one of these for a closure that fits no registering function, so that its error explains why. There is one
// for each kind of function, because the result's type shows which kind was meant.
extension PatchRegistry {
"""

REFUSAL = """\
    @available(*, unavailable, message: "$message")$attribute
    public func replaceable<«$A, »each Argument$Value>(
        _ name: String, _ original: @escaping $function$unlike
    ) throws(PatchError) -> Replaceable<$function> { fatalError() }

"""

EFFECTS = ("", "throws ", "async ", "async throws ")
NO_VALUE = ("the type of an argument or of the result is no PatchValue (UUID, URL, Date, Data, Decimal: import PatchFoundation), "
            "or an argument is inout or variadic; see docs/runner.md")
TOO_MANY = f"a patch can replace a function of at most {WORDS[MOST]}; let one of them be a struct"
ELSEWHERE = ("a Replaceable runs on its caller's actor: write Replaceable<nonisolated(nonsending) @Sendable (…) async -> …>, "
             "or enable NonisolatedNonsendingByDefault; see docs/runner.md")

STRUCT = """\
    /// Declares $n field$s. `make` makes a struct from the value$s of the field$s$in_order.
    @_alwaysEmitIntoClient
    public init<«$A: PatchValue, »>(
        _ make: @escaping @Sendable («$A, ») -> Root, «_ $a: PatchField<Root, $A>, »
    ) {
        self.init([«.init($a), »]) { root, stack in
«$a.put(root, on: stack)
» } make: { stack, table throws(FieldMismatch) in make(«try $a.read(stack, from: table), »)
        } sample: { isSecond, depth throws(FieldMismatch) in make(«try $a.sample(isSecond($i), depth), ») }
    }

"""


def swift(template, n, **values):
    """The code of a template for a number of parts."""
    def repeated(match):
        parts = [{"A": letter, "a": letter.lower(), "i": i, "bit": 4 * i} for i, letter in enumerate(string.ascii_uppercase[:n])]
        return "".join(map(string.Template(match[1]).safe_substitute, parts))

    values |= {"n": n, "s": "" if n == 1 else "s"}
    text = re.sub("«(.*?)»", repeated, string.Template(template).safe_substitute(values), flags=re.S)
    # A separator at the end of a list, an empty list, a place that is the first, and a tuple of one.
    text = re.sub(r"[,;|]\s+(?=[])>{},])|\n +where +(?={)| << 0| \+ 0", " ", text)
    text = text.replace("<>", "").replace("let () =", "let _ =").replace("((any Error))", "(any Error)")
    return re.sub(r"\b(values|bits)\.0\b", r"\1", text) if n == 1 else text


def functions():
    out = HEAD
    # Not `throws(Failure)`: Swift 6.3 stores a function with a generic error type in one form, but calls it in another.
    effects = ({"throws": "", "try": "", "Throwing": "", "failure": "Never", "may": "cannot throw"},
               {"throws": "throws ", "try": "try ", "Throwing": "Throwing", "failure": "(any Error)", "may": "can throw"})
    results = ({"value": "Value", "output": "PatchValueResult<Value>", "generic": "Value: PatchValue", "sendable": "Value: Sendable"},
               {"value": "Void", "output": "PatchNoResult", "generic": "", "sendable": ""})
    for n in range(MOST + 1):
        reads = "let («$a, ») = Self.arguments(stack, from: first, «$A.self, »)" if n else "stack.hasAtMost(0, from: first)"
        entries = "".join(swift(ENTRY, n, reads=reads, scalars=SCALARS if n else NO_SCALARS, **effect) for effect in effects)

        def each(template):
            code = ""
            for result in results:
                for effect in effects:
                    does = f"returns {'a value' if result['generic'] else 'nothing'} and {effect['may']}"
                    one = swift(template, n, words=WORDS[n], does=does, **effect, **result)
                    code += re.sub(r"(    ///.*\n)(    ///.*\n)+", r"\1", one) if n or code else one
            return code.rstrip() + "\n"

        out += swift(FUNCTIONS, n, entries=entries, reader=swift(READER, n) if n else "", reads=reads,
                     registrations=each(REGISTRATION), calls=each(CALL), points=each(POINT))
    return out


def refusals():
    out = REFUSALS_HEAD
    disfavored = "\n    @_disfavoredOverload"
    # With more arguments than the maximum, only this function fits. It is not disfavored, so it is chosen before the one for any
    # number.
    for message, n, attribute in ((NO_VALUE, 0, disfavored), (TOO_MANY, MOST + 1, "")):
        for effects in EFFECTS:
            out += swift(REFUSAL, n, message=message, attribute=attribute, Value=", Value", unlike="",
                         function=f"@Sendable («$A, »repeat each Argument) {effects}-> Value")
    # `async` in a type is `nonisolated(nonsending)` in a module that enables NonisolatedNonsendingByDefault, and `@concurrent` in
    # others. Functions that differ only in this cannot be overloaded, so these have one more parameter.
    for message, constraint in ((NO_VALUE, ""), (ELSEWHERE, ": PatchValue")):
        for effects in EFFECTS[2:]:
            for value in ("Value", "Void") if constraint else ("Value",):
                out += swift(REFUSAL, 0, message=message, attribute=disfavored, unlike=", _ isConcurrent: Void = ()",
                             Value=constraint + (f", Value{constraint}" if value == "Value" else ""),
                             function=f"@concurrent @Sendable (repeat each Argument) {effects}-> {value}")
    return out.rstrip() + "\n}"


def structs():
    inits = [swift(STRUCT, n, in_order="" if n == 1 else ", in their order") for n in range(1, MOST_FIELDS + 1)]
    return "\nextension PatchFields {\n" + "".join(inits).rstrip() + "\n}"


print("// Generated by scripts/generate/arities.py. Change that script and run `make generate`.")
print({"functions": functions, "refusals": refusals, "structs": structs}[sys.argv[1]]().rstrip())
