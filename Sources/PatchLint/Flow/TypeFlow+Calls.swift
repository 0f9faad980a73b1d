internal import PatchCrypto
internal import PatchRunner

// The arguments and the results of calls.

extension TypeFlow {
    /// The arguments of a call. If it is open, an unknown number of others follows.
    private struct Arguments {
        var types: [ValueType]
        var words: [String?]
        var isOpen: Bool
        /// Whether the last two are the results of one call.
        var areResults: Bool

        func dropFirst() -> Arguments {
            Arguments(
                types: Array(types.dropFirst()), words: Array(words.dropFirst()), isOpen: isOpen, areResults: areResults
            )
        }
    }

    /// The results of a call. If it is open, an unknown number of other values follows.
    struct Results {
        var types: [ValueType] = []
        var isOpen = false
        /// Whether the call never returns.
        var ends = false

        static let unknown = Results(isOpen: true)
    }

    /// Follows a call of the function in a register.
    ///
    /// - Parameter count: How many arguments there are; nil if they end with the open values.
    mutating func call(_ register: Int, arguments count: Int?, _ index: Int, _ state: inout State) -> Results {
        let callee = state[register]
        let word = reports || callee.isOriginal ? name(register, state, index) : nil
        if reports { report(.operand, index, callee, word, unless: calls(callee), "calls") }
        let last = state.open.map { $0 + (state.openCount ?? 0) }
        let end = count.map { register + 1 + $0 } ?? min(last ?? register + 1, state.count)
        let places = register + 1..<max(register + 1, end)
        if case .helper(let number) = callee.detail {
            let types = reports ? places.map { state[$0] } : []
            changed(&state)
            return call(helper: number, types, isOpen: count == nil && state.openCount == nil, index)
        }
        guard callee.detail != nil else {
            changed(&state)
            unknownCalls.insert(index)
            return .unknown
        }
        let arguments = Arguments(
            types: places.map { state[$0] }, words: places.map { name($0, state, index) },
            isOpen: count == nil && state.openCount == nil, areResults: count == nil && state.openCount == 2)
        switch callee.detail {
        case .original(let name):
            checkAgain(arguments, word ?? "original", index, &state)
            guard let signature = context.interface.function(name)?.signature else { return .unknown }
            check(arguments, of: word ?? "original", name, signature, .originalArguments, index)
            return results(of: name, signature, index)
        case .library(let name) where name.utf8.contains(UInt8(ascii: ":")):
            changed(&state)
            guard let signature = method(name)?.signature else { return .unknown }
            checkReceiver(arguments, name, index)
            check(
                arguments.dropFirst(), of: name, name, signature, .argument, index,
                receiver: arguments.words.first ?? nil)
            checkAsynchronous(signature, name, index)
            return results(of: name, signature, index)
        case .library(let name):
            if !name.utf8.starts(with: "string.".utf8), !name.utf8.starts(with: "math.".utf8) { changed(&state) }
            return library(name, arguments, index, &state)
        default:
            changed(&state)
            unknownCalls.insert(index)
            return .unknown
        }
    }

    /// Follows a call of a local function of the script.
    private mutating func call(helper number: Int, _ types: [ValueType], isOpen: Bool, _ index: Int) -> Results {
        if reports { context.helpers.note(number, arguments: types, isOpen: isOpen) }
        guard var result = context.helpers.result(of: number, in: context) else {
            let ends = context.helpers.ends(number)
            if !ends { unknownCalls.insert(index) }
            return Results(isOpen: true, ends: ends)
        }
        switch result.detail {
        case .fields, .list: result = ValueType(result.kinds)
        default: result.doubt = 0
        }
        return Results(types: [result], isOpen: true)
    }

    /// Finds a call of the original with the same parameters as an earlier call.
    private mutating func checkAgain(_ arguments: Arguments, _ callee: String, _ index: Int, _ state: inout State) {
        let words = arguments.words.compactMap(\.self)
        context.budget.pay(10 * words.count * function.parameters)
        let parameters = words.filter { word in
            (1..<max(1, function.parameters)).contains {
                local($0, at: index) == word && isAssignedOnce($0, name: localNumber($0, at: index) ?? -1)
            }
        }
        let isKnown = !arguments.isOpen && !words.isEmpty && parameters.count == arguments.types.count
        if isKnown, let before = state.originals[words], before.index < index {
            let line = function.lineOf[before.index]
            report(
                .calledTwice, index, callee,
                "\(callee) is called with \(words.joined(separator: ", ")) again, after line \(line)",
                hint: "keep its result: local result = \(callee)(\(words.joined(separator: ", ")))")
        }
        changed(&state)
        guard isKnown, state.originals.count < 20 else { return }
        let hasTable = !arguments.types.allSatisfy { $0.isNever([.table, .object, .function]) }
        state.originals[words] = OriginalCall(index: index, hasTable: hasTable)
    }

    /// The results of a function of the app.
    private mutating func results(of name: String, _ signature: PatchSignature, _ index: Int) -> Results {
        var result = value(signature.result)
        if result.kinds == .nil { return Results(types: [result], isOpen: true) }
        // A test before the call may have tested whether there is a result.
        if !result.isUnknown, result.kinds.contains(.nil), index < firstTest {
            result.doubt = doubt(name, asked: index)
        }
        return Results(types: [result])
    }

    private func method(_ name: String) -> PatchInterface.Function? {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        return context.interface.method(parts[1], of: parts[0])
    }

    /// Checks the arguments of a function of the app.
    private mutating func check(
        _ arguments: Arguments, of callee: String, _ name: String, _ signature: PatchSignature, _ code: Finding.Code,
        _ index: Int, receiver: String? = nil
    ) {
        guard reports else { return }
        let count = arguments.types.count
        let needed = context.interface.neededArguments(of: name, signature)
        if count > signature.arguments.count || !arguments.isOpen && count < needed {
            let given = "\(count) argument\(count == 1 ? "" : "s")"
            return report(
                code, index, callee,
                "\(callee) gets \(given), but \(name)\(signature.shown) takes \(signature.arguments.count)",
                hint: Self.hint(forCount: arguments, of: callee, receiver: receiver))
        }
        for (place, (type, value)) in zip(signature.arguments, arguments.types).enumerated() {
            let type = context.interface.type(type)
            let word = place < signature.parameters.count ? " (\(signature.parameters[place]))" : ""
            guard let fault = context.comparisons.fault(of: value, as: type) else {
                checkFraction(
                    of: value, as: type, "argument \(place + 1)\(word) of \(name)", index,
                    arguments.words[place] ?? callee)
                if isDoubtful(value, arguments.words[place], index),
                    !ValueType.accepted(as: type, in: context.interface).contains(.nil)
                {
                    report(
                        .mayBeNil, index, arguments.words[place] ?? callee,
                        "argument \(place + 1)\(word) of \(name) is \(type), but this may be nil", hint: Self.hintForNil
                    )
                }
                continue
            }
            let (message, hint) = words(
                for: fault, "argument \(place + 1)\(word) of \(name) is", type, arguments.words[place] ?? "this")
            report(
                fault.code ?? .argument, index, arguments.words[place] ?? callee, message,
                hint: hint)
        }
    }

    /// Advice on a call with too few or too many arguments.
    private static func hint(forCount arguments: Arguments, of callee: String, receiver: String?) -> String? {
        if arguments.areResults { return hintForResults }
        if arguments.types.first?.isOriginal == true { return "\(callee) is not one of its own arguments" }
        guard let receiver, arguments.words.first == receiver else { return nil }
        return "the colon passes \(receiver) already"
    }

    private mutating func checkAsynchronous(_ signature: PatchSignature, _ name: String, _ index: Int) {
        guard signature.isAsynchronous, let replacement, !replacement.signature.isAsynchronous else { return }
        report(
            .argument, index, String(name.split(separator: ":").last ?? ""),
            "\(name) is asynchronous, but \(replacement.name) is not, so its replacement cannot wait for it")
    }

    /// Finds a method that is called without its object.
    private mutating func checkReceiver(_ arguments: Arguments, _ name: String, _ index: Int) {
        guard arguments.types.first.map({ $0.isNever(.object) }) ?? !arguments.isOpen else { return }
        let method = String(name.split(separator: ":").last ?? "")
        report(
            .argument, index, method, "\(name) is called without its object",
            hint: "a method is called with a colon: object:\(method)(…)")
    }

    /// Follows a call of a function of the sandbox.
    private mutating func library(
        _ name: String, _ arguments: Arguments, _ index: Int, _ state: inout State
    ) -> Results {
        guard let function = LibraryFunction.all[name] else {
            return name == "host.call" ? callOfHost(arguments, index) : .unknown
        }
        check(arguments, of: name, function, index)
        var results = function.results
        if results.contains(where: { $0.kinds.contains(.nil) }) { asksLibrary = true }
        let word = arguments.words.first.flatMap { $0 }
        let first = arguments.types.first ?? (arguments.isOpen ? .unknown : .nil)
        switch name {
        case "assert":
            context.budget.pay(10 * state.count)
            for register in 0..<state.count where word != nil && self.name(register, state, index) == word {
                state[register] = state[register].whereTrue
            }
            results = [first.isUnknown ? .unknown : first.whereTrue]
        case "ipairs", "pairs":
            guard let elements = elements(of: first) else { break }
            results[0] = ValueType(.function, .iterator(key: elements.key, value: elements.value))
        case "tonumber": results = [number(from: first, arguments, index)]
        case "string.find", "string.match":
            // A string that the script has made itself may be known to match.
            guard first.kinds == .string, case .scalar = first.detail, arguments.types.count == 2,
                case .text(let text) = arguments.types[1].detail, case let pattern = LuaPattern(text),
                pattern.isSelective, name == "string.find" || !pattern.hasPositions
            else {
                if name == "string.match" { results = [] }
                break
            }
            // More than one of the results may be tested.
            let code = self.function.code[index]
            guard code.opcode != .call || code.c == 1 || code.c == 2 else { break }
            results[0].doubt = doubt(ofText: word, asked: index)
        // A script that asks for a type knows more types than the interface does.
        case "type", "math.type":
            context.budget.pay(10 * state.count)
            for register in 0..<state.count where word != nil && self.name(register, state, index) == word {
                state[register] = .unknown
            }
        case "string.format": checkFormat(arguments, index)
        case "pcall", "xpcall":
            guard case .original(let original) = first.detail,
                let signature = context.interface.function(original)?.signature
            else { break }
            let passed = name == "pcall" ? arguments.dropFirst() : arguments.dropFirst().dropFirst()
            check(passed, of: word ?? "original", original, signature, .originalArguments, index)
        case "table.insert" where !arguments.isOpen && (2...3).contains(arguments.types.count):
            context.budget.pay(10 * state.count)
            let value = arguments.types[arguments.types.count - 1]
            for register in 0..<state.count where word != nil && self.name(register, state, index) == word {
                if local(register, at: index) != nil, state[register].detail == first.detail {
                    append(value, to: register, &state)
                }
            }
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
            } else if case .fields(let fields, _) = first.detail, fields["code"] != nil, !context.setsMetatables,
                arguments.types.count == 1, !arguments.isOpen
            {
                report(
                    .argument, index, "throw", "host.throw gets a table, so the app's error does not have its code",
                    hint: "host.throw(message, code)")
            }
            if let replacement, !replacement.signature.throws {
                report(
                    .cannotThrow, index, "throw",
                    "\(replacement.name) cannot throw, so host.throw is a failure, and the original answers",
                    hint: "return the value that the app is to get instead")
            }
        default: break
        }
        return Results(types: results, isOpen: function.isOpen, ends: function.neverReturns)
    }

    /// The number of a string that may not have the text that is searched for; 0 if the script has looked at the string before.
    private mutating func doubt(ofText word: String?, asked index: Int) -> UInt16 {
        guard let word, isSeen(word, before: index, asText: true) == false else { return 0 }
        return doubt(word, asked: index)
    }

    /// The number that is read from a value, if it is one.
    private mutating func number(from value: ValueType, _ arguments: Arguments, _ index: Int) -> ValueType {
        if arguments.types.count == 1, !arguments.isOpen {
            if value.isNever(ValueType.Kinds.all.subtracting(.number)) { return value }
            if case .text(let text) = value.detail { return text.luaNumber == nil ? .nil : .number }
        }
        // A string that the script has cut out of another string may be known to be a numeral.
        guard value.kinds == .string, case .scalar = value.detail else { return .unknown }
        let doubt = doubt(ofText: arguments.words.first.flatMap { $0 }, asked: index)
        return ValueType(arguments.types.count == 1 ? [.integer, .float, .nil] : [.integer, .nil], doubt: doubt)
    }

    /// The keys and values that a loop over a table sees.
    private func elements(of table: ValueType) -> (key: ValueType, value: ValueType)? {
        switch table.detail {
        case .array(let type): (.integer, context.changes.read(ValueType(type, in: context.interface)))
        case .dictionary(let key, let type):
            (
                ValueType(.named(key), in: context.interface),
                context.changes.read(ValueType(type, in: context.interface))
            )
        case .structure: (.string, .unknown)
        default: nil
        }
    }

    private mutating func check(
        _ arguments: Arguments, of name: String, _ function: LibraryFunction, _ index: Int
    ) {
        guard reports else { return }
        let count = arguments.types.count
        func word() -> String { String(name.split(separator: ".").last ?? "") }
        if !arguments.isOpen, count < function.arguments.count {
            return report(
                .argument, index, word(),
                "\(name) takes \(function.optional.isEmpty ? "" : "at least ")\(function.arguments.count) argument\(function.arguments.count == 1 ? "" : "s"), but gets \(count)"
            )
        }
        for (place, value) in arguments.types.enumerated() {
            let needed = function.arguments.count
            guard place < needed + function.optional.count else { break }
            if place >= needed, !value.isNever([.nil]) { continue }
            let argument = place < needed ? function.arguments[place] : function.optional[place - needed]
            if check(value, arguments.words[place], as: argument, "argument \(place + 1) of \(name)", word(), index),
                argument.isPattern, case .text(let text) = value.detail,
                let fault = fault(ofPattern: text, arguments, name)
            {
                report(.argument, index, word(), fault.message, hint: fault.hint)
            }
        }
        checkRules(of: name, arguments, index)
    }

    /// Checks a value as an argument of a function of the sandbox, and returns whether it may be right.
    private mutating func check(
        _ value: ValueType, _ written: String?, as argument: LibraryFunction.Argument,
        _ place: @autoclosure () -> String, _ word: @autoclosure () -> String, _ index: Int
    ) -> Bool {
        if let fault = argument.fault(of: value, in: context.interface) {
            let what = written.map { $0 == fault ? $0 : "\($0), which is \(fault)" } ?? fault
            report(.argument, index, written ?? word(), "\(place()) is \(argument.description), but this is \(what)")
            return false
        }
        if argument.isInteger, value.detail == .fraction {
            report(
                .mayNotFit, index, written ?? word(), "\(place()) is an integer, but this may have a fraction",
                hint: Self.hintForFraction)
        } else if !argument.kinds.contains(.nil), isDoubtful(value, written, index) {
            report(
                .mayBeNil, index, written ?? word(), "\(place()) is \(argument.description), but this may be nil",
                hint: Self.hintForNil)
        }
        return true
    }

    /// Why a pattern, or a string for its matches, is refused; nil if it may be right.
    private func fault(ofPattern text: String, _ arguments: Arguments, _ name: String) -> (
        message: String, hint: String?
    )? {
        let rest = arguments.types.dropFirst(2)
        // With a fourth argument, `find` may look for the pattern as plain text.
        if name == "string.find", rest.count > 1 || arguments.isOpen { return nil }
        let pattern = LuaPattern(text)
        if let fault = pattern.fault { return (fault.parted.0, fault.parted.1) }
        guard name == "string.gsub", case .text(let replacement) = rest.first?.detail,
            let fault = pattern.fault(ofReplacement: replacement)
        else { return nil }
        return (fault.parted.0, fault.parted.1)
    }

    /// Checks the rules that the types of arguments do not express.
    private mutating func checkRules(of name: String, _ arguments: Arguments, _ index: Int) {
        let types = arguments.types
        switch name {
        case "table.insert" where types.count > 2:
            guard types.count == 3 else {
                return report(
                    .argument, index, "insert", "table.insert takes 2 or 3 arguments, but gets \(types.count)")
            }
            guard types[1].kinds == .string, arguments.areResults || !(types[1].detail.isNumeral) else { return }
            report(
                .argument, index, "insert", "argument 2 of table.insert is a position, but this is a string",
                hint: arguments.areResults
                    ? Self.hintForResults : "the position comes first: table.insert(list, 1, value)")
        case "string.char":
            let numbers = types.compactMap { $0.detail?.number }
            guard let number = numbers.first(where: { !(0...255).contains($0) }) else { return }
            report(
                .argument, index, "char", "string.char takes bytes, from 0 to 255, but gets \(number.shown)",
                hint: "utf8.char(\(number.shown)) is the character with this number")
        case "select" where types.first?.detail == .integer(0):
            report(
                .argument, index, "select", "select counts its values from 1, but gets 0",
                hint: "select('#', …) is their number")
        case "tonumber" where arguments.areResults && types.count == 2:
            report(
                .argument, index, "tonumber",
                "argument 2 of tonumber is the base, but this is the count of replacements",
                hint: Self.hintForResults)
        case "tonumber" where types.count == 2 && !types[1].kinds.contains(.nil):
            if types[0].isNever(.string) {
                report(
                    .argument, index, "tonumber",
                    "with a base, argument 1 of tonumber is a string, but this is \(types[0])",
                    hint: "the base is for the digits of a string")
            } else if let base = types[1].detail?.number, !(2...36).contains(base) {
                report(.argument, index, "tonumber", "the base is from 2 to 36, but this is \(base.shown)")
            }
        case "pcall", "xpcall":
            guard let first = types.first, first.isNever([.function, .table, .object]) else { return }
            report(
                .argument, index, name, "argument 1 of \(name) is a function, but this is \(first)",
                hint: "give it the function, and then its arguments: pcall(original, a, b)")
        case "math.random" where !arguments.isOpen:
            let limits = types.compactMap { $0.detail?.number }
            guard limits.count == types.count, let last = limits.last, last != 0 || limits.count == 2,
                last < (limits.count == 2 ? limits[0] : 1)
            else { return }
            report(
                .argument, index, "random",
                "there is no number from \(limits.count == 2 ? limits[0].shown : "1") to \(last.shown)",
                hint: "the lower limit comes first")
        case "table.concat", "table.sort":
            guard name == "table.concat" || types.count == 1, !arguments.isOpen else { return }
            let elements: [ValueType] =
                switch types.first?.detail {
                case .array(let element): [ValueType(element, in: context.interface)]
                // With more arguments, not all elements are joined.
                case .list(let elements, _) where name == "table.concat" && types.count <= 2: elements
                default: []
                }
            guard !context.setsMetatables,
                let wrong = elements.first(where: { $0.isNever([.integer, .float, .string]) })
            else { return }
            let word = arguments.words.first.flatMap { $0 }
            report(
                .argument, index, word ?? "table",
                "\(name) \(name == "table.sort" ? "compares" : "joins") the elements of \(word ?? "the array"), one of which is \(wrong)",
                hint: name == "table.sort" ? "give it a function(x, y) that returns whether x comes first" : nil)
        default: break
        }
    }

    private mutating func checkFormat(_ arguments: Arguments, _ index: Int) {
        guard reports, case .text(let format) = arguments.types.first?.detail else { return }
        if let fault = LibraryFunction.faultOfFormat(format) { return report(.argument, index, "format", fault) }
        let values = LibraryFunction.values(of: format)
        let given = arguments.types.dropFirst()
        if !arguments.isOpen, given.count < values.count {
            return report(
                .argument, index, "format",
                "the format has \(values.count) value\(values.count == 1 ? "" : "s"), but gets \(given.count)")
        }
        if !arguments.isOpen, !arguments.areResults, given.count > values.count {
            return report(
                .argument, index, "format",
                "the format has \(values.count == 0 ? "no value" : values.count == 1 ? "1 value" : "\(values.count) values"), but gets \(given.count)",
                hint: "%s is the place of a value, and %d the place of an integer")
        }
        for (place, (argument, value)) in zip(values, given).enumerated() {
            _ = check(
                value, arguments.words[place + 1], as: argument, "value \(place + 1) of the format", "format", index)
        }
    }

    private mutating func callOfHost(_ arguments: Arguments, _ index: Int) -> Results {
        guard case .text(let name) = arguments.types.first?.detail else {
            if let first = arguments.types.first, first.isNever([.string, .integer, .float]) {
                report(
                    .argument, index, arguments.words[0] ?? "call",
                    "argument 1 of host.call is the name of a function, but this is \(first)",
                    hint: first.isOriginal ? "\(arguments.words[0] ?? "original")(…) calls the original" : nil)
            }
            return .unknown
        }
        guard let signature = context.interface.function(name)?.signature else {
            guard context.knowsApp else { return .unknown }
            let context = context
            report(
                .unknownFunction, index, name, "the app has no function \(name)",
                hint: context.budget.meant(by: name, among: context.interface.functionNames))
            return .unknown
        }
        if reports, name == replacement?.name { selfCalls.append((function.lineOf[index], index)) }
        check(arguments.dropFirst(), of: name, name, signature, .argument, index)
        checkAsynchronous(signature, name, index)
        return results(of: name, signature, index)
    }
}

extension TypeFlow {
    fileprivate static let hintForResults = "the call returns two values; (…) around it keeps the first"
}

extension ValueType.Detail? {
    /// Whether it is a constant string that Lua reads as a number.
    fileprivate var isNumeral: Bool {
        if case .text(let text) = self { text.luaNumber != nil } else { false }
    }
}

extension String {
    /// The message and the hint, which are separated by a semicolon.
    fileprivate var parted: (String, String?) {
        let parts = split(separator: "; ", maxSplits: 1).map(String.init)
        return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
    }
}
