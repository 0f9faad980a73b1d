internal import PatchRunner

extension FlowChecks {
    /// The problems in a function and in the functions within it.
    ///
    /// - Parameters:
    ///   - arguments: The types of its arguments, if all callers are known.
    ///   - replaced: Returns the function of the app that a function replaces.
    static func problems(
        in function: Prototype, upvalues: [ValueType], arguments: [ValueType]? = nil, _ context: FlowContext,
        replaced: (Prototype) -> TypeFlow.Replacement?
    ) -> [Problem] {
        var checks = FlowChecks(
            TypeFlow(function, as: replaced(function), upvalues: upvalues, arguments: arguments, in: context))
        checks.run()
        var problems = checks.problems
        // The callers of a local function come after it.
        for (index, inner) in function.inner.enumerated().reversed() where !context.budget.isSpent {
            // The values that a function captures are not known if no path makes the function.
            let captured = checks.flow.captured[index] ?? inner.upvalues.map { _ in .unknown }
            let arguments = checks.flow.helpers[index].flatMap { context.helpers.all[$0].arguments }
            problems += Self.problems(
                in: inner, upvalues: captured, arguments: arguments, context, replaced: replaced)
        }
        return problems
    }

    private mutating func run() {
        guard flow.run() else { return }
        for (leader, entry) in flow.blockState.enumerated() where entry >= 0 {
            var state = flow.entries[Int(entry)].state
            var index = leader
            while flow.prepare(index, &state) {
                check(index, state)
                // The value of a tail call is known only after it.
                if function.code[index].opcode == .tailCall {
                    if let value = flow.tailCall(index, &state) { checkResult(value, nil, index) }
                    break
                }
                guard flow.step(index, &state) == nil, !flow.endsBlock(index) else { break }
                index += 1
            }
        }
    }

    private mutating func check(_ index: Int, _ state: FlowState) {
        let instruction = function.code[index]
        let (a, b, c) = (instruction.a, instruction.b, instruction.c)
        func name(_ register: Int) -> String? { flow.name(register, state, index) }
        switch instruction.opcode {
        case .getGlobal where !function.isEnvironment(b) && flow.upvalues.indices.contains(b):
            checkMember(function.text(c), of: flow.upvalues[b], nil, index)
        case .getTable: checkElement(instruction, index, state)
        case .getInteger:
            checkElement(of: state[b], key: ValueType(.integer, .integer(Int64(c))), word: name(b), index)
        case .getField: checkMember(function.text(c), of: state[b], name(b), index)
        case .getSelf: checkMethod(instruction.k ? function.text(c) : nil, of: state[b], name(b), index)
        case .setTable, .setInteger: checkAssigned(state[a], name(a), index)
        case .setField:
            checkAssigned(state[a], name(a), index)
            let value = instruction.k ? flow.type(ofConstant: c) : state[c]
            checkWritten(value, function.text(b), of: state[a], index)

        case .addInteger, .shiftRightInteger, .shiftLeftInteger: checkArithmetic(b, other: .integer, index, state)
        case .addConstant, .subtractConstant, .multiplyConstant, .moduloConstant, .powerConstant, .divideConstant,
            .floorDivideConstant, .andConstant, .orConstant, .exclusiveOrConstant:
            checkArithmetic(b, other: flow.type(ofConstant: c), index, state)
        case .add, .subtract, .multiply, .modulo, .power, .divide, .floorDivide, .and, .or, .exclusiveOr, .shiftLeft,
            .shiftRight:
            checkArithmetic(b, right: c, index, state)
        case .negate, .bitwiseNot: checkArithmetic(b, index, state)
        case .length: checkLength(of: state[b], name(b), index)
        case .concatenate: checkConcatenation(a..<a + b, index, state)
        // In the sandbox, only nil and false can be closed.
        case .toBeClosed: report(.operand, index, state[a], name(a), unless: [.nil, .boolean], "closes")

        case .equal: checkEquality(state[a], state[b], [name(a), name(b)], index)
        case .less, .lessOrEqual: checkOrder(state[a], state[b], [name(a), name(b)], index)
        case .lessInteger, .lessOrEqualInteger, .greaterInteger, .greaterOrEqualInteger:
            checkOrder(state[a], .integer, [name(a), nil], index)
        case .equalConstant: checkEquality(state[a], flow.type(ofConstant: b), [name(a)], index)
        case .equalInteger:
            checkEquality(state[a], ValueType(.integer, .integer(Int64(instruction.signedB))), [name(a)], index)

        case .call, .tailCall: checkCall(index, state)
        case .returnSome where b != 1, .returnOne: checkResult(state[a], name(a), index)
        case .returnSome, .returnNone: checkNoResult(index)
        case .forPrepare: checkNumericLoop(a, index, state)
        case .genericForCall: checkGenericLoop(a, index, state)
        default: break
        }
    }
}
