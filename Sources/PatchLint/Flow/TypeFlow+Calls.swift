internal import PatchCrypto
internal import PatchRunner

/// The arguments of a call. If it is open, an unknown number of others follows.
struct CallArguments {
    var types: [ValueType]
    /// The names of the arguments in the script; nil for one without a name.
    var words: [String?]
    var isOpen: Bool
    /// Whether the last two are the results of one call.
    var areResults: Bool

    /// The name of the first argument; nil if it has none.
    var word: String? { words.first.flatMap { $0 } }
    /// The first argument; nil to Lua if there is none.
    var first: ValueType { types.first ?? (isOpen ? .unknown : .nil) }

    func dropFirst() -> CallArguments {
        CallArguments(
            types: Array(types.dropFirst()), words: Array(words.dropFirst()), isOpen: isOpen, areResults: areResults)
    }
}

/// The results of a call. If it is open, an unknown number of other values follows.
struct CallResults {
    var types: [ValueType] = []
    var isOpen = false
    /// Whether the call never returns.
    var ends = false

    var first: ValueType { types.first ?? (isOpen ? .unknown : .nil) }

    static let unknown = CallResults(isOpen: true)
}

extension TypeFlow {
    func arguments(of index: Int, _ state: FlowState) -> CallArguments {
        let (register, b) = (function.code[index].a, function.code[index].b)
        // The arguments may end with the results of another call.
        let endOfResults = state.open.map { $0 + (state.openCount ?? 0) } ?? register + 1
        let end = b > 0 ? register + b : min(endOfResults, state.count)
        let places = register + 1..<max(register + 1, end)
        return CallArguments(
            types: places.map { state[$0] }, words: places.map { name($0, state, index) },
            isOpen: b == 0 && state.openCount == nil, areResults: b == 0 && state.openCount == 2)
    }

    /// Follows a call of the function in a register.
    mutating func call(_ register: Int, _ index: Int, _ state: inout FlowState) -> CallResults {
        switch state[register].detail {
        case .helper(let number):
            forgetChangeable(&state)
            return call(helper: number, index)
        case .original(let name):
            noteOriginal(arguments(of: index, state), index, &state)
            return context.interface.function(name).map { results(of: name, $0.signature, index) } ?? .unknown
        case .library(let name) where name.utf8.contains(UInt8(ascii: ":")):
            forgetChangeable(&state)
            return method(name).map { results(of: name, $0.signature, index) } ?? .unknown
        case .library(let name):
            let arguments = arguments(of: index, state)
            if mayChange(name, arguments) { forgetChangeable(&state) }
            return library(name, arguments, index, &state)
        default:
            forgetChangeable(&state)
            unknownCalls.insert(index)
            return .unknown
        }
    }

    /// Whether a function of the sandbox may change a table, or call a function that does.
    private func mayChange(_ name: String, _ arguments: CallArguments) -> Bool {
        switch name {
        case "string.gsub":
            // It calls a function, and reads a table, which may have a metatable.
            let kinds: ValueType.Kinds = context.setsMetatables ? [.function, .table] : .function
            return arguments.types.count > 2 ? !arguments.types[2].isNever(kinds) : arguments.isOpen
        // `%s` calls `__tostring`.
        case "string.format": return context.setsMetatables
        default: return !name.utf8.starts(with: "string.".utf8) && !name.utf8.starts(with: "math.".utf8)
        }
    }

    private mutating func call(helper number: Int, _ index: Int) -> CallResults {
        guard var result = context.helpers.result(of: number, in: context) else {
            let ends = context.helpers.all[number].ends
            if !ends { unknownCalls.insert(index) }
            return CallResults(isOpen: true, ends: ends)
        }
        switch result.detail {
        case .fields, .list: result = ValueType(result.kinds, .made)
        default: result.doubt = 0
        }
        return CallResults(types: [result], isOpen: true)
    }

    /// The names of a call's arguments; nil if not all of them are parameters after the original that the script never
    /// changes.
    mutating func parameters(_ arguments: CallArguments, _ index: Int) -> [String]? {
        let words = arguments.words.compactMap(\.self)
        guard !arguments.isOpen, !words.isEmpty, words.count == arguments.types.count else { return nil }
        context.budget.pay(10 * words.count * function.parameters)
        for word in words {
            let register = (0..<function.parameters).dropFirst().first { local($0, at: index) == word }
            guard let register, let name = localNumber(register, at: index), isAssignedOnce(register, name: name) else {
                return nil
            }
        }
        return words
    }

    /// Notes a call of the original with parameters only.
    private mutating func noteOriginal(_ arguments: CallArguments, _ index: Int, _ state: inout FlowState) {
        let words = parameters(arguments, index)
        forgetChangeable(&state)
        guard let words, state.originals.count < FlowState.mostFacts else { return }
        let hasTable = !arguments.types.allSatisfy { $0.isNever([.table, .object, .function]) }
        state.originals[words] = OriginalCall(index: index, hasTable: hasTable)
    }

    private mutating func results(of name: String, _ signature: FunctionType, _ index: Int) -> CallResults {
        var result = value(signature.resultType)
        if result.kinds == .nil { return CallResults(types: [result], isOpen: true) }
        // A test before the call may have tested whether there is a result.
        if !result.isUnknown, result.kinds.contains(.nil), index < firstTest {
            result.doubt = doubt(name, asked: index)
        }
        return CallResults(types: [result])
    }

    /// The method with the name of its class, a colon and its own name.
    func method(_ name: String) -> PatchInterface.Function? {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        return context.interface.method(parts[1], of: parts[0])
    }

    private mutating func library(
        _ name: String, _ arguments: CallArguments, _ index: Int, _ state: inout FlowState
    ) -> CallResults {
        guard let function = LibraryFunction.all[name] else {
            guard name == "host.call", case .text(let name) = arguments.types.first?.detail,
                let signature = context.interface.function(name.text)?.signature
            else { return .unknown }
            return results(of: name.text, signature, index)
        }
        var results = function.results
        if results.contains(where: { $0.kinds.contains(.nil) }) { asksLibrary = true }
        let first = arguments.first
        switch name {
        case "assert" where first.kinds == .nil || isFalse(self.function.code[index].a + 1, before: index):
            return CallResults(ends: true)
        case "assert":
            change(arguments.word, index, &state, to: \.whereTrue)
            results = [first.isUnknown ? .unknown : first.whereTrue]
        // A script that asks for a type knows more types than the interface does.
        case "type", "math.type": change(arguments.word, index, &state) { _ in .unknown }
        case "ipairs", "pairs":
            guard let elements = elements(of: first) else { break }
            results[0] = ValueType(.function, .iterator(key: elements.key, value: elements.value))
        case "host.has":
            if case .text(let name) = first.detail { context.functionsAsked.insert(name) }
        case "tonumber": results = [number(from: first, arguments, index)]
        case "string.match": asksLibrary = true
        case "table.insert" where arguments.isOpen || arguments.types.count > 1:
            insert(arguments, index, &state)
        default: break
        }
        return CallResults(types: results, isOpen: function.isOpen, ends: !function.returns)
    }

    /// Changes the value of each register that has a name; of none without a name.
    private func change(
        _ word: String?, _ index: Int, _ state: inout FlowState, to value: (ValueType) -> ValueType
    ) {
        guard let word else { return }
        context.budget.pay(10 * state.count)
        for register in 0..<state.count where name(register, state, index) == word {
            state[register] = value(state[register])
        }
    }

    /// Follows `table.insert` with two or more arguments, or with an unknown number of them.
    private mutating func insert(_ arguments: CallArguments, _ index: Int, _ state: inout FlowState) {
        context.budget.pay(10 * state.count)
        let (word, table) = (arguments.word, arguments.first)
        let value = arguments.isOpen ? .unknown : arguments.types[arguments.types.count - 1]
        noteElement(value, at: .integer, of: table)
        var registers = (0..<state.count).filter { register in
            word != nil && name(register, state, index) == word && local(register, at: index) != nil
                && state[register].detail == table.detail
        }
        // The table may have no local name, as in `table.insert(basket.items, item)`.
        if registers.isEmpty { registers = [function.code[index].a + 1] }
        for register in registers { append(value, to: register, &state) }
    }

    /// The result of `tonumber`, which is nil for a string that is not a numeral.
    private mutating func number(from value: ValueType, _ arguments: CallArguments, _ index: Int) -> ValueType {
        if arguments.types.count == 1, !arguments.isOpen {
            if value.isNever(ValueType.Kinds.all.subtracting(.number)) { return value }
            if case .text(let text) = value.detail { return text.text.luaNumber == nil ? .nil : .number }
        }
        // A string that the script has cut out of another string may be known to be a numeral.
        guard value.kinds == .string, case .scalar = value.detail else { return .unknown }
        var doubt: UInt16 = 0
        if let word = arguments.word, isSeen(word, before: index, asText: true) == false {
            doubt = self.doubt(word, asked: index)
        }
        return ValueType(arguments.types.count == 1 ? [.integer, .float, .nil] : [.integer, .nil], doubt: doubt)
    }

    /// The keys and the values that a loop gets from a table; nil if they are not known.
    private func elements(of table: ValueType) -> (key: ValueType, value: ValueType)? {
        switch table.detail {
        case .array(let type): (.integer, self.value(type))
        case .dictionary(let key, let type): (ValueType(.named(key), in: context.interface), valueOfEntry(type))
        case .structure: (.string, .unknown)
        default: nil
        }
    }
}
