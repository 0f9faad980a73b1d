// The facts that tests find about values.

extension TypeFlow {
    /// The field of a local name from which the value in a register has just been read.
    private func place(of register: Int, _ index: Int) -> FieldPlace? {
        guard !assignedWithin.contains(register), local(register, at: index) == nil else { return nil }
        for back in 1...2 where index >= back {
            // Where paths meet, the value may be another one.
            if isBlockStart[index - back + 1] { return nil }
            guard function.code[index - back].a == register else { continue }
            let instruction = function.code[index - back]
            guard instruction.opcode == .getField, let field = function.text(instruction.c),
                !assignedWithin.contains(instruction.b), local(instruction.b, at: index) != nil
            else { return nil }
            return FieldPlace(register: instruction.b, field: field)
        }
        return nil
    }

    /// The instructions after a test: the target of the jump after it if its condition is `k`, else the one after the
    /// jump.
    func branches(_ index: Int, _ isTrue: FlowState, _ isFalse: FlowState) -> FlowWays {
        let k = function.code[index].k
        return .two(function.jumpTarget(index), k ? isTrue : isFalse, index + 2, k ? isFalse : isTrue)
    }

    /// Notes whether the field is nil from which the value in a register has just been read, if there is one.
    private func note(isNil: Bool, _ register: Int, _ index: Int, _ state: inout FlowState) {
        guard state.facts.count < FlowState.mostFacts, let place = place(of: register, index) else { return }
        state.facts[place] = isNil
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

    /// Follows a test of whether a value is a constant other than nil.
    func equals(_ register: Int, _ index: Int, _ state: FlowState) -> FlowWays {
        var isTrue = state
        isTrue[register] = state[register].whereTrue
        return branches(index, isTrue, state)
    }
}
