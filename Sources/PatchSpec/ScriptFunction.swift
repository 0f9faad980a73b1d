internal import PatchLint
internal import PatchRunner

/// The result of a function that a spec has defined.
enum ScriptResult: PatchResult {
    static var count: Int32 { 1 }
    static var typeName: String { "value" }
    static var type: (any PatchValue.Type)? { ScriptValue.self }
    static func push(_ value: ScriptValue, to stack: _PatchStack) -> Int32 {
        value._push(to: stack)
        return 1
    }
    static func read(from stack: _PatchStack) -> ScriptValue? { ScriptValue._read(from: stack, at: -1) }
    static func mismatch(in stack: _PatchStack) -> String { ScriptValue._mismatch(in: stack, at: -1) }
}

/// A function of an interface. Its original is a function of a spec.
struct ScriptFunction: Sendable {
    typealias Original = @Sendable ([ScriptValue]) throws -> ScriptValue

    /// The types of the app's function; nil without an interface. Then all values are accepted.
    let signature: FunctionType?
    /// The types of the app; nil without an interface.
    let types: InterfaceTypes?
    let original: Original

    /// The most arguments of a call. An app's function has fewer, and each state has room for them (`HOST_STACK`).
    private static let mostArguments = 100

    /// Calls the layer that a cell holds, or the original.
    func call(_ slot: Slot, _ cell: LayerCell, _ arguments: [ScriptValue]) throws -> ScriptValue {
        guard !cell.isEmpty else { return try original(arguments) }
        return try unsafe withUnsafePointer(to: original) { place in
            var record = unsafe CallRecord<Original, ScriptValue, any Error>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { record in
                let stack: _PatchStack
                switch unsafe slot.enter(cell, CallReference(record)) {
                case .entered(let entered): stack = entered
                case .instrumented(let cell):
                    return try slot.observed(
                        cell, arguments, count: Int32(arguments.count), as: ScriptResult.self,
                        push: { arguments, stack in for argument in arguments { argument._push(to: stack) } }
                    ) { () throws(any Error) in try call(slot, cell, arguments) }
                case .otherwise(let bits):
                    return try Otherwise.outcome(bits, ScriptResult.self, (any Error).self).get()
                default: return try original(arguments)
                }
                for argument in arguments { argument._push(to: stack) }
                if stack.run(Int32(arguments.count), 1), let value = ScriptResult.read(from: stack) {
                    let type = InterfaceType(signature?.resultType ?? "value")
                    guard let fault = value.fault(as: type, in: types) else {
                        stack.leave()
                        return value.converted(to: type, in: types)
                    }
                    stack.values.refuseRead(fault)
                }
                let outcome = unsafe record.pointee.outcome
                // If the app's function cannot throw, an error of the script is a failure.
                let isError = if case .failure? = outcome { true } else { false }
                guard signature?.isThrowing == false, !isError else {
                    return try settled(slot, stack, outcome, arguments)
                }
                let value = try outcome.map { Result<ScriptValue, Never>.success(try $0.get()) }
                return try settled(slot, stack, value, arguments)
            }
        }
    }

    /// The outcome of a call whose script has failed: that of the original, or of the layer below.
    private func settled<Failure: Error>(
        _ slot: Slot, _ stack: _PatchStack, _ outcome: Result<ScriptValue, Failure>?, _ arguments: [ScriptValue]
    ) throws -> ScriptValue {
        switch slot.settle(stack, ScriptResult.self, outcome) {
        case .outcome(let outcome): return try outcome.get()
        case .below(var below):
            return try unsafe withUnsafeMutablePointer(to: &below) { try unsafe call(slot, LayerCell($0), arguments) }
        }
    }

    /// Answers a call by a script: reads the arguments, calls the layer that a cell holds or the original, and pushes
    /// the result.
    ///
    /// - Parameter first: The place of the first argument; the others are above it.
    /// - Returns: The number of results, or a callback result for an error that was pushed.
    func invoke(
        _ slot: Slot, _ stack: _PatchStack, _ first: Int32, _ record: CallReference?, _ cell: LayerCell
    ) -> Int32 {
        let given = max(0, Int(stack.top) - Int(first) + 1)
        let most = min(signature?.argumentTypes.count ?? Self.mostArguments, Self.mostArguments)
        guard given <= most else {
            return stack.refuseCall(
                message: _PatchStack.argumentCountMessage(of: slot.name, takes: most, got: given))
        }
        let taken = signature.map { Array($0.argumentTypes.prefix(most)) } ?? Array(repeating: "value", count: given)
        guard
            let arguments = ScriptValue.arguments(from: stack, at: first, as: taken, of: slot.name, in: types)
        else { return CallbackResult.notCalled }
        let call = unsafe CallRecord<Original, ScriptValue, any Error>.at(record)
        stack.hostBegins()
        do {
            let value = try self.call(slot, cell, arguments)
            stack.hostEnds()
            unsafe call?.pointee.outcome = .success(value)
            value._push(to: stack)
            return 1
        } catch {
            stack.hostEnds()
            unsafe call?.pointee.outcome = .failure(error)
            return stack.raise(error)
        }
    }
}

extension ScriptValue {
    /// Reads the arguments of a call as types of an interface.
    ///
    /// - Returns: nil if one does not fit. Then an error was pushed.
    static func arguments(
        from stack: _PatchStack, at first: Int32, as taken: [String], of name: String, in types: InterfaceTypes?
    ) -> [ScriptValue]? {
        var arguments: [ScriptValue] = []
        for (index, type) in taken.enumerated() {
            do throws(Mismatch) {
                arguments.append(try read(from: stack, at: first + Int32(index), as: type, in: types))
            } catch {
                stack.push(message: "argument \(index + 1) of \(name): \(error.description)")
                return nil
            }
        }
        return arguments
    }
}
