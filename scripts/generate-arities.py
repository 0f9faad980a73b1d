#!/usr/bin/env python3
"""Writes Sources/PatchRunner/Registry/Arities.swift: what a registered function is, for 0 to 8 arguments.

Code over parameter packs would need no generator. It was measured: a call from Lua back to a Swift original through packs
takes twice as long as through code of fixed arity, because its closures are built at run time.
"""


MOST = 8
LETTERS = "ABCDEFGH"

HEAD = """\
// Made by scripts/generate-arities.py; change that, and run `make generate`.
//
public import PatchCrypto

// For each number of arguments: how a call enters the patch on its name (`call`), how a script's values come to the original
// (`invoker`), and the public functions over both.

"""

TEMPLATE = """\
// MARK: {n} arguments

extension Slot {{
{entries}{arguments_reader}    func callAsynchronously<{generics_}Output: PatchResult, Failure: Error>(
        _ cell: UInt?, {parameters_}as _: Output.Type, original: @escaping @Sendable {async_value_function}
    ) async throws(Failure) -> Output.Value where Output.Value: Sendable{sendable} {{
        try await run(cell, [{arguments}], as: Output.self, read: reader(original, as: Output.self)) {{
            () async throws(Failure) -> Output.Value in try await original({arguments})
        }}
    }}

    func reader<{generics_}Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable {async_value_function}, as _: Output.Type
    ) -> AsyncReader<Output.Value, Failure> where Output.Value: Sendable{sendable} {{
        {{ [self] stack, first in
            guard {reads_of_self} else {{
                _ = stack.refuseArguments(of: self, from: first, [{type_list}])
                return nil
            }}
            return {{ (cell) async throws(Failure) -> Output.Value in
                try await self.callAsynchronously(cell, {arguments_}as: Output.self, original: original)
            }}
        }}
    }}
}}

extension PatchRegistry {{
{registrations}}}

extension Replaceable {{
{calls}}}

extension PatchPoint {{
{places}}}

"""

SCALAR_CALL = """\
                var bits = ({bits})
                let answer = unsafe withUnsafeBytes(of: &bits) {{ bits in
                    unsafe call(
                        cell, CallReference(record), bits.assumingMemoryBound(to: UInt64.self).baseAddress, kinds)
                }}
"""

SCALAR_CALL_OF_NONE = """\
                let answer = unsafe call(cell, CallReference(record), nil, kinds)
"""

ENTRY = """\
    @inlinable @inline(never)
    func call{T}<{generics_}Output: PatchResult>(
        _ cell: LayerCell, {parameters_}as _: Output.Type, original: @escaping {function}
    ) {effect}-> Output.Value {{
        {try_}unsafe withUnsafePointer(to: original) {{ (place) {effect}-> Output.Value in
            var record = unsafe CallRecord<{function}, Output.Value, {failure}>(place)
            return {try_}unsafe withUnsafeMutablePointer(to: &record) {{ (record) {effect}-> Output.Value in
            let stack: PatchStack
            if {are_scalars}Scalar.kind(Output.Value.self) > 0 {{
                let kinds = {kinds}Scalar.kind(Output.Value.self) << 32
{scalar_call}                switch answer {{
                case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                case .original: return {try_}original({arguments})
                case .none(let entered): stack = entered
                }}
            }} else {{
                guard let entered = unsafe enter(cell, CallReference(record)) else {{
                    return {try_}original({arguments})
                }}
{pushes}                if let value = Output.finish(entered, arguments: {n}) {{ return value }}
                stack = entered
            }}
            switch unsafe settle(stack, Output.self, record.pointee.outcome) {{
            case .outcome(let outcome): return {try_}outcome.get()
            case .below(var below):
                return {try_}unsafe withUnsafeMutablePointer(to: &below) {{ (below) {effect}-> Output.Value in
                    {try_}unsafe call{T}(LayerCell(below), {arguments_}as: Output.self, original: original)
                }}
            }}
            }}
        }}
    }}

    @inlinable
    static func invoker{T}<{generics_}Output: PatchResult>(
        _ original: @escaping @Sendable {function}, as _: Output.Type{metatypes}
    ) -> Invoke {{
        {{ slot, stack, first, record, cell in
            guard {reads} else {{
                return stack.refuseArguments(of: slot, from: first, [{type_list}])
            }}
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed = {all_scalars}Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<{function}, Output.Value, {failure}>.at(record)
            if !isTimed {{ stack.hostBegins() }}
{answer_with_original}        }}
    }}

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker{T}<{generics_}Output: PatchResult>(ofPlace _: Output.Type{metatypes}) -> Invoke {{
        {{ slot, stack, first, record, cell in
            guard {reads} else {{
                return stack.refuseArguments(of: slot, from: first, [{type_list}])
            }}
            guard let record = unsafe CallRecord<{function}, Output.Value, {failure}>.at(record) else {{
                return stack.refuseCall(of: slot)
            }}
            let isTimed = {all_scalars}Scalar.kind(Output.Value.self) > 0
            if !isTimed {{ stack.hostBegins() }}
{answer_with_place}        }}
    }}

"""

ANSWER = """\
            {do}let value = {try_}{unsafe}cell.isEmpty
                ? {original}({arguments}) : slot.call{T}(cell, {arguments_}as: Output.self, original: {original})
            if !isTimed {{ stack.hostEnds() }}
            return unsafe stack.answer(value, of: record, as: Output.self)
{catch}"""

CATCH = """\
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
            }
"""

ARGUMENTS = """\
    @inlinable @inline(__always)
    static func arguments<{generics}>(_ stack: PatchStack, from first: Int32, {metatypes}) -> ({types})? {{
        if {are_scalars} {{
            var bits = ({zeros})
            let areRead = unsafe withUnsafeMutableBytes(of: &bits) {{ bits in
                unsafe stack.read(
                    {kinds}, from: first, into: bits.assumingMemoryBound(to: UInt64.self).baseAddress)
            }}
            return areRead ? ({values}) : nil
        }}
        guard stack.has({n}, from: first){reads} else {{ return nil }}
        return ({names})
    }}

"""

REPLACEABLE = """\
    /// Registers a function of {words} that {does}.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable{generics}(
        _ name: String, _ original: @escaping @Sendable {function}
    ) throws(PatchError) -> Replaceable<@Sendable {function}> {{
        let slot = try register(
            name, arguments: [{type_list}], result: {output}.self, failure: {failure}.self,
            invoke: Slot.invoker{T}(original, as: {output}.self{type_arguments}))
        return Replaceable(slot: slot, original: original)
    }}

    /// Registers an asynchronous function of {words} that {does}.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable{generics}(
        _ name: String, _ original: @escaping @Sendable {async_function}
    ) throws(PatchError) -> Replaceable<@Sendable {async_function}>{sendable_where} {{
        let slot = try registerAsynchronous(
            name, arguments: [{type_list}], result: {output}.self, failure: {failure}.self
        ) {{ slot in slot.reader(original, as: {output}.self) }}
        return Replaceable(slot: slot, original: original)
    }}

    /// Registers a place in the code, of {words}, that {does}: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point{generics}(
        _ name: String, _ function: ({function}).Type
    ) throws(PatchError) -> PatchPoint<{function}> {{
        PatchPoint(
            slot: try register(
                name, arguments: [{type_list}], result: {output}.self, failure: {failure}.self,
                invoke: Slot.invoker{T}(ofPlace: {output}.self{type_arguments})))
    }}

"""

CALL = """\
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction{generics}({parameters}) {effect}-> {value}
    where Function == @Sendable {function} {{
        guard slot.isPatched else {{ return {try_}original({arguments}) }}
        return {try_}slot.call{T}(slot.cell, {arguments_}as: {output}.self, original: original)
    }}

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction{generics}({parameters}) async {effect}-> {value}
    where Function == @Sendable {async_function}{sendable} {{
        guard slot.isPatched else {{ return {try_}await original({arguments}) }}
        return {try_}await slot.callAsynchronously(nil, {arguments_}as: {output}.self, original: original)
    }}

"""

PLACE = """\
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction{generics}(
        {parameters_}original: {function}
    ) {effect}-> {value} where Function == {function} {{
        guard slot.isPatched else {{ return {try_}original({arguments}) }}
        return {try_}withoutActuallyEscaping(original) {{ (original) {effect}-> {value} in
            {try_}slot.call{T}(slot.cell, {arguments_}as: {output}.self, original: original)
        }}
    }}

"""

WORDS = ["no arguments", "one argument"] + [f"{w} arguments" for w in
         ("two", "three", "four", "five", "six", "seven", "eight")]


def fields(n):
    letters = LETTERS[:n]
    names = [c.lower() for c in letters]
    types = ", ".join(letters)
    trail = lambda text: text + ", " if text else ""
    constrained = ", ".join(f"{c}: PatchValue" for c in letters)
    return {
        "n": n,
        "words": WORDS[n],
        "types": types,
        "generics_": trail(constrained),
        "parameters": ", ".join(f"_ {x}: {c}" for x, c in zip(names, letters)),
        "parameters_": trail(", ".join(f"_ {x}: {c}" for x, c in zip(names, letters))),
        "arguments": ", ".join(names),
        "arguments_": trail(", ".join(names)),
        "metatypes": "".join(f", _: {c}.Type" for c in letters),
        "type_arguments": "".join(f", {c}.self" for c in letters),
        "type_list": ", ".join(f"{c}.self" for c in letters),
        "async_value_function": f"({types}) async throws(Failure) -> Output.Value",
        "sendable": "".join(f", {c}: Sendable" for c in letters),
        "pushes": "".join(f"                {x}.push(to: entered)\n" for x in names),
        "all_scalars": "".join(f"Scalar.kind({c}.self) > 0 && " for c in letters),
        "are_scalars": "".join(f"Scalar.kind({c}.self) > 0, " for c in letters),
        "scalar_call": (SCALAR_CALL if n else SCALAR_CALL_OF_NONE).format(
            bits=", ".join(f"Scalar.bits({x})" for x in names)),
        "kinds": "".join(f"Scalar.kind({c}.self){f' << {4 * i}' if i else ''} | " for i, c in enumerate(letters)),
        "arguments_reader": "" if n == 0 else ARGUMENTS.format(
            n=n, generics=constrained, metatypes=", ".join(f"_: {c}.Type" for c in letters), types=types,
            are_scalars=", ".join(f"Scalar.kind({c}.self) > 0" for c in letters),
            zeros=", ".join("UInt64(0)" for _ in letters),
            kinds=" | ".join(f"Scalar.kind({c}.self){f' << {4 * i}' if i else ''}" for i, c in enumerate(letters)),
            values=", ".join(
                f"Scalar.value(bits{f'.{i}' if n > 1 else ''}, as: {c}.self)" for i, c in enumerate(letters)),
            reads="".join(
                f", let {x} = {c}.read(from: stack, at: first{f' + {i}' if i else ''})"
                for i, (x, c) in enumerate(zip(names, letters))),
            names=", ".join(names)),
        "reads_of_self": "stack.has(0, from: first)" if n == 0 else
            f"let ({', '.join(names)}) = Self.arguments(stack, from: first, {', '.join(f'{c}.self' for c in letters)})",
        "reads": "stack.has(0, from: first)" if n == 0 else
            f"let ({', '.join(names)}) = arguments(stack, from: first, {', '.join(f'{c}.self' for c in letters)})",
    }


def main():
    out = HEAD
    for n in range(MOST + 1):
        f = fields(n)
        registrations = calls = places = entries = ""
        # Not `throws(Failure)`: Swift 6.3 stores a function of a generic error in one form, and calls it in another.
        effects = (("", "Never", "cannot throw", ""), ("throws ", "(any Error)", "can throw", "Throwing"))
        for effect, failure, _, suffix in effects:
            entry = {
                **f, "T": suffix, "effect": effect, "try_": "try " if effect else "", "failure": failure,
                "function": f"({f['types']}) {effect}-> Output.Value",
            }
            for name, original, unsafe in (
                ("original", "original", ""), ("place", "record.pointee.original.pointee", "unsafe ")):
                entry[f"answer_with_{name}"] = ANSWER.format(
                    **entry, original=original, unsafe=unsafe, do="do { " if effect else "", catch=CATCH if effect else "")
            entries += ENTRY.format(**entry)
        for value, output, does in (
            ("Value", "PatchValueResult<Value>", "returns a value"), ("Void", "PatchNoResult", "returns nothing"),
        ):
            generics = [*LETTERS[:n]] + (["Value"] if value == "Value" else [])
            sendable = [f"{name}: Sendable" for name in generics]
            for effect, failure, may, suffix in effects:
                fields_ = {
                    **f, "value": value, "output": output, "effect": effect, "try_": "try " if effect else "",
                    "does": f"{does} and {may}", "failure": failure, "T": suffix, "function": f"({f['types']}) {effect}-> {value}",
                    "async_function": f"({f['types']}) async {effect}-> {value}",
                    "generics": f"<{', '.join(f'{name}: PatchValue' for name in generics)}>" if generics else "",
                    "sendable": "".join(f", {x}" for x in sendable),
                    "sendable_where": f"\n    where {', '.join(sendable)}" if sendable else "",
                }
                registrations += REPLACEABLE.format(**fields_)
                calls += CALL.format(**fields_)
                places += PLACE.format(**fields_)
        parts = {"registrations": registrations, "calls": calls, "places": places}
        f["entries"] = entries
        out += TEMPLATE.format(**{**f, **{name: part.rstrip() + "\n" for name, part in parts.items()}})
    print(out.rstrip())


main()
