internal import CLuaBridge
internal import PatchCrypto

/// The clock of durations.
func pp_now() -> UInt64 { pp_nanoseconds() }

// A spec's own state: all of Lua's library, and functions of this side. One thread works in it.

extension ScriptState {
    private var stack: PatchStack { unsafe PatchStack(pp_running(state)) }

    /// Runs a script of the state's own.
    func runFree(_ script: PatchScript) throws(PatchError) {
        let stack = stack
        guard compile(script, on: stack) else {
            defer { stack.pop() }
            throw Self.syntaxError(in: script, stack.text(at: -1))
        }
        var fault = unsafe pp_fault()
        guard unsafe pp_run_script(state, &fault) else { throw unsafe PatchEvent.Failure(fault, stack: stack).error }
    }

    /// Puts a function into a global table, which is made if need be.
    func addFunction(
        _ name: String, to table: String = "host", _ body: @escaping @Sendable (PatchStack) -> Int32
    ) {
        let index = addFunction(body)
        unsafe pp_add_function(pp_main(state), table, name, Int32(index))
    }

    /// Calls a function of the table `__spec`.
    func callFree(_ name: String, _ arguments: [ScriptValue]) throws(PatchError) -> [ScriptValue] {
        let stack = stack
        unsafe pp_push_global(stack.state, "__spec")
        stack.push(name)
        stack.getValue(of: -2)
        let (values, fault) = call(stack, arguments, results: 2)
        stack.pop()
        if let fault { throw PatchError(.script, fault) }
        return values
    }

    /// Calls a function that is held.
    func callHeld(_ held: Int32, _ arguments: [ScriptValue]) -> ([ScriptValue], String?) {
        let stack = stack
        stack.makeRoom()
        stack.pushHeld(held)
        return call(stack, arguments, results: 1)
    }

    /// Calls a member of a table that is held.
    func callMember(_ name: String, of held: Int32, _ arguments: [ScriptValue]) -> ([ScriptValue], String?) {
        let stack = stack
        stack.makeRoom()
        stack.pushHeld(held)
        stack.push(name)
        stack.getValue(of: -2)
        defer { stack.pop() }
        return call(stack, arguments, results: 1)
    }

    /// Calls the function on top, and pops it with all that came of it.
    private func call(_ stack: PatchStack, _ arguments: [ScriptValue], results: Int32) -> ([ScriptValue], String?) {
        stack.makeRoom()
        let base = stack.top - 1
        defer { stack.top = base }
        for argument in arguments { argument.push(to: stack) }
        guard stack.call(Int32(arguments.count), results: results) else {
            if let error = hostError(on: stack) { return ([], "\(error)") }
            let text = stack.text(at: -1)
            return ([], text.isEmpty ? "an error that is a \(stack.typeName(at: -1))" : text)
        }
        var values: [ScriptValue] = []
        for index in 0..<results {
            guard let value = ScriptValue.read(from: stack, at: base + 1 + index) else {
                return ([], takeReadFault() ?? "a \(stack.typeName(at: base + 1 + index)) cannot leave the spec")
            }
            values.append(value)
        }
        return (values, nil)
    }

    private func hostError(on stack: PatchStack) -> (any Error)? {
        var fault = unsafe pp_fault()
        unsafe pp_fault_of(stack.state, &fault)
        return unsafe error(fault.host_error)
    }

    /// Notes that a table stands for an object.
    func note(_ object: SpecObject, at index: Int32, on stack: PatchStack) {
        addObject(object, unsafe pp_pointer(stack.state, index))
    }

    /// The object that a table stands for.
    func specObject(at index: Int32, on stack: PatchStack) -> SpecObject? {
        object(at: unsafe pp_pointer(stack.state, index))
    }
}
