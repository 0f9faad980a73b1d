internal import PatchCrypto
internal import PatchRunner

// Reads and writes of tables, and the values that functions capture.

extension TypeFlow {
    /// Forgets the facts that other code may have changed.
    func forgetChangeable(_ state: inout FlowState) {
        context.budget.pay(2 * state.count + state.changeCost)
        if !state.facts.isEmpty { state.facts = [:] }
        if !state.originals.isEmpty { state.originals = state.originals.filter { !$0.value.hasTable } }
        state.forgetChangeable()
    }

    /// Follows a read from a table. A register may then hold a table that is in this one.
    func read(from register: Int, _ state: inout FlowState) {
        guard state.holdsTable(register) else { return }
        context.budget.pay(2 * state[register].size)
        state[register] = state[register].afterRead
    }

    /// Shares the value of a register with a table or an upvalue that holds it from now on, if the register has a local
    /// name.
    ///
    /// - Returns: The value.
    func share(_ register: Int, _ index: Int, _ state: inout FlowState) -> ValueType {
        if state.holdsTable(register), local(register, at: index) != nil {
            state[register] = state[register].shared
        }
        return state[register]
    }

    /// Follows a write into a field of a table. Its name is nil if it is not known.
    mutating func store(_ value: ValueType, in field: String?, of register: Int, _ state: inout FlowState) {
        let type = state[register]
        // Another name may be a name of the same table, but not if the script has just made the table.
        if case .fields(_, isShared: false) = type.detail {
            let written = field.map(ExactString.init)
            state.facts = written == nil ? [:] : state.facts.filter { $0.key.field != written }
        } else {
            forgetChangeable(&state)
        }
        guard let field else { return put(value, at: .string, of: register, &state) }
        if case .fields(var fields, isShared: false) = type.detail, fields.count < ValueFields.mostWritten,
            fields.set(field, to: value)
        {
            state[register] = ValueType(.table, .fields(fields, isShared: false))
        } else if case .structure(let name, var written) = type.detail {
            let fits = written.set(field, to: value)
            state[register] = fits ? ValueType(type.kinds, .structure(name, written)) : .unknown
        } else {
            put(value, at: ValueType(.string, .text(ExactString(field))), of: register, &state)
        }
    }

    /// Whether a table still has its type after a write into it.
    func keepsType(_ value: ValueType, at key: ValueType, of table: ValueType) -> Bool {
        switch table.detail {
        case .array(let element):
            return key.isPosition && isCertain(value, as: element)
        case .dictionary(let name, let element):
            return (!context.interface.isText(name) || key.kinds == .string)
                && (value.kinds == .nil || isCertain(value, as: element))
        case .structure(let name, _):
            guard case .text(let field) = key.detail else { return false }
            return context.interface.structure(name)?.field(field.text).map { isCertain(value, as: $0.type) } ?? false
        case .fields, .list: return false
        default: return true
        }
    }

    /// Follows a write into a table. An array of the app with other elements or other keys no longer has its type.
    mutating func put(_ value: ValueType, at key: ValueType, of register: Int, _ state: inout FlowState) {
        guard !keepsType(value, at: key, of: state[register]) else { return }
        // Each element is of this type, however many there are.
        if key.isPosition, !value.kinds.contains(.nil), state[register].isList(ofOnly: value) {
            return keep(ValueType(.table, .list([value], isShared: false)), in: register, &state)
        }
        forget(register, &state)
    }

    /// Follows an element that is added to an array. If the app cannot take it, its array becomes a list of such
    /// elements.
    mutating func append(_ value: ValueType, to register: Int, _ state: inout FlowState) {
        if var elements = state[register].ownElements, !value.kinds.contains(.nil), !value.isUnknown {
            context.budget.pay(value.size * (elements.count + 1))
            if !elements.contains(value) { elements.append(value) }
            guard elements.count <= ValueFields.mostElements else { return forget(register, &state) }
            return keep(ValueType(.table, .list(elements, isShared: false)), in: register, &state)
        }
        guard case .array(let element) = state[register].detail, !value.kinds.contains(.nil),
            context.comparisons.fault(of: value, as: element) != nil
        else { return put(value, at: .integer, of: register, &state) }
        forget(register, &state)
        keep(ValueType(.table, .list([value.shared], isShared: true)), in: register, &state)
    }

    /// Sets a register to a list, if it is not too large to be followed.
    func keep(_ list: ValueType, in register: Int, _ state: inout FlowState) {
        let fits = list.size < ValueFields.most && list.depth <= ValueFields.deepest
        state[register] = fits ? list : ValueType(.table, .made)
    }

    /// Notes a field that a script writes, unless the value certainly has the type that the app knows.
    func noteField(_ field: String, _ value: ValueType, of table: ValueType) {
        let mayMisfit =
            switch table.detail {
            case .fields, .list, .made, .library: false
            case .structure(let name, _):
                context.interface.structure(name)?.field(field).map { !isCertain(value, as: $0.type) } ?? false
            default: true
            }
        // The arguments of a function are not known where only its result is wanted.
        if mayMisfit, !isDry { context.changes.fields.insert(field) }
    }

    /// Notes that a script writes an element of a table, if it may be any table.
    func noteElement(_ value: ValueType, at key: ValueType, of table: ValueType) {
        guard !isDry, table.detail == nil, !table.isNever(.table), value.kinds != .nil, !key.isNever(.basic)
        else { return }
        context.changes.areAll = true
    }

    /// Whether the app certainly takes a value as one of a type. That is not certain of a table without known contents.
    private func isCertain(_ value: ValueType, as type: InterfaceType) -> Bool {
        !value.isUnknown && (!value.kinds.contains(.table) || value.detail?.hasContents == true)
            && value.kinds.isSubset(of: ValueType.accepted(as: type, in: context.interface))
            && context.comparisons.fault(of: value, as: type) == nil
    }

    /// Forgets all facts about a table, which may have other names.
    private mutating func forget(_ register: Int, _ state: inout FlowState) {
        guard let detail = state[register].detail?.unwritten, detail.isOfApp else {
            state[register] = ValueType(.table, .made)
            return
        }
        state[register] = ValueType(.table, .changed(detail))
        // A write to a parameter of the replacement is followed.
        if replacement == nil || register >= function.parameters { context.changes.add(detail) }
        context.budget.pay(2 * state.size)
        for other in 0..<state.count { state[other] = state[other].afterChange(of: detail) }
        // Functions that the script has made before will see the change.
        for (index, types) in captured {
            context.budget.pay(10 + types.reduce(0) { $0 + $1.size })
            captured[index] = types.map { $0.afterChange(of: detail) }
        }
    }

    /// Notes the values that a new function captures. The contents of captured tables may change later.
    mutating func capture(_ index: Int, _ state: inout FlowState) {
        guard function.inner.indices.contains(index) else { return }
        let inner = function.inner[index]
        var types: [ValueType] = []
        for upvalue in inner.upvalues {
            if upvalue.isInStack, (0..<state.count).contains(upvalue.index) {
                state[upvalue.index] = state[upvalue.index].shared
                let isFinal = isAssignedOnce(upvalue.index, name: upvalue.number)
                types.append(isFinal ? state[upvalue.index].captured : .unknown)
            } else {
                types.append(type(ofUpvalue: upvalue.index))
            }
        }
        context.budget.pay(types.reduce(10) { $0 + 2 * $1.size })
        if let known = captured[index] { types = zip(known, types).map { $0.joined(with: $1) } }
        captured[index] = types
    }

    /// The number of a function within this one whose callers are all known; nil if they are not.
    ///
    /// - Parameters:
    ///   - register: The register into which an instruction puts the function.
    ///   - place: The instruction.
    mutating func helper(_ index: Int, in register: Int, at place: Int) -> Int? {
        guard !isDry, let name = localNumber(register, at: place + 1) else { return nil }
        if let number = helpers[index] { return number }
        let inner = function.inner[index]
        guard inner.upvalues.allSatisfy({ !($0.isInStack && $0.index == register) }),
            isAssignedOnce(register, name: name),
            let range = function.locals.first(where: { $0.number == name })?.range,
            function.onlyCalls(register, in: range, context.budget)
        else { return nil }
        let number = context.helpers.add(inner, context.details)
        helpers[index] = number
        return number
    }

    /// Whether a local name gets its value only where it is declared.
    mutating func isAssignedOnce(_ register: Int, name: Int32) -> Bool {
        let key = LocalKey(register: register, name: name)
        if let known = assignedOnce[key] { return known }
        context.budget.pay(function.locals.count)
        let isOnce = isAssigned(register, onceAs: name)
        assignedOnce[key] = isOnce
        return isOnce
    }

    private func isAssigned(_ register: Int, onceAs name: Int32) -> Bool {
        // The closure below would copy the flow.
        let function = function
        var range: Range<Int>?
        for local in function.locals where local.number == name {
            guard range == nil else { return false }
            range = local.range
        }
        guard let range, !assignedWithin.contains(register) else { return false }
        context.budget.pay(range.count)
        return !function.uses.contains(register, in: range) { index in
            let instruction = function.code[index]
            switch instruction.opcode {
            // A loop sets its variables where it declares them.
            case .forLoop, .forPrepare, .genericForCall, .genericForLoop: return instruction.a == register
            default: return instruction.writes(register)
            }
        }
    }
}

extension ValueType {
    /// The value for a function that runs later.
    fileprivate var captured: ValueType {
        switch detail {
        case .fields, .list: ValueType(kinds, .made)
        case .structure(let name, _): ValueType(kinds, .structure(name, ValueFields()))
        default: ValueType(kinds, detail, number: number)
        }
    }
}
