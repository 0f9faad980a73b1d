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
    @inlinable @inline(never)
    func call<{generics_}Output: PatchResult, Failure: Error>(
        _ cell: LayerCell, {parameters_}as _: Output.Type,
        original: @escaping {value_function}
    ) throws(Failure) -> Output.Value {{
        try unsafe withUnsafePointer(to: original) {{ (place) throws(Failure) -> Output.Value in
            var record = unsafe CallRecord<{value_function}, Output.Value, Failure>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) {{ (record) throws(Failure) -> Output.Value in
            let stack: PatchStack
            if {are_scalars}Scalar.kind(Output.Value.self) > 0 {{
                let kinds = {kinds}Scalar.kind(Output.Value.self) << 32
{scalar_call}                switch answer {{
                case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                case .original: return try original({arguments})
                case .none(let entered): stack = entered
                }}
            }} else {{
                guard let entered = unsafe enter(cell, CallReference(record)) else {{
                    return try original({arguments})
                }}
{pushes}                if let value = Output.finish(entered, arguments: {n}) {{ return value }}
                stack = entered
            }}
            switch unsafe settle(stack, Output.self, record.pointee.outcome) {{
            case .outcome(let outcome): return try outcome.get()
            case .below(var below):
                return try unsafe withUnsafeMutablePointer(to: &below) {{ (below) throws(Failure) -> Output.Value in
                    try unsafe call(LayerCell(below), {arguments_}as: Output.self, original: original)
                }}
            }}
            }}
        }}
    }}

{arguments_reader}    @inlinable
    static func invoker<{generics_}Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable {value_function}, as _: Output.Type, {types_}failure: Failure.Type
    ) -> Invoke {{
        {{ slot, stack, first, record, cell in
            guard {reads} else {{
                return stack.refuseArguments(of: slot, from: first, [{type_list}])
            }}
            let record = unsafe CallRecord<{value_function}, Output.Value, Failure>.at(record)
            do throws(Failure) {{
                let value = try cell.isEmpty
                    ? original({arguments}) : slot.call(cell, {arguments_}as: Output.self, original: original)
                return unsafe stack.answer(value, of: record, as: Output.self)
            }} catch {{
                return unsafe stack.answer(error, of: record)
            }}
        }}
    }}

    /// The same where the original stands at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<{generics_}Output: PatchResult, Failure: Error>(
        ofPlace _: Output.Type, {types_}failure: Failure.Type
    ) -> Invoke {{
        {{ slot, stack, first, record, cell in
            guard {reads} else {{
                return stack.refuseArguments(of: slot, from: first, [{type_list}])
            }}
            guard let record = unsafe CallRecord<{value_function}, Output.Value, Failure>.at(record) else {{
                return stack.refuseCall(of: slot)
            }}
            do throws(Failure) {{
                let value = try unsafe cell.isEmpty
                    ? record.pointee.original.pointee({arguments})
                    : slot.call(cell, {arguments_}as: Output.self, original: record.pointee.original.pointee)
                return unsafe stack.answer(value, of: record, as: Output.self)
            }} catch {{
                return unsafe stack.answer(error, of: record)
            }}
        }}
    }}

    func callAsynchronously<{generics_}Output: PatchResult, Failure: Error>(
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
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<{constrained_}Value: PatchValue, Failure: Error>({parameters}) throws(Failure) -> Value
    where Function == @Sendable ({types}) throws(Failure) -> Value {{
        guard slot.isPatched else {{ return try original({arguments}) }}
        return try slot.call(slot.cell, {arguments_}as: PatchValueResult<Value>.self, original: original)
    }}

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<{constrained_}Failure: Error>({parameters}) throws(Failure)
    where Function == @Sendable ({types}) throws(Failure) -> Void {{
        guard slot.isPatched else {{ return try original({arguments}) }}
        try slot.call(slot.cell, {arguments_}as: PatchNoResult.self, original: original)
    }}

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<{constrained_}Value: PatchValue, Failure: Error>({parameters}) async throws(Failure) -> Value
    where Function == @Sendable ({types}) async throws(Failure) -> Value, Value: Sendable{sendable} {{
        guard slot.isPatched else {{ return try await original({arguments}) }}
        return try await slot.callAsynchronously(nil, {arguments_}as: PatchValueResult<Value>.self, original: original)
    }}

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<{constrained_}Failure: Error>({parameters}) async throws(Failure)
    where Function == @Sendable ({types}) async throws(Failure) -> Void{sendable} {{
        guard slot.isPatched else {{ return try await original({arguments}) }}
        try await slot.callAsynchronously(nil, {arguments_}as: PatchNoResult.self, original: original)
    }}
}}

extension PatchPoint {{
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<{constrained_}Value: PatchValue, Failure: Error>(
        {parameters_}original: {point_function}
    ) throws(Failure) -> Value where Function == {point_function} {{
        guard slot.isPatched else {{ return try original({arguments}) }}
        return try withoutActuallyEscaping(original) {{ (original) throws(Failure) -> Value in
            try slot.call(slot.cell, {arguments_}as: PatchValueResult<Value>.self, original: original)
        }}
    }}

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<{constrained_}Failure: Error>(
        {parameters_}original: {point_void_function}
    ) throws(Failure) where Function == {point_void_function} {{
        guard slot.isPatched else {{ return try original({arguments}) }}
        try withoutActuallyEscaping(original) {{ (original) throws(Failure) in
            try slot.call(slot.cell, {arguments_}as: PatchNoResult.self, original: original)
        }}
    }}
}}

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
    public func replaceable<{constrained_}{value_generic}Failure: Error>(
        _ name: String, _ original: @escaping @Sendable ({types}) throws(Failure) -> {value}
    ) throws(PatchError) -> Replaceable<@Sendable ({types}) throws(Failure) -> {value}> {{
        let slot = try register(
            name, arguments: [{type_list}], result: {output}.self, failure: Failure.self,
            invoke: Slot.invoker(original, as: {output}.self, {type_arguments_}failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }}

    /// Registers an asynchronous function of {words} that {does}.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<{constrained_}{value_generic}Failure: Error>(
        _ name: String, _ original: @escaping @Sendable ({types}) async throws(Failure) -> {value}
    ) throws(PatchError) -> Replaceable<@Sendable ({types}) async throws(Failure) -> {value}>{sendable_where} {{
        let slot = try registerAsynchronous(
            name, arguments: [{type_list}], result: {output}.self, failure: Failure.self
        ) {{ slot in slot.reader(original, as: {output}.self) }}
        return Replaceable(slot: slot, original: original)
    }}

    /// Registers a place in the code, of {words}, that {does}: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<{constrained_}{value_generic}Failure: Error>(
        _ name: String, _ function: (({types}) throws(Failure) -> {value}).Type
    ) throws(PatchError) -> PatchPoint<({types}) throws(Failure) -> {value}> {{
        PatchPoint(
            slot: try register(
                name, arguments: [{type_list}], result: {output}.self, failure: Failure.self,
                invoke: Slot.invoker(ofPlace: {output}.self, {type_arguments_}failure: Failure.self)))
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
        "constrained_": trail(constrained),
        "parameters": ", ".join(f"_ {x}: {c}" for x, c in zip(names, letters)),
        "parameters_": trail(", ".join(f"_ {x}: {c}" for x, c in zip(names, letters))),
        "arguments": ", ".join(names),
        "arguments_": trail(", ".join(names)),
        "types_": trail(", ".join(f"_: {c}.Type" for c in letters)),
        "type_arguments_": trail(", ".join(f"{c}.self" for c in letters)),
        "type_list": ", ".join(f"{c}.self" for c in letters),
        "value_function": f"({types}) throws(Failure) -> Output.Value",
        "async_value_function": f"({types}) async throws(Failure) -> Output.Value",
        "point_function": f"({types}) throws(Failure) -> Value",
        "point_void_function": f"({types}) throws(Failure) -> Void",
        "sendable": "".join(f", {c}: Sendable" for c in letters),
        "pushes": "".join(f"                {x}.push(to: entered)\n" for x in names),
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
        registrations = ""
        for value, output, generic, does in (
            ("Value", "PatchValueResult<Value>", "Value: PatchValue, ", "returns a value"),
            ("Void", "PatchNoResult", "", "returns nothing"),
        ):
            sendable = [f"{c}: Sendable" for c in LETTERS[:n]] + (["Value: Sendable"] if value == "Value" else [])
            registrations += REPLACEABLE.format(
                **f, value=value, output=output, value_generic=generic, does=does,
                sendable_where=f"\n    where {', '.join(sendable)}" if sendable else "")
        out += TEMPLATE.format(**f, registrations=registrations.rstrip() + "\n")
    print(out.rstrip())


main()
