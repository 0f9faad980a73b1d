internal import PatchCrypto

// The operands of operators, tests and loops.

extension FlowChecks {
    // MARK: types that operations accept

    /// The table type, if the value may be a table with metamethods. One of the script has none unless it sets
    /// metatables.
    func tables(_ value: ValueType) -> ValueType.Kinds { value.detail == nil || context.setsMetatables ? .table : [] }

    /// The types that can be called, if the value has them.
    func calls(_ value: ValueType) -> ValueType.Kinds { ValueType.Kinds.function.union(tables(value)) }

    /// Checks the operands of a calculation. The other one is in a register, `right`, or is a constant, `other`.
    mutating func checkArithmetic(
        _ left: Int, right: Int? = nil, other: ValueType? = nil, _ index: Int, _ state: FlowState
    ) {
        let first = state[left]
        let second = right.map { state[$0] } ?? other
        checkOperand(left, first, isAlone: second?.isPlain ?? true, index, state)
        if let right, let second { checkOperand(right, second, isAlone: first.isPlain, index, state) }
        guard let other, first.isPlain else { return }
        if other.kinds == .string { checkNumeral(other, nil, index) }
        if other.isNever(.basic) { report(.operand, index, nil, "calculates with \(other)") }
    }

    /// Checks an operand of a calculation.
    ///
    /// - Parameter isAlone: Whether the other operand is no table or object whose metamethod may take this one. No
    ///   metamethod takes an original.
    private mutating func checkOperand(
        _ register: Int, _ type: ValueType, isAlone: Bool, _ index: Int, _ state: FlowState
    ) {
        let taken: ValueType.Kinds
        if isAlone {
            taken = tables(type).union(type.objects)
        } else {
            taken = type.isOriginal ? .table : [.table, .function, .boolean, .object]
        }
        report(
            .operand, index, type, flow.name(register, state, index),
            unless: taken.union(.basic), "calculates with")
        if isAlone, type.kinds == .string { checkNumeral(type, flow.name(register, state, index), index) }
    }

    /// Checks a string with which the script calculates or counts. Lua accepts it if it is a numeral.
    private mutating func checkNumeral(
        _ value: ValueType, _ word: String?, _ index: Int, _ operation: String = "calculates with"
    ) {
        let isSum = function.code[index].opcode == .add
        switch value.detail {
        case .text(let text) where text.text.luaNumber == nil:
            report(
                .operand, index, word ?? text.text,
                "\(operation) \(word ?? text.text.quotedBeginning), which is not a number",
                hint: isSum ? "Lua joins strings with .." : nil)
        case .scalar
        where !context.globalsRead.contains("tonumber") && flow.isSeen(word, before: index, asText: true) == false:
            let what = word.map { "\($0), which is \(value)" } ?? "\(value)"
            report(
                .mayNotFit, index, word, "\(operation) \(what)",
                hint: "tonumber(…) reads a number, or nil\(isSum ? "; .. joins strings" : "")")
        default: break
        }
    }

    /// Checks the values that a script joins. The sandbox leaves `__concat` out.
    mutating func checkConcatenation(_ registers: Range<Int>, _ index: Int, _ state: FlowState) {
        for register in registers {
            let value = state[register]
            report(
                .operand, index, value, flow.name(register, state, index),
                unless: value.objects.union(.basic), "joins")
        }
    }

    /// Checks the length of a value. A table whose keys are strings has none.
    mutating func checkLength(of value: ValueType, _ word: String?, _ index: Int) {
        report(.operand, index, value, word, unless: value.objects.union([.string, .table]), "takes the length of")
        guard !context.setsMetatables else { return }
        switch value.detail {
        case .dictionary(let key, _) where context.interface.isText(key): break
        case .structure(_, let written) where written.isEmpty: break
        default: return
        }
        report(
            .operand, index, word,
            "\(word.map { "#\($0)" } ?? "the length") is always 0: the keys of \(value) are strings",
            hint: "next(\(word ?? "table")) shows whether it has elements")
    }

    /// Finds values of different types, which are never equal. A test for nil is not reported, because it may be a
    /// precaution, except that of a type, which is a string.
    mutating func checkEquality(_ left: ValueType, _ right: ValueType, _ words: [String?], _ index: Int) {
        if left.kinds == .string, left.detail == .scalar("type(…)"), right.kinds == .nil {
            return report(
                .alwaysFalse, index, "type", "compares a type, which is a string, with nil, so they are never equal",
                hint: "compare it with \"nil\"")
        }
        // A helper may test for a value that no caller passes.
        guard flow.arguments == nil, !left.isUnknown, !right.isUnknown, left.kinds != .nil, right.kinds != .nil
        else { return }
        let context = context
        for details in [(left.detail, right.detail), (right.detail, left.detail)] {
            switch details {
            case (.scalar(let type), .text(let text))
            where context.interface.lacks(text.text, in: type) && !LibraryFunction.typesOfOthers.contains(text.text):
                return report(
                    .alwaysFalse, index, text.text, "\(type) has no value \"\(text.text)\", so they are never equal",
                    hint: context.hint(for: text.text, in: type))
            case (.scalar(let type), .integer(let number)) where context.interface.lacks(number, in: type):
                return report(
                    .alwaysFalse, index, words.compactMap(\.self).first,
                    "\(type) has no value \(number), so they are never equal",
                    hint: "it has \(context.interface.shownCases(of: type))")
            default: continue
            }
        }
        func wide(_ kinds: ValueType.Kinds) -> ValueType.Kinds {
            kinds.isDisjoint(with: .number) ? kinds : kinds.union(.number)
        }
        guard wide(left.kinds).isDisjoint(with: wide(right.kinds)),
            left.isNever([.table, .object]) || right.isNever([.table, .object])
        else { return }
        report(
            .alwaysFalse, index, words.compactMap(\.self).first,
            "\(Self.comparison(of: left, with: right, words)), so they are never equal")
    }

    /// The words for two values that are compared, such as `compares a, which is a number, with a string`.
    private static func comparison(of left: ValueType, with right: ValueType, _ words: [String?]) -> String {
        let first = words.first.flatMap { $0 }.map { "\($0), which is \(left)," } ?? "\(left)"
        return "compares \(first) with \(right)"
    }

    /// Checks the operands of `<`, `<=`, `>` and `>=`.
    ///
    /// - Parameter words: The name of each operand; nil if it has none.
    mutating func checkOrder(_ left: ValueType, _ right: ValueType, _ words: [String?], _ index: Int) {
        func ordered(_ value: ValueType) -> ValueType.Kinds { value.objects.union([.basic, .table]) }
        let operands = zip([left, right], words)
        let wrong =
            operands.first { value, _ in value.isNever(ordered(value)) }
            ?? operands.first { value, word in flow.isDoubtful(value, word, index) }
        if let (value, word) = wrong {
            return report(.operand, index, value, word, unless: ordered(value), "compares")
        }
        // A number and a string have no order.
        func isNumber(_ value: ValueType) -> Bool { value.isNever([.string, .table, .object]) }
        func isText(_ value: ValueType) -> Bool { value.isNever([.integer, .float, .table, .object]) }
        guard (isNumber(left) && isText(right)) || (isText(left) && isNumber(right)) else { return }
        report(.operand, index, words.compactMap(\.self).first, Self.comparison(of: left, with: right, words))
    }

    // MARK: loops

    /// Checks the first value, the limit and the step of a loop, which are in a register and the two after it.
    mutating func checkNumericLoop(_ register: Int, _ index: Int, _ state: FlowState) {
        for (offset, what) in ["first value", "limit", "step"].enumerated() {
            let (value, word) = (state[register + offset], flow.name(register + offset, state, index))
            report(.operand, index, value, word, unless: .basic, "counts with the \(what)")
            if value.kinds == .string { checkNumeral(value, word, index, "counts with the \(what)") }
        }
        guard state[register + 2].detail == .integer(0) else { return }
        report(.operand, index, "for", "the step of the loop is 0, which is an error")
    }

    /// Checks the function that a loop calls for its values.
    mutating func checkGenericLoop(_ register: Int, _ index: Int, _ state: FlowState) {
        let (value, word) = (state[register], flow.name(register, state, index))
        report(
            .operand, index, value, word, unless: calls(value), "`for … in` calls",
            hint: Self.hint(forLoopOver: value, word))
    }

    /// Advice on the loop that was meant by `for … in` without a function.
    private static func hint(forLoopOver value: ValueType, _ word: String?) -> String? {
        let word = word ?? "…"
        return switch value.kinds {
        case .table where value.detail?.isArray == true: "for _, element in ipairs(\(word)) do"
        case .table: "for key, value in pairs(\(word)) do"
        case .string: "for character in \(word):gmatch(\".\") do"
        case _ where value.isNever(ValueType.Kinds.all.subtracting(.number)):
            "a loop over numbers has a =: for i = 1, 10 do"
        default: nil
        }
    }
}
