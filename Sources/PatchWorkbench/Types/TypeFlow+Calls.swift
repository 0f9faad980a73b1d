internal import PatchCrypto
internal import PatchRunner

// What calls take and return.

extension TypeFlow {
    /// The arguments of a call. If it is open, an unknown number of others follows.
    private struct Arguments {
        var types: [ValueType]
        var words: [String?]
        var isOpen: Bool

        func dropFirst() -> Arguments {
            Arguments(types: Array(types.dropFirst()), words: Array(words.dropFirst()), isOpen: isOpen)
        }
    }

    /// Follows a call of the function in a register.
    ///
    /// - Parameter count: How many arguments follow it; nil for all up to the open values.
    /// - Returns: What is known of the results, and whether the call never returns.
    mutating func call(
        _ register: Int, arguments count: Int?, _ index: Int, _ state: inout State
    ) -> (results: [ValueType], ends: Bool) {
        let (callee, word) = (state[register], name(register, state, index))
        report(.operand, index, callee, word, unless: calls(callee), "calls")
        let end = count.map { register + 1 + $0 } ?? min(state.open ?? register + 1, state.registers.count)
        let places = register + 1..<max(register + 1, end)
        let arguments = Arguments(
            types: places.map { state[$0] }, words: places.map { name($0, state, index) }, isOpen: count == nil)
        switch callee.detail {
        case .original(let name):
            changed(&state)
            guard let signature = context.interface.function(name)?.signature else { return ([], false) }
            check(arguments, of: word ?? "original", name, signature, .originalArguments, index)
            return ([value(signature.result)], false)
        case .library(let name) where name.contains(":"):
            changed(&state)
            guard let signature = method(name)?.signature else { return ([], false) }
            check(arguments.dropFirst(), of: name, name, signature, .argument, index)
            checkAsynchronous(signature, name, index)
            return ([value(signature.result)], false)
        case .library(let name):
            if !name.hasPrefix("string."), !name.hasPrefix("math.") { changed(&state) }
            return library(name, arguments, index, &state)
        default:
            changed(&state)
            return ([], false)
        }
    }

    private func method(_ name: String) -> PatchInterface.Function? {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        return context.interface.method(parts[1], of: parts[0])
    }

    /// Checks the arguments of a function of the app.
    private mutating func check(
        _ arguments: Arguments, of callee: String, _ name: String, _ signature: PatchSignature, _ code: Finding.Code,
        _ index: Int
    ) {
        guard reports else { return }
        let count = arguments.types.count
        let needed = context.interface.neededArguments(of: name, signature)
        if count > signature.arguments.count || !arguments.isOpen && count < needed {
            let given = "\(count) argument\(count == 1 ? "" : "s")"
            return report(
                code, index, callee,
                "\(callee) gets \(given), but \(name)\(signature.shown) takes \(signature.arguments.count)")
        }
        for (place, (type, value)) in zip(signature.arguments, arguments.types).enumerated() {
            let type = context.interface.type(type)
            guard let fault = context.comparisons.fault(of: value, as: type) else { continue }
            let word = place < signature.parameters.count ? " (\(signature.parameters[place]))" : ""
            let (message, hint) = words(
                for: fault, "argument \(place + 1)\(word) of \(name) is", type, arguments.words[place] ?? "this")
            report(
                fault.code ?? .argument, index, arguments.words[place] ?? callee, message,
                hint: hint)
        }
    }

    private mutating func checkAsynchronous(_ signature: PatchSignature, _ name: String, _ index: Int) {
        guard signature.isAsynchronous, let replacement, !replacement.signature.isAsynchronous else { return }
        report(
            .argument, index, String(name.split(separator: ":").last ?? ""),
            "\(name) is asynchronous, but \(replacement.name) is not, so its replacement cannot wait for it")
    }

    /// Follows a call of a function of the sandbox.
    private mutating func library(
        _ name: String, _ arguments: Arguments, _ index: Int, _ state: inout State
    ) -> (results: [ValueType], ends: Bool) {
        guard let function = LibraryFunction.all[name] else {
            return name == "host.call" ? callOfHost(arguments, index) : ([], false)
        }
        check(arguments, of: name, function, index)
        let first = arguments.types.first ?? (arguments.isOpen ? .unknown : .nil)
        switch name {
        case "assert": return ([first.isUnknown ? .unknown : first.whereTrue], false)
        case "ipairs", "pairs":
            guard let elements = elements(of: first) else { return ([], false) }
            return ([ValueType(.function, .iterator(key: elements.key, value: elements.value))], false)
        // A script that asks for a type knows of more types than the interface.
        case "type", "math.type":
            for register in state.registers.indices
            where self.name(register, state, index) == arguments.words.first.flatMap({ $0 }) {
                state[register] = .unknown
            }
        case "string.format": checkFormat(arguments, index)
        case "setmetatable":
            guard arguments.types.count > 1, case .fields(let events, _) = arguments.types[1].detail else { break }
            for event in ["__gc", "__close"] where events[event] != nil {
                report(
                    .argument, index, event, "the sandbox has no \(event), so this setmetatable is an error",
                    hint: "call the function where it is to happen")
            }
        case "host.throw":
            if first.kinds == .nil {
                report(
                    .mayBeNil, index, "throw", "host.throw gets nil, so the app's error has no words",
                    hint: "give it a message")
            }
            if let replacement, !replacement.signature.throws {
                report(
                    .cannotThrow, index, "throw",
                    "\(replacement.name) cannot throw, so host.throw is a failure, and the original answers",
                    hint: "return what the app is to get instead")
            }
        default: break
        }
        return ([function.result], function.neverReturns)
    }

    /// The keys and values that a loop over a table sees.
    private func elements(of table: ValueType) -> (key: ValueType, value: ValueType)? {
        switch table.detail {
        case .array(let type): (.integer, ValueType(type, in: context.interface))
        case .dictionary(let key, let type):
            (ValueType(.named(key), in: context.interface), ValueType(type, in: context.interface))
        case .structure: (.string, .unknown)
        default: nil
        }
    }

    private mutating func check(
        _ arguments: Arguments, of name: String, _ function: LibraryFunction, _ index: Int
    ) {
        guard reports else { return }
        let count = arguments.types.count
        let word = String(name.split(separator: ".").last ?? "")
        if !arguments.isOpen, count < function.arguments.count {
            return report(
                .argument, index, word,
                "\(name) takes \(function.optional.isEmpty ? "" : "at least ")\(function.arguments.count) argument\(function.arguments.count == 1 ? "" : "s"), but gets \(count)"
            )
        }
        for (place, kinds) in (function.arguments + function.optional).enumerated() where place < count {
            let allowed = place < function.arguments.count ? kinds : kinds.union(.nil)
            let value = arguments.types[place]
            guard value.isNever(allowed) else { continue }
            let what =
                arguments.words[place].map { $0 == value.description ? $0 : "\($0), which is \(value)" } ?? "\(value)"
            report(
                .argument, index, arguments.words[place] ?? word,
                "argument \(place + 1) of \(name) is \(ValueType(kinds)), but this is \(what)")
        }
    }

    private mutating func checkFormat(_ arguments: Arguments, _ index: Int) {
        guard reports, case .text(let format) = arguments.types.first?.detail else { return }
        if let fault = LibraryFunction.faultOfFormat(format) { return report(.argument, index, "format", fault) }
        let numbers = LibraryFunction.numbers(in: format)
        let given = arguments.types.dropFirst()
        if !arguments.isOpen, given.count < numbers.count {
            return report(
                .argument, index, "format",
                "the format has \(numbers.count) value\(numbers.count == 1 ? "" : "s"), but gets \(given.count)")
        }
        for (place, (isNumber, value)) in zip(numbers, given).enumerated()
        where isNumber && value.isNever([.integer, .float, .string]) {
            report(
                .argument, index, arguments.words[place + 1] ?? "format",
                "value \(place + 1) of the format is a number, but this is \(value)")
        }
    }

    private mutating func callOfHost(_ arguments: Arguments, _ index: Int) -> (results: [ValueType], ends: Bool) {
        guard case .text(let name) = arguments.types.first?.detail else { return ([], false) }
        guard let signature = context.interface.function(name)?.signature else {
            guard context.knowsApp else { return ([], false) }
            let context = context
            report(
                .unknownFunction, index, name, "the app has no function \(name)",
                hint: context.budget.nearest(name, among: context.interface.functionNames).map { "did you mean \($0)?" }
            )
            return ([], false)
        }
        if reports, name == replacement?.name { selfCalls.append((function.lineOf[index], index)) }
        check(arguments.dropFirst(), of: name, name, signature, .argument, index)
        checkAsynchronous(signature, name, index)
        return ([value(signature.result)], false)
    }
}
