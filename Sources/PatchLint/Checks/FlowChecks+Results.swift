internal import PatchRunner

extension FlowChecks {
    /// The function of the app that is replaced, and the type of its result; nil if it returns nothing.
    private var result: (name: String, type: InterfaceType)? {
        guard let replacement, replacement.signature.resultType != "nothing" else { return nil }
        return (replacement.name, context.interface.type(replacement.signature.resultType))
    }

    /// Checks the first value that a return gives.
    ///
    /// - Parameter word: Its name in the script; nil if it has none.
    mutating func checkResult(_ value: ValueType, _ word: String?, _ index: Int) {
        guard let (name, result) = result else { return }
        if let fault = context.comparisons.fault(of: value, as: result) {
            let (message, hint) = words(for: fault, "\(name) returns", result, "this")
            return report(fault.code ?? .resultType, index, "return", message, hint: hint)
        }
        checkFraction(of: value, as: result, "the result of \(name)", index, "return")
        let accepted = ValueType.accepted(as: result, in: context.interface)
        if !accepted.contains(.nil), flow.isDoubtful(value, word, index) || isUnassigned(value, index) {
            report(
                .mayBeNil, index, "return", "\(name) returns \(result), but this may be nil",
                hint: "answer something on each path, or return original(…)")
        }
    }

    /// Whether a local name that is returned has got a value in only one branch of a single test.
    private func isUnassigned(_ value: ValueType, _ index: Int) -> Bool {
        let register = function.code[index].a
        // A call of an unknown function may be the one that never returns, and a result of the sandbox may be the one
        // that is nil.
        guard flow.unknownCalls.isEmpty, !flow.asksLibrary, value.doubt == 0, !value.isUnknown,
            value.kinds.contains(.nil), function.code[index].opcode == .returnOne,
            flow.local(register, at: index) != nil, !flow.assignedWithin.contains(register)
        else { return false }
        context.budget.pay(10 * index)
        func endsLoop(_ instruction: Instruction) -> Bool {
            switch instruction.opcode {
            case .forLoop, .genericForLoop: true
            case .jump: instruction.jump < 0
            default: false
            }
        }
        let before = function.code[..<index]
        return before.count(where: \.isTest) == 1
            && before.contains { $0.opcode == .loadNil && ($0.a...$0.a + $0.b).contains(register) }
            && !before.contains(where: endsLoop)
    }

    /// Checks a return without a value.
    mutating func checkNoResult(_ index: Int) {
        guard let (name, result) = result, !ValueType.accepted(as: result, in: context.interface).contains(.nil)
        else { return }
        let hint = "return original(…) where nothing changes"
        // The compiler adds a return to the end of each function.
        guard index == function.code.count - 1 else {
            return report(
                .resultType, index, "return", "\(name) returns \(result), but this returns nothing", hint: hint)
        }
        // An unknown function that is called last may always throw.
        func mayEnd(_ call: Int) -> Bool { call + 1 == index || function.jump(at: call + 1, leadsTo: index) }
        if flow.unknownCalls.contains(where: mayEnd) { return }
        if flow.returnsValue {
            report(
                .missingReturn, index, "end",
                "\(name) returns \(result), but one path through the replacement ends without a return", hint: hint)
        } else {
            report(
                .resultType, index, "end", "\(name) returns \(result), but the replacement never returns a value",
                hint: hint)
        }
    }
}
