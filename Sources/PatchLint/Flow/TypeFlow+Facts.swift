// The facts that tests find about values.

extension TypeFlow {
    /// The place of the value in a register: a local name, or a field that has just been read from one.
    func place(of register: Int, _ index: Int) -> ValueFacts.Place? {
        guard !assignedWithin.contains(register) else { return nil }
        if local(register, at: index) != nil { return ValueFacts.Place(register: register, field: nil) }
        for back in 1...2 where index >= back {
            // Where paths meet, the value may be another one.
            if isBlockStart[index - back + 1] { return nil }
            guard function.code[index - back].a == register else { continue }
            let instruction = function.code[index - back]
            guard instruction.opcode == .getField, let field = function.text(instruction.c),
                !assignedWithin.contains(instruction.b), local(instruction.b, at: index) != nil
            else { return nil }
            return ValueFacts.Place(register: instruction.b, field: field)
        }
        return nil
    }

    /// The register that a test compares with a number, and how; nil if the number is not known.
    func comparison(
        _ instruction: Instruction, _ state: FlowState
    ) -> (register: Int, order: ValueFacts.Order, number: Double)? {
        let order: ValueFacts.Order =
            switch instruction.opcode {
            case .less, .lessInteger: .less
            case .lessOrEqual, .lessOrEqualInteger: .lessOrEqual
            case .greaterInteger: .greater
            default: .greaterOrEqual
            }
        guard instruction.opcode == .less || instruction.opcode == .lessOrEqual else {
            return (instruction.a, order, Double(instruction.signedB))
        }
        if let number = state[instruction.b].detail?.number { return (instruction.a, order, number) }
        return state[instruction.a].detail?.number.map { (instruction.b, order.mirrored, $0) }
    }

    /// The instructions after a test: the target of the jump after it if its condition is `k`, else the instruction after the
    /// jump.
    func branches(_ index: Int, _ isTrue: FlowState, _ isFalse: FlowState) -> FlowWays {
        let k = function.code[index].k
        return .two(function.jumpTarget(index), k ? isTrue : isFalse, index + 2, k ? isFalse : isTrue)
    }

    /// Notes the result of a test of the value in a register.
    func note(isNil: Bool, _ register: Int, _ index: Int, _ state: inout FlowState) {
        guard let place = place(of: register, index), place.field != nil, state.facts.count < 20 else { return }
        state.facts[place, default: ValueFacts()].isNil = isNil
    }

    /// Follows a test of whether a value is true. The value may then have two names.
    func truth(
        of register: Int, _ index: Int, isShared: Bool, _ state: FlowState
    ) -> (isTrue: FlowState, isFalse: FlowState) {
        let value = state[register]
        var (isTrue, isFalse) = (state, state)
        isTrue[register] = isShared ? value.whereTrue.shared : value.whereTrue
        isFalse[register] = isShared ? value.whereFalse.shared : value.whereFalse
        if !value.isUnknown, value.kinds.contains(.nil) {
            note(isNil: false, register, index, &isTrue)
            if !value.kinds.contains(.boolean) { note(isNil: true, register, index, &isFalse) }
        }
        return (isTrue, isFalse)
    }

    /// Follows a test of whether a value is nil.
    func equalsNil(_ register: Int, _ index: Int, _ state: FlowState) -> FlowWays {
        let value = state[register]
        // A nil value is never anything else.
        if value.kinds == .nil {
            return .one(function.code[index].k ? function.jumpTarget(index) : index + 2, state)
        }
        var (isNil, isOther) = (state, state)
        if !value.isUnknown {
            if value.kinds.contains(.nil) { isNil[register] = .nil }
            isOther[register] = value.whereTrue
            note(isNil: true, register, index, &isNil)
            note(isNil: false, register, index, &isOther)
        }
        return branches(index, isNil, isOther)
    }

    /// Follows a test of whether a value is a constant.
    func equals(_ register: Int, _ constant: Prototype.Constant?, _ index: Int, _ state: FlowState) -> FlowWays {
        var (isTrue, isFalse) = (state, state)
        isTrue[register] = state[register].whereTrue
        if let constant, let place = place(of: register, index), state.facts.count < 20 {
            let facts = state.facts[place] ?? ValueFacts()
            isTrue.facts[place, default: facts].add(isEqual: true, to: constant)
            isFalse.facts[place, default: facts].add(isEqual: false, to: constant)
        }
        return branches(index, isTrue, isFalse)
    }

    /// Follows a test of how values compare.
    func compares(_ index: Int, _ state: FlowState) -> FlowWays {
        guard let (register, order, number) = comparison(function.code[index], state),
            let place = place(of: register, index), state.facts.count < 20
        else { return branches(index, state, state) }
        let facts = state.facts[place] ?? ValueFacts()
        var (isTrue, isFalse) = (state, state)
        isTrue.facts[place, default: facts].add(order, number)
        isFalse.facts[place, default: facts].add(order.negated, number)
        return branches(index, isTrue, isFalse)
    }
}
