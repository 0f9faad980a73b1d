internal import PatchCrypto

// The fields, elements and methods of tables and objects.

extension FlowChecks {
    mutating func checkIndexed(_ value: ValueType, _ word: String?, _ index: Int) {
        report(.operand, index, value, word, unless: [.table, .object, .string], "indexes")
    }

    /// Checks a value that gets a field. An object of the app takes none.
    mutating func checkAssigned(_ value: ValueType, _ word: String?, _ index: Int) {
        report(.operand, index, value, word, unless: value.objects.union([.table]), "sets a field of")
    }

    /// The names that other languages have for a length.
    private static let lengths: Set = ["count", "length", "len", "size", "n"]

    /// Advice on a member of an array that is a function of `table`; nil if it is not.
    private static func hint(forFunction name: String, ofArray word: String?) -> String? {
        LibraryFunction.all["table.\(name)"] == nil ? nil : "table.\(name)(\(word ?? "list"), …)"
    }

    /// Checks a member that is read. Its name is nil if it is not known.
    mutating func checkMember(_ name: String?, of value: ValueType, _ word: String?, _ index: Int) {
        checkIndexed(value, word, index)
        guard let name else { return }
        let context = context
        switch value.detail {
        case .structure(let structure, let written):
            guard written[name] == nil, !context.written.contains(name),
                let structure = context.interface.structure(structure), structure.field(name) == nil
            else { return }
            report(
                .unknownField, index, name, "\(structure.name) has no field \(name)",
                hint: context.budget.advice(for: name, among: structure.fieldNames)
                    ?? "it has \(structure.fieldNames.listed)")
        case .array where !context.written.contains(name):
            report(
                .unknownField, index, name, "an array has no field \(name)",
                hint: Self.lengths.contains(name)
                    ? "#\(word ?? "list") is its length" : Self.hint(forFunction: name, ofArray: word))
        case .dictionary(let key, _) where context.interface.lacks(name, in: key):
            report(
                .unknownCase, index, name, "\(key) has no value \"\(name)\", so the table never has it",
                hint: context.hint(for: name, in: key))
        case _ where value.kinds == .string && !context.written.contains(name):
            guard !context.assigned.contains("string"), LibraryFunction.all["string.\(name)"] == nil,
                !context.setsMetatables, !isAsked(index)
            else { return }
            report(
                .unknownField, index, name, "a string has no field \(name)",
                hint: Self.lengths.contains(name) ? "#\(word ?? "text") is its length" : nil)
        default: break
        }
    }

    /// Checks an element that is read. A missing element is not held against a script.
    mutating func checkElement(of value: ValueType, key: ValueType, word: String?, _ index: Int) {
        if case .text(let name) = key.detail { return checkMember(name.text, of: value, word, index) }
        checkIndexed(value, word, index)
        if case .integer(let position) = key.detail, position < 1, value.detail?.isArray == true,
            !context.setsZero, !context.setsMetatables
        {
            let list = word ?? "list"
            report(
                .unknownField, index, word, "an array has no position \(position): its first one is 1",
                hint: "\(list)[1] is its first element, and \(list)[#\(list)] its last one")
        }
        if value.kinds == .string, key.isNever(.string), !context.setsMetatables, !isAsked(index) {
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
        case .array where key.kinds == .string:
            report(.unknownField, index, word, "indexes \(word ?? "an array"), which is \(value), by a string")
        case .dictionary(let name, _) where key.kinds == .integer && context.interface.isText(name):
            report(
                .unknownField, index, word, "indexes \(word ?? "a table"), whose keys are strings, by a number",
                hint: "pairs(\(word ?? "table")) has its keys and values")
        case .structure where key.kinds == .integer:
            report(.unknownField, index, word, "indexes \(word ?? "a table"), which is \(value), by a number")
        default: break
        }
    }

    /// Checks a method that is called. Its name is nil if it is not known.
    mutating func checkMethod(_ name: String?, of value: ValueType, _ word: String?, _ index: Int) {
        checkIndexed(value, word, index)
        guard let name else { return }
        if value.kinds == .string {
            let isKnown = LibraryFunction.all["string.\(name)"] != nil && !context.assigned.contains("string")
            guard !isKnown, !context.written.contains(name) else { return }
            let meant = context.budget.advice(for: name, among: (SandboxNames.members["string"] ?? []).sorted())
            return report(.unknownMethod, index, name, "strings have no method \(name)", hint: meant)
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
                hint: Self.hint(forFunction: name, ofArray: word))
        }
        guard case .object(let type) = value.detail, !context.written.contains(name),
            context.interface.exposes(type), context.interface.method(name, of: type) == nil,
            context.interface.function("\(type).\(name)") == nil, context.interface.function("\(type):\(name)") == nil
        else { return }
        let meant = context.budget.advice(for: name, among: context.interface.methodNames(of: type))
        report(.unknownMethod, index, name, "\(type) has no method \(name)", hint: meant)
    }

    /// Checks an element that an instruction reads with the key in a register.
    mutating func checkElement(_ instruction: Instruction, _ index: Int, _ state: FlowState) {
        let (table, key) = (state[instruction.b], state[instruction.c])
        checkElement(of: table, key: key, word: flow.name(instruction.b, state, index), index)
        if table.detail?.isArray == true, key.detail == .counter, !context.setsMetatables, !context.setsZero,
            !isLookedAt(index)
        {
            checkFirst(index, state)
        }
    }

    /// Whether the script asks whether the value that an instruction reads is nil: next, or by its name.
    private func isAsked(_ index: Int) -> Bool {
        let register = function.code[index].a
        if function.tests(register, at: index + 1) { return true }
        guard let range = function.localNames.local(of: register, at: index + 1)?.range else { return false }
        context.budget.pay(10 * range.count)
        return range.contains { function.tests(register, at: $0) }
    }

    /// Whether the value that an instruction reads is tested next, or is given a name.
    private func isLookedAt(_ index: Int) -> Bool {
        guard function.code.indices.contains(index + 1) else { return true }
        let (read, next) = (function.code[index], function.code[index + 1])
        if flow.local(read.a, at: index + 1) != nil { return true }
        return next.isTest && (next.a == read.a || (next.opcode == .testAndSet && next.b == read.a))
    }

    /// Finds a loop that begins at position 0 of an array, unless it has a test before the access.
    private mutating func checkFirst(_ index: Int, _ state: FlowState) {
        let read = function.code[index]
        var place = index - 1
        while place >= 0, function.code[place].opcode != .forPrepare {
            context.budget.pay(1)
            let instruction = function.code[place]
            // The loop jumps back to the first instruction of its body.
            let beginsBody = place > 0 && function.code[place - 1].opcode == .forPrepare
            guard beginsBody || !flow.isBlockStart[place], !instruction.isTest,
                instruction.opcode != .genericForPrepare
            else { return }
            place -= 1
        }
        guard place >= 0, function.code[place].a + 3 == read.c else { return }
        let (list, key) = (flow.name(read.b, state, index), flow.name(read.c, state, index) ?? "0")
        report(
            .unknownField, index, list ?? key,
            "\(list ?? "an array")[\(key)] is nil in the first round, in which \(key) is 0",
            hint: "an array begins at 1: for \(key) = 1, #\(list ?? "list") do")
    }

    /// Finds a field of a struct of the app that gets a number with a fraction, or a misspelt name.
    mutating func checkWritten(_ value: ValueType, _ name: String?, of table: ValueType, _ index: Int) {
        guard let name, case .structure(let type, _) = table.detail,
            let structure = context.interface.structure(type)
        else { return }
        if let field = structure.field(name) {
            checkFraction(of: value, as: field.type, "the field \(name)", index, name)
        } else if !context.fieldsRead.contains(name),
            let meant = context.budget.advice(for: name, among: structure.fieldNames)
        {
            report(.unknownField, index, name, "\(type) has no field \(name)", hint: meant)
        }
    }

    /// Finds a number that is likely to have a fraction where the app takes an integer.
    ///
    /// - Parameter place: The words for the place of the value.
    mutating func checkFraction(
        of value: ValueType, as type: InterfaceType, _ place: String, _ index: Int, _ word: String?
    ) {
        guard let fraction = context.comparisons.fraction(in: value, as: type) else { return }
        let what =
            switch fraction {
            case .value: place
            case .field(let name): "the field \(name)"
            }
        report(
            .mayNotFit, index, word, "\(what) is an integer, but this may have a fraction", hint: Self.hintForFraction)
    }
}
