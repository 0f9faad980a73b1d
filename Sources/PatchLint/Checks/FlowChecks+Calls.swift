internal import PatchCrypto
internal import PatchRunner

extension FlowChecks {
    mutating func checkCall(_ index: Int, _ state: FlowState) {
        let register = function.code[index].a
        let (callee, word) = (state[register], flow.name(register, state, index))
        report(.operand, index, callee, word, unless: calls(callee), "calls")
        guard callee.detail != nil else { return }
        let arguments = flow.arguments(of: index, state)
        switch callee.detail {
        case .helper(let number): context.helpers.note(number, arguments: arguments.types, isOpen: arguments.isOpen)
        case .original(let name):
            checkAgain(arguments, word ?? "original", index, state)
            guard let signature = context.interface.function(name)?.signature else { return }
            check(arguments, of: word ?? "original", name, signature, .originalArguments, index)
        case .library(let name) where name.utf8.contains(UInt8(ascii: ":")):
            guard let signature = flow.method(name)?.signature else { return }
            checkReceiver(arguments, name, index)
            check(arguments.dropFirst(), of: name, name, signature, .argument, index, receiver: arguments.word)
            checkAsynchronous(signature, name, index)
        case .library("host.call"): checkCallOfHost(arguments, index)
        case .library(let name): checkLibrary(name, arguments, index)
        default: break
        }
    }

    /// Finds a call of the original with the same parameters as an earlier call.
    private mutating func checkAgain(_ arguments: CallArguments, _ callee: String, _ index: Int, _ state: FlowState) {
        guard let words = flow.parameters(arguments, index), let before = state.originals[words], before.index < index
        else { return }
        let line = function.lineOf[before.index]
        report(
            .calledTwice, index, callee,
            "\(callee) is called with \(words.joined(separator: ", ")) again, after line \(line)",
            hint: "keep its result: local result = \(callee)(\(words.joined(separator: ", ")))")
    }

    /// Checks the arguments of a function of the app.
    ///
    /// - Parameters:
    ///   - callee: The function as the script names it.
    ///   - name: The function as the app names it.
    ///   - code: The code for a wrong number of arguments.
    ///   - receiver: The name of the object whose method is called; nil if it has none, and for other functions.
    private mutating func check(
        _ arguments: CallArguments, of callee: String, _ name: String, _ signature: FunctionType,
        _ code: Finding.Code, _ index: Int, receiver: String? = nil
    ) {
        let count = arguments.types.count
        let isTooFew = count < signature.neededArguments && !arguments.isOpen
        if isTooFew || count > signature.argumentTypes.count {
            let given = "\(count) argument\(count == 1 ? "" : "s")"
            return report(
                code, index, callee,
                "\(callee) gets \(given), but \(name)\(signature.shown) takes \(signature.argumentTypes.count)",
                hint: Self.hint(forCount: arguments, of: callee, receiver: receiver))
        }
        for (place, (type, value)) in zip(signature.argumentTypes, arguments.types).enumerated() {
            let (type, written) = (context.interface.type(type), arguments.words[place])
            let label = place < signature.parameterNames.count ? " (\(signature.parameterNames[place]))" : ""
            let argument = "argument \(place + 1)\(label) of \(name)"
            if let fault = context.comparisons.fault(of: value, as: type) {
                let (message, hint) = words(for: fault, "\(argument) is", type, written ?? "this")
                report(fault.code ?? .argument, index, written ?? callee, message, hint: hint)
                continue
            }
            checkFraction(of: value, as: type, argument, index, written ?? callee)
            if flow.isDoubtful(value, written, index),
                !ValueType.accepted(as: type, in: context.interface).contains(.nil)
            {
                report(
                    .mayBeNil, index, written ?? callee, "\(argument) is \(type), but this may be nil",
                    hint: Self.hintForNil())
            }
        }
    }

    /// Advice on a wrong number of arguments.
    private static func hint(forCount arguments: CallArguments, of callee: String, receiver: String?) -> String? {
        if arguments.areResults { return hintForResults }
        if arguments.types.first?.isOriginal == true { return "\(callee) is not one of its own arguments" }
        guard let receiver, arguments.words.first == receiver else { return nil }
        return "the colon passes \(receiver) already"
    }

    private mutating func checkAsynchronous(_ signature: FunctionType, _ name: String, _ index: Int) {
        guard signature.isAsynchronous, let replacement, !replacement.signature.isAsynchronous else { return }
        report(
            .argument, index, String(name.split(separator: ":").last ?? ""),
            "\(name) is asynchronous, but \(replacement.name) is not, so its replacement cannot wait for it")
    }

    private mutating func checkReceiver(_ arguments: CallArguments, _ name: String, _ index: Int) {
        guard arguments.first.isNever(.object) else { return }
        let method = String(name.split(separator: ":").last ?? "")
        report(
            .argument, index, method, "\(name) is called without its object",
            hint: "a method is called with a colon: object:\(method)(…)")
    }

    private mutating func checkLibrary(_ name: String, _ arguments: CallArguments, _ index: Int) {
        guard let function = LibraryFunction.all[name] else { return }
        check(arguments, of: name, function, index)
        switch name {
        case "string.format": checkFormat(arguments, index)
        case "table.concat", "table.sort": checkElements(name, arguments, index)
        case "pcall", "xpcall": checkProtected(name, arguments, index)
        case "setmetatable": checkMetatable(arguments, index)
        case "host.throw": checkThrow(arguments, index)
        default: break
        }
    }

    /// Checks the arguments of an original that `pcall` or `xpcall` calls.
    private mutating func checkProtected(_ name: String, _ arguments: CallArguments, _ index: Int) {
        guard case .original(let original) = arguments.first.detail,
            let signature = context.interface.function(original)?.signature
        else { return }
        let passed = name == "pcall" ? arguments.dropFirst() : arguments.dropFirst().dropFirst()
        check(passed, of: arguments.word ?? "original", original, signature, .originalArguments, index)
    }

    private mutating func checkMetatable(_ arguments: CallArguments, _ index: Int) {
        guard arguments.types.count > 1, case .fields(let events, _) = arguments.types[1].detail else { return }
        for event in ["__gc", "__close"] where events[event] != nil {
            report(
                .argument, index, event, "the sandbox has no \(event), so this setmetatable is an error",
                hint: "call the function where it is to happen")
        }
        if events["__concat"] != nil {
            report(
                .notInSandbox, index, "__concat", "the sandbox leaves __concat out, so `..` fails on this table",
                hint: "give the table a __tostring, and join tostring(value)")
        }
    }

    private mutating func checkThrow(_ arguments: CallArguments, _ index: Int) {
        let first = arguments.first
        if first.kinds == .nil {
            report(
                .mayBeNil, index, "throw", "host.throw gets nil, so the app's error has no words",
                hint: "give it a message")
        } else if case .fields(let fields, _) = first.detail, fields["code"] != nil, !context.setsMetatables,
            arguments.types.count == 1, !arguments.isOpen
        {
            report(
                .argument, index, "throw", "host.throw gets a table, so the app's error does not have its code",
                hint: "host.throw(message, code)")
        }
        if let replacement, !replacement.signature.isThrowing {
            report(
                .cannotThrow, index, "throw",
                "\(replacement.name) cannot throw, so host.throw is a failure, and the original answers",
                hint: "return the value that the app is to get instead")
        }
    }

    /// Checks the arguments of a function of the sandbox.
    private mutating func check(
        _ arguments: CallArguments, of name: String, _ function: LibraryFunction, _ index: Int
    ) {
        let (count, needed) = (arguments.types.count, function.arguments.count)
        func word() -> String { String(name.split(separator: ".").last ?? "") }
        if !arguments.isOpen, count < needed {
            let least = "\(function.optional.isEmpty ? "" : "at least ")\(needed) argument\(needed == 1 ? "" : "s")"
            return report(.argument, index, word(), "\(name) takes \(least), but gets \(count)")
        }
        for (place, (argument, value)) in zip(function.arguments + function.optional, arguments.types).enumerated() {
            // An optional argument may be nil.
            if place >= needed, !value.isNever(.nil) { continue }
            check(value, arguments.words[place], as: argument, "argument \(place + 1) of \(name)", word(), index)
        }
        if let (message, hint) = brokenRule(of: name, arguments) {
            report(.argument, index, word(), message, hint: hint)
        }
    }

    /// Checks a value as an argument of a function of the sandbox.
    ///
    /// - Parameters:
    ///   - written: The name of the value in the script; nil if it has none.
    ///   - place: The words for the argument.
    ///   - word: The function's own name, at which the problem is shown if the value has none.
    private mutating func check(
        _ value: ValueType, _ written: String?, as argument: LibraryFunction.Argument,
        _ place: @autoclosure () -> String, _ word: @autoclosure () -> String, _ index: Int
    ) {
        if let fault = argument.fault(of: value, in: context.interface) {
            let what = written.map { "\($0), which is \(fault)" } ?? fault
            report(.argument, index, written ?? word(), "\(place()) is \(argument.description), but this is \(what)")
        } else if argument.requirement == .integer, value.kinds.contains(.float), mayHaveFraction(value, written, index)
        {
            report(
                .mayNotFit, index, written ?? word(), "\(place()) is an integer, but this may have a fraction",
                hint: Self.hintForFraction)
        } else if !argument.kinds.contains(.nil), flow.isDoubtful(value, written, index) {
            report(
                .mayBeNil, index, written ?? word(), "\(place()) is \(argument.description), but this may be nil",
                hint: Self.hintForNil())
        }
    }

    /// Whether it is a quotient, or a number of the app that the script has not examined.
    private func mayHaveFraction(_ value: ValueType, _ word: String?, _ index: Int) -> Bool {
        value.detail == .fraction
            || (value.detail == .scalar("number") && flow.isSeen(word, before: index, asText: true) != true)
    }

    /// The rule of a function that a call breaks and that the types of the arguments do not express: a message and a
    /// hint.
    private func brokenRule(of name: String, _ arguments: CallArguments) -> (message: String, hint: String?)? {
        let types = arguments.types
        switch name {
        case "table.insert" where types.count > 3:
            return ("table.insert takes 2 or 3 arguments, but gets \(types.count)", nil)
        case "table.insert" where types.count == 3:
            guard types[1].kinds == .string else { return nil }
            if case .text(let text) = types[1].detail, text.text.luaNumber != nil, !arguments.areResults { return nil }
            return (
                "argument 2 of table.insert is a position, but this is a string",
                arguments.areResults ? Self.hintForResults : "the position comes first: table.insert(list, 1, value)"
            )
        case "string.char":
            let numbers = types.lazy.compactMap { $0.detail?.number }
            guard let number = numbers.first(where: { !(0...255).contains($0) }) else { return nil }
            return (
                "string.char takes bytes, from 0 to 255, but gets \(number.shown)",
                "utf8.char(\(number.shown)) is the character with this number"
            )
        case "select" where types.first?.detail == .integer(0):
            return ("select counts its values from 1, but gets 0", "select('#', …) is their number")
        case "select":
            guard case .text(let text) = types.first?.detail, text.text.utf8.first != UInt8(ascii: "#"),
                text.text.luaNumber == nil
            else { return nil }
            return (
                "argument 1 of select is a position, but this is \(text.text.quotedBeginning)",
                "select('#', …) is the number of values"
            )
        case "tonumber" where arguments.areResults && types.count == 2:
            return ("argument 2 of tonumber is the base, but this is the count of replacements", Self.hintForResults)
        case "tonumber" where types.count == 2 && !types[1].kinds.contains(.nil):
            if types[0].isNever(.string) {
                return (
                    "with a base, argument 1 of tonumber is a string, but this is \(types[0])",
                    "the base is for the digits of a string"
                )
            }
            guard let base = types[1].detail?.number, !(2...36).contains(base) else { return nil }
            return ("the base is from 2 to 36, but this is \(base.shown)", nil)
        case "pcall", "xpcall":
            guard let first = types.first, first.isNever([.function, .table, .object]) else { return nil }
            return (
                "argument 1 of \(name) is a function, but this is \(first)",
                "give it the function, and then its arguments: pcall(original, a, b)"
            )
        case "math.random" where types.count > 2:
            return ("math.random takes at most 2 arguments, but gets \(types.count)", nil)
        case "math.random" where !arguments.isOpen:
            let limits = types.compactMap { $0.detail?.number }
            // math.random(0) is an integer of random bits.
            guard limits.count == types.count, limits != [0], let last = limits.last else { return nil }
            let first = limits.count == 2 ? limits[0] : 1
            guard last < first else { return nil }
            return ("there is no number from \(first.shown) to \(last.shown)", "the lower limit comes first")
        default: return nil
        }
    }

    /// Checks the elements that `table.concat` joins or `table.sort` compares.
    private mutating func checkElements(_ name: String, _ arguments: CallArguments, _ index: Int) {
        let types = arguments.types
        let joins = name == "table.concat"
        guard joins || types.count == 1, !arguments.isOpen, !context.setsMetatables else { return }
        let elements: [ValueType] =
            switch types.first?.detail {
            case .array(let element): [ValueType(element, in: context.interface)]
            // With more arguments, not all elements are joined.
            case .list(let elements, _) where joins && types.count <= 2: elements
            default: []
            }
        guard let wrong = elements.first(where: { $0.isNever(.basic) }) else { return }
        let what = "the elements of \(arguments.word ?? "the array"), one of which is \(wrong)"
        report(
            .argument, index, arguments.word ?? "table", "\(name) \(joins ? "joins" : "compares") \(what)",
            hint: joins ? nil : "give it a function(x, y) that returns whether x comes first")
    }

    /// Checks a format that is known, and the values for it.
    private mutating func checkFormat(_ arguments: CallArguments, _ index: Int) {
        guard case .text(let format) = arguments.types.first?.detail else { return }
        let values: [LibraryFunction.Argument]
        switch LibraryFunction.read(format.text) {
        case .values(let needed): values = needed
        case .refused(let reason): return report(.argument, index, "format", reason)
        }
        let given = arguments.types.dropFirst()
        if !arguments.isOpen, given.count < values.count {
            return report(
                .argument, index, "format",
                "the format has \(values.count) value\(values.count == 1 ? "" : "s"), but gets \(given.count)")
        }
        for (place, (argument, value)) in zip(values, given).enumerated() {
            check(
                value, arguments.words[place + 1], as: argument, "value \(place + 1) of the format", "format", index)
        }
    }

    /// Checks the name and the arguments that `host.call` gets.
    private mutating func checkCallOfHost(_ arguments: CallArguments, _ index: Int) {
        guard case .text(let text) = arguments.types.first?.detail else {
            if let first = arguments.types.first, first.isNever(.basic) {
                report(
                    .argument, index, arguments.words[0] ?? "call",
                    "argument 1 of host.call is the name of a function, but this is \(first)",
                    hint: first.isOriginal ? "\(arguments.words[0] ?? "original")(…) calls the original" : nil)
            }
            return
        }
        let name = text.text
        guard let signature = context.interface.function(name)?.signature else {
            guard context.knowsApp else { return }
            let context = context
            return report(
                .unknownFunction, index, name, "the app has no function \(name)",
                hint: context.budget.advice(for: name, among: context.interface.functionNames))
        }
        check(arguments.dropFirst(), of: name, name, signature, .argument, index)
        checkAsynchronous(signature, name, index)
    }

    private static let hintForResults = "the call returns two values; (…) around it keeps the first"
}
