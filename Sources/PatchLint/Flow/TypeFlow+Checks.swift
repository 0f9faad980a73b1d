internal import PatchRunner

// The problems of an instruction whose operands' types are known.

extension TypeFlow {
    mutating func report(
        _ code: Finding.Code, _ index: Int, _ word: String?, _ message: @autoclosure () -> String,
        hint: @autoclosure () -> String? = nil
    ) {
        guard reports else { return }
        // After a test of one parameter, a helper may not get the arguments of all of its callers.
        if arguments != nil, ![.unreachable, .endlessLoop].contains(code), index > firstTest { return }
        // A value without a name is shown at its operator.
        let operators: [Instruction.Opcode: String] = [.length: "#", .concatenate: ".."]
        note(
            Problem(
                code: code, line: function.lineOf[index], word: word ?? operators[function.code[index].opcode],
                message: message(), hint: hint()))
    }

    /// Reports an operation on a value that has none of the types that the operation accepts.
    mutating func report(
        _ code: Finding.Code, _ index: Int, _ value: ValueType, _ word: String?, unless kinds: ValueType.Kinds,
        _ operation: String, hint advice: @autoclosure () -> String? = nil
    ) {
        guard reports else { return }
        if !kinds.contains(.nil), isDoubtful(value, word, index) {
            return report(
                .mayBeNil, index, word, "\(operation) \(word.map { "\($0), which may be nil" } ?? "\(value)")",
                hint: word.map { "test it first: if \($0) then … end" } ?? Self.hintForNil)
        }
        guard value.isNever(kinds) else { return }
        let isOriginal = value.isOriginal
        let what = word.map { $0 == value.description ? $0 : "\($0), which is \(value)" } ?? "\(value)"
        let isFirst = isOriginal && word.map { !$0.lowercased().hasPrefix("orig") && $0 != "_" } ?? false
        let hint: String? =
            if isFirst {
                "a replacement's first parameter is the original; the arguments follow it"
            } else {
                isOriginal ? "call it: \(word ?? "original")(…)" : advice()
            }
        report(code, index, word, "\(operation) \(what)", hint: hint)
    }

    // MARK: types that operations accept

    /// The table type, if the value may be a table with metamethods. A table of the script has none unless a script sets
    /// metatables.
    func tables(_ value: ValueType) -> ValueType.Kinds { value.detail == nil || context.setsMetatables ? .table : [] }
    func calls(_ value: ValueType) -> ValueType.Kinds { ValueType.Kinds.function.union(tables(value)) }
    func lengths(_ value: ValueType) -> ValueType.Kinds { value.objects.union([.string, .table]) }

    mutating func arithmetic(
        _ target: Int, _ left: Int, _ right: Int? = nil, other: ValueType? = nil, at index: Int, _ state: inout State
    ) {
        let first = state[left]
        let second = right.map { state[$0] } ?? other
        // Neither of them may have a metamethod.
        let (isPlain, isSecondPlain) = (first.isPlain, second?.isPlain ?? true)
        if reports {
            checkOperand(left, first, isAlone: isSecondPlain, index, state)
            if let right, let second { checkOperand(right, second, isAlone: isPlain, index, state) }
            if let other, isPlain {
                if other.kinds == .string { checkNumeral(other, nil, index) }
                if other.isNever([.integer, .float, .string]) {
                    report(.operand, index, nil, "calculates with \(other)")
                }
            }
        }
        let result: ValueType
        switch function.code[index].opcode {
        case .divide, .divideConstant:
            let isFraction =
                isPlain && isSecondPlain && isUneven(left, index) && (second ?? first).detail != .integer(1)
            result = isPlain && isSecondPlain ? ValueType(.float, isFraction ? .fraction : nil) : .unknown
        case .power, .powerConstant: result = isPlain && isSecondPlain ? .float : .unknown
        case .multiplyConstant where second?.hasFraction == true && isUneven(left, index):
            result = isPlain ? ValueType(.float, .fraction) : .unknown
        default:
            if first.kinds == .integer, second?.kinds ?? .integer == .integer {
                result = .integer
            } else if isPlain, isSecondPlain {
                result = first.kinds == .float || second?.kinds == .float ? .float : .number
            } else {
                result = .unknown
            }
        }
        set(target, result, at: index, &state)
    }

    /// Checks an operand.
    ///
    /// If it is alone, the other operand is not a table whose metamethod takes this one. No metamethod takes an original.
    private mutating func checkOperand(
        _ register: Int, _ type: ValueType, isAlone: Bool, _ index: Int, _ state: State
    ) {
        let taken: ValueType.Kinds =
            isAlone
            ? tables(type).union(type.objects) : type.isOriginal ? .table : [.table, .function, .boolean, .object]
        report(
            .operand, index, type, name(register, state, index),
            unless: taken.union([.integer, .float, .string]), "calculates with")
        if isAlone, type.kinds == .string { checkNumeral(type, name(register, state, index), index) }
    }

    /// Whether a quotient of a value is likely to have a fraction.
    ///
    /// The value is an argument from the app, a field, or a length, and no script seems to know better.
    private func isUneven(_ register: Int, _ index: Int) -> Bool {
        guard !context.minds else { return false }
        if let name = local(register, at: index) {
            return register < function.parameters && arguments == nil
                && !function.code[..<index].contains { $0.opcode != .move && $0.a == register && !$0.isTest }
                && isSeen(name, before: index) == false
        }
        guard index > 0, !leads[index] else { return false }
        let last = function.code[index - 1]
        return last.a == register && [.length, .getField].contains(last.opcode)
    }

    /// Whether the script has tested, kept or passed on the value of a local name before an instruction; nil if the name is not
    /// local.
    ///
    /// - Parameter asText: Whether uses of its length, its methods and its order count, too.
    func isSeen(_ word: String?, before index: Int, asText: Bool = false) -> Bool? {
        guard let word else { return nil }
        context.budget.pay(10 * (function.registers + function.locals.count))
        guard
            let register = (0..<max(function.registers, function.parameters)).last(where: {
                local($0, at: index) == word
            })
        else { return nil }
        let begin = function.locals.last { $0.name == word && $0.range.contains(index) }?.range.lowerBound ?? 0
        // The arguments of the call itself are not earlier uses.
        var end = index
        if [.call, .tailCall, .concatenate].contains(function.code[index].opcode) {
            let first = function.code[index].a
            repeat { end -= 1 } while end > begin && !(function.code[end].a == first && function.code[end].makesValue)
        }
        guard begin < end else { return false }
        context.budget.pay(10 * (end - begin))
        return function.code[begin..<end].contains { instruction in
            let (a, b, c) = (instruction.a, instruction.b, instruction.c)
            switch instruction.opcode {
            case .move, .not, .testAndSet: return b == register
            case .test, .equalConstant, .equalInteger: return a == register
            case .equal: return a == register || b == register
            case .getTable: return c == register
            case .setTable: return b == register || c == register && !instruction.k
            case .setField, .setInteger, .setGlobal: return c == register && !instruction.k
            case .setUpvalue: return a == register
            case .getSelf, .length: return asText && b == register
            case .less, .lessOrEqual: return asText && (a == register || b == register)
            case .closure:
                return function.inner.indices.contains(instruction.bx)
                    && function.inner[instruction.bx].upvalues.contains { $0.isInStack && $0.index == register }
            default: return false
            }
        }
    }

    /// Checks a string with which the script calculates. Lua accepts it if it is a numeral.
    private mutating func checkNumeral(_ value: ValueType, _ word: String?, _ index: Int) {
        let isSum = function.code[index].opcode == .add
        switch value.detail {
        case .text(let text) where text.luaNumber == nil:
            report(
                .operand, index, word ?? text,
                "calculates with \(word ?? "\"\(text.prefix(30))\""), which is not a number",
                hint: isSum ? "Lua joins strings with .." : nil)
        case .scalar where !context.asks.contains("tonumber") && isSeen(word, before: index, asText: true) == false:
            report(
                .mayNotFit, index, word, "calculates with \(word.map { "\($0), which is \(value)" } ?? "\(value)")",
                hint:
                    "tonumber(…) reads a number, or nil\(isSum ? "; .. joins strings" : "")"
            )
        default: break
        }
    }

    /// Finds a field of a struct of the app that gets a number with a fraction, or a misspelt name.
    mutating func checkWritten(_ value: ValueType, _ name: String?, of table: ValueType, _ index: Int) {
        guard reports, let name, case .structure(let type, _) = table.detail,
            let structure = context.interface.structure(type)
        else { return }
        if let field = structure.field(name) {
            checkFraction(of: value, as: field.type, "the field \(name)", index, name)
        } else if !context.reads.contains(name), let meant = context.budget.meant(by: name, among: structure.fieldNames)
        {
            report(.unknownField, index, name, "\(type) has no field \(name)", hint: meant)
        }
    }

    /// Finds a number that is likely to have a fraction where the app takes an integer.
    mutating func checkFraction(
        of value: ValueType, as type: InterfaceType, _ place: String, _ index: Int, _ word: String?
    ) {
        guard reports, let fraction = context.comparisons.fraction(in: value, as: type) else { return }
        report(
            .mayNotFit, index, word,
            "\(fraction.map { "the field \($0)" } ?? place) is an integer, but this may have a fraction",
            hint: Self.hintForFraction)
    }

    /// Finds values of different types, which are never equal. A test for nil is not reported, because it may be a precaution,
    /// except that of a type, which is a string.
    mutating func checkEquality(_ left: ValueType, _ right: ValueType, _ words: [String?], _ index: Int) {
        if left.kinds == .string, left.detail == .scalar("type(…)"), right.kinds == .nil {
            return report(
                .alwaysFalse, index, "type", "compares a type, which is a string, with nil, so they are never equal",
                hint: "compare it with \"nil\"")
        }
        // A helper may test for a value that no caller passes.
        guard reports, arguments == nil, !left.isUnknown, !right.isUnknown, left.kinds != .nil, right.kinds != .nil
        else { return }
        for case (.scalar(let type), .text(let text)) in [(left.detail, right.detail), (right.detail, left.detail)]
        where context.interface.lacks(text, in: type) && !LibraryFunction.typesOfOthers.contains(text) {
            let context = context
            return report(
                .alwaysFalse, index, text, "\(type) has no value \"\(text)\", so they are never equal",
                hint: context.hint(for: text, in: type))
        }
        for case (.scalar(let type), .integer(let number)) in [
            (left.detail, right.detail), (right.detail, left.detail),
        ]
        where context.interface.lacks(number, in: type) {
            let context = context
            return report(
                .alwaysFalse, index, words.compactMap(\.self).first,
                "\(type) has no value \(number), so they are never equal",
                hint: "it has \(context.interface.shownCases(of: type))")
        }
        for case (let detail?, .integer(let number)) in [(left.detail, right.detail), (right.detail, left.detail)] {
            guard let least = detail.least, number < least else { continue }
            return reportLeast(detail, least, words.compactMap(\.self).first, index)
        }
        func wide(_ kinds: ValueType.Kinds) -> ValueType.Kinds {
            kinds.isDisjoint(with: .number) ? kinds : kinds.union(.number)
        }
        guard wide(left.kinds).isDisjoint(with: wide(right.kinds)),
            left.isNever([.table, .object]) || right.isNever([.table, .object])
        else { return }
        report(
            .alwaysFalse, index, words.compactMap(\.self).first,
            "compares \(words.first.flatMap { $0 }.map { "\($0), which is \(left)," } ?? "\(left)") with \(right), so they are never equal"
        )
    }

    /// Reports a comparison of a length or a position with a number that is too small.
    mutating func reportLeast(_ detail: ValueType.Detail, _ least: Int64, _ word: String?, _ index: Int) {
        let isPosition = detail == .position
        report(
            .alwaysFalse, index, word,
            "compares \(isPosition ? "a position" : "a length") with a number below \(least), which it never is",
            hint: isPosition ? "a search that finds nothing returns nil: if not text:find(…) then" : nil)
    }

    mutating func checkOrder(_ left: ValueType, _ right: ValueType, _ word: String?, _ index: Int) {
        guard reports else { return }
        for value in [left, right] where value.isNever(value.objects.union([.integer, .float, .string, .table])) {
            return report(.operand, index, value, word, unless: [], "compares")
        }
        for value in [left, right] where isDoubtful(value, word, index) {
            return report(.operand, index, value, word, unless: [], "compares")
        }
        if left.isNever([.string, .table, .object]) && right.isNever([.integer, .float, .table, .object])
            || right.isNever([.string, .table, .object]) && left.isNever([.integer, .float, .table, .object])
        {
            report(
                .operand, index, word, "compares \(word.map { "\($0), which is \(left)," } ?? "\(left)") with \(right)")
        }
    }

    mutating func checkIndexed(_ value: ValueType, _ word: String?, _ index: Int) {
        report(.operand, index, value, word, unless: [.table, .object, .string], "indexes")
    }

    /// Checks a value that gets a field. An object of the app takes none.
    mutating func checkAssigned(_ value: ValueType, _ word: String?, _ index: Int) {
        report(.operand, index, value, word, unless: value.objects.union([.table]), "sets a field of")
    }

    // MARK: members

    /// A table of the sandbox, or another global.
    func global(_ name: String?) -> ValueType {
        guard let name, !context.assigned.contains(name) else { return .unknown }
        if SandboxNames.members[name] != nil { return ValueType(.table, .library(name)) }
        return LibraryFunction.all[name] != nil ? ValueType(.function, .library(name)) : .unknown
    }

    /// The names of a length in other languages.
    private static let lengths: Set = ["count", "length", "len", "size", "n"]

    /// A field of a table.
    mutating func member(_ name: String?, of value: ValueType, _ word: String?, _ index: Int) -> ValueType {
        checkIndexed(value, word, index)
        guard let name else { return .unknown }
        switch value.detail {
        case .library("_G"): return global(name)
        case .library(let table):
            guard !context.written.contains(name), SandboxNames.members[table]?.contains(name) == true else {
                return .unknown
            }
            switch "\(table).\(name)" {
            case "math.huge", "math.pi": return .float
            case "math.maxinteger", "math.mininteger": return .integer
            case "patch.app", "patch.appVersion", "patch.id": return .string
            case "patch.version": return .integer
            case "utf8.charpattern": return .string
            default: return ValueType(.function, .library("\(table).\(name)"))
            }
        case .structure(let structure, let written):
            if let type = written[name] { return type }
            guard let structure = context.interface.structure(structure) else { return .unknown }
            if let field = structure.field(name) {
                guard !context.changes.fields.contains(name) else { return .unknown }
                var type = context.changes.read(ValueType(field.type, in: context.interface))
                if case .optional = field.type, !type.isUnknown, !context.tests.contains(name) {
                    type.doubt = doubt("", asked: index)
                }
                return type
            }
            guard !context.written.contains(name) else { return .unknown }
            let context = context
            report(
                .unknownField, index, name, "\(structure.name) has no field \(name)",
                hint: context.budget.meant(by: name, among: structure.fieldNames)
                    ?? "it has \(structure.fieldNames.listed)")
            return .unknown
        case .fields(let fields, isShared: false): return fields[name]?.shared ?? .unknown
        case .array where !context.written.contains(name):
            report(
                .unknownField, index, name, "an array has no field \(name)",
                hint: Self.lengths.contains(name)
                    ? "#\(word ?? "list") is its length"
                    : LibraryFunction.all["table.\(name)"].map { _ in "table.\(name)(\(word ?? "list"), …)" })
            return .unknown
        case .dictionary(let key, _) where context.interface.lacks(name, in: key):
            let context = context
            report(
                .unknownCase, index, name, "\(key) has no value \"\(name)\", so the table never has it",
                hint: context.hint(for: name, in: key))
            return .unknown
        case .dictionary("string", let type):
            return context.changes.read(ValueType(.optional(type), in: context.interface))
        case _ where value.kinds == .string && !context.written.contains(name):
            let function = "string.\(name)"
            guard !context.assigned.contains("string") else { return .unknown }
            if LibraryFunction.all[function] != nil { return ValueType(.function, .library(function)) }
            if !context.setsMetatables {
                report(
                    .unknownField, index, name, "a string has no field \(name)",
                    hint: Self.lengths.contains(name) ? "#\(word ?? "text") is its length" : nil)
            }
            return .unknown
        case .object(let type) where !context.written.contains(name) && context.interface.method(name, of: type) != nil:
            return ValueType(.function, .library("\(type):\(name)"))
        default: return .unknown
        }
    }

    /// An element of a table. A missing element is nil, which is not held against a script.
    mutating func element(of value: ValueType, key: ValueType, word: String?, _ index: Int) -> ValueType {
        if case .text(let name) = key.detail { return member(name, of: value, word, index) }
        checkIndexed(value, word, index)
        if case .integer(let position) = key.detail, position < 1, value.detail?.isArray == true,
            !context.setsZero, !context.setsMetatables
        {
            report(
                .unknownField, index, word, "an array has no position \(position): its first one is 1",
                hint:
                    "\(word ?? "list")[1] is its first element, and \(word ?? "list")[#\(word ?? "list")] its last one")
        }
        if value.kinds == .string, key.isNever(.string), !context.setsMetatables {
            report(
                .unknownField, index, word, "a string has no positions, so this is nil",
                hint: "\(word ?? "text"):sub(1, 1) is its first character")
        }
        if value.detail?.isArray == true, key.detail == .fraction {
            report(
                .mayNotFit, index, word, "a position is an integer, but this may have a fraction",
                hint: Self.hintForFraction)
        }
        switch value.detail {
        case .array(let type):
            if key.kinds == .string, reports {
                report(.unknownField, index, word, "indexes \(word ?? "an array"), which is \(value), by a string")
            }
            return context.changes.read(ValueType(type, in: context.interface))
        case .dictionary(let name, let type):
            if key.kinds == .integer, context.interface.isText(name) {
                report(
                    .unknownField, index, word, "indexes \(word ?? "a table"), whose keys are strings, by a number",
                    hint: "pairs(\(word ?? "table")) has its keys and values")
            }
            return context.changes.read(ValueType(.optional(type), in: context.interface))
        case .structure where key.kinds == .integer && reports:
            report(.unknownField, index, word, "indexes \(word ?? "a table"), which is \(value), by a number")
            return .unknown
        default: return .unknown
        }
    }

    /// A method that is called.
    mutating func method(_ name: String?, of value: ValueType, _ word: String?, _ index: Int) -> ValueType {
        checkIndexed(value, word, index)
        guard let name else { return .unknown }
        if value.kinds == .string {
            let function = "string.\(name)"
            if LibraryFunction.all[function] != nil, !context.assigned.contains("string") {
                return ValueType(.function, .library(function))
            }
            if reports, !context.written.contains(name) {
                let meant = context.budget.meant(by: name, among: (SandboxNames.members["string"] ?? []).sorted())
                report(.unknownMethod, index, name, "strings have no method \(name)", hint: meant)
            }
            return .unknown
        }
        if case .library(let table) = value.detail, SandboxNames.members[table]?.contains(name) == true,
            !context.written.contains(name)
        {
            report(
                .argument, index, name, "\(table).\(name) gets \(table) as its first argument",
                hint: "a function of \(table) is called with a dot: \(table).\(name)(…)")
        }
        if case .array = value.detail, !context.written.contains(name), !context.setsMetatables {
            report(
                .unknownMethod, index, name, "an array has no method \(name)",
                hint: LibraryFunction.all["table.\(name)"].map { _ in "table.\(name)(\(word ?? "list"), …)" })
        }
        guard case .object(let type) = value.detail, !context.written.contains(name),
            context.interface.exposes(type)
        else { return .unknown }
        if context.interface.method(name, of: type) != nil {
            return ValueType(.function, .library("\(type):\(name)"))
        }
        let registered = ["\(type).\(name)", "\(type):\(name)"]
        guard !registered.contains(where: { context.interface.function($0) != nil }) else { return .unknown }
        guard reports else { return .unknown }
        let meant = context.budget.meant(by: name, among: context.interface.methodNames(of: type))
        report(.unknownMethod, index, name, "\(type) has no method \(name)", hint: meant)
        return .unknown
    }

    // MARK: results

    mutating func checkResult(_ value: ValueType, _ word: String?, _ index: Int) {
        returnsValue = true
        returned = returned?.joined(with: value) ?? value
        guard reports, let replacement else { return }
        let result = context.interface.type(replacement.signature.result)
        guard result != .named("nothing") else { return }
        let name = replacement.name
        if let fault = context.comparisons.fault(of: value, as: result) {
            let (message, hint) = words(for: fault, "\(name) returns", result, "this")
            return report(fault.code ?? .resultType, index, "return", message, hint: hint)
        }
        checkFraction(of: value, as: result, "the result of \(name)", index, "return")
        let accepted = ValueType.accepted(as: result, in: context.interface)
        if !accepted.contains(.nil), isDoubtful(value, word, index) || isUnassigned(value, index) {
            report(
                .mayBeNil, index, "return", "\(name) returns \(result), but this may be nil",
                hint: "answer something on each path, or return original(…)")
        }
    }

    /// Whether a local name that is returned has got a value in only one branch of a single test.
    private func isUnassigned(_ value: ValueType, _ index: Int) -> Bool {
        let register = function.code[index].a
        // A call of an unknown function may be the one that never returns, and a result of the sandbox may be the one that is nil.
        guard unknownCalls.isEmpty, !asksLibrary, value.doubt == 0, !value.isUnknown, value.kinds.contains(.nil),
            function.code[index].opcode == .returnOne,
            local(register, at: index) != nil, !assignedWithin.contains(register)
        else { return false }
        context.budget.pay(10 * index)
        let before = function.code[..<index]
        return before.count(where: \.isTest) == 1
            && before.contains { $0.opcode == .loadNil && ($0.a...$0.a + $0.b).contains(register) }
            && !before.contains {
                [.forLoop, .genericForLoop].contains($0.opcode) || $0.opcode == .jump && $0.jump < 0
            }
    }

    mutating func checkNoResult(_ index: Int) {
        returned = returned?.joined(with: .nil) ?? .nil
        guard reports, let replacement else { return }
        let result = context.interface.type(replacement.signature.result)
        guard result != .named("nothing"), !ValueType.accepted(as: result, in: context.interface).contains(.nil) else {
            return
        }
        // The compiler adds a return to the end of each function.
        let (isAdded, returnsValue) = (index == function.code.count - 1, returnsValue)
        // An unknown function that is called last may always throw.
        if isAdded, unknownCalls.contains(where: { $0 + 1 == index || function.jump(at: $0 + 1, leadsTo: index) }) {
            return
        }
        report(
            isAdded && returnsValue ? .missingReturn : .resultType, index, isAdded ? "end" : "return",
            isAdded
                ? returnsValue
                    ? "\(replacement.name) returns \(result), but one path through the replacement ends without a return"
                    : "\(replacement.name) returns \(result), but the replacement never returns a value"
                : "\(replacement.name) returns \(result), but this returns nothing",
            hint: "return original(…) where nothing changes")
    }

    /// The words for the fault of a value.
    ///
    /// - Parameters:
    ///   - place: The subject and the verb, such as `Cart.total returns`.
    ///   - type: The type that it must have.
    ///   - what: Its name in the script.
    func words(
        for fault: ValueType.Fault, _ place: String, _ type: InterfaceType, _ what: String
    ) -> (message: String, hint: String?) {
        switch fault {
        case .type(_, let value): return ("\(place) \(type), but \(what) is \(value)", nil)
        case .missing(let field, let structure, let written):
            return (
                "\(place) \(structure), but \(what) has no field \(field)",
                context.budget.nearest(field, among: written).map { "\($0) is not a field of \(structure)" }
            )
        case .field(let field, let structure, let type, let value):
            return ("the field \(field) of \(structure) is \(type), but this is \(value)", nil)
        case .unknown(let field, let structure):
            let meant = context.interface.structure(structure).flatMap {
                context.budget.meant(by: field, among: $0.fieldNames)
            }
            return ("\(structure) has no field \(field)", meant)
        case .part(let part, let wanted, let value):
            return ("\(place) \(type), but \(part) of it is \(value), and not \(wanted)", nil)
        case .noCase(let text, let type):
            return ("\(type) has no value \(text)", context.hint(for: text.trimmed, in: type))
        }
    }
}

extension Instruction {
    /// Whether it writes its first register.
    fileprivate var makesValue: Bool {
        switch opcode {
        case .jump, .metamethod, .metamethodInteger, .metamethodConstant, .setGlobal, .setTable, .setInteger, .setField,
            .setUpvalue, .setList, .close, .returnNone, .returnOne, .returnSome:
            false
        default: !isTest
        }
    }
}

extension Prototype {
    fileprivate func jump(at index: Int, leadsTo target: Int) -> Bool {
        code.indices.contains(index) && code[index].opcode == .jump && index + 1 + code[index].jump == target
    }
}

extension ValueType.Fault {
    /// The code of a finding that is about a name; nil for other faults.
    var code: Finding.Code? {
        switch self {
        case .unknown: .unknownField
        case .noCase: .unknownCase
        default: nil
        }
    }
}

extension TypeFlow.Context {
    /// Advice on the likely meaning of a string that is not one of a type's values.
    fileprivate func hint(for text: String, in type: String) -> String {
        budget.meant(by: text, among: interface.words(in: type)) { "\"\($0)\"" }
            ?? "it has \(interface.shownCases(of: type))"
    }
}

extension String {
    /// The string without the quotes around it.
    fileprivate var trimmed: String { hasPrefix("\"") ? String(dropFirst().dropLast()) : self }
}
