internal import CLuaBridge
internal import CLuaSpec
internal import PatchCrypto
internal import PatchLint
internal import PatchRunner

/// An error from a function of a spec. It is not what the app would throw: that is an error of `host.throw`.
struct OriginalError: UnansweredCall, CustomStringConvertible {
    let description: String
    var reason = "the spec's original failed"
}

// The Lua state of a spec. It has all of Lua's libraries, and functions in Swift. One thread uses it.

extension ScriptState {
    private var stack: _PatchStack { unsafe _PatchStack(pp_running(lua.pointer)) }

    /// Runs a script in a spec's own state.
    func runOutsideSandbox(_ script: PatchScript) throws(PatchError) {
        let stack = stack
        try loader.compile(script, on: stack)
        try loader.run(on: stack)
    }

    /// Adds a function to a global table, and creates the table if it does not exist.
    func addFunction(_ name: String, to table: String = "host", _ body: @escaping @Sendable (_PatchStack) -> Int32) {
        let index = values.addFunction(body)
        unsafe pp_add_function(lua.main, table, name, Int32(index))
    }

    /// Calls a function of the table `__spec`.
    ///
    /// - Returns: Two values; nil for those that it does not return.
    /// - Throws: `script` if it fails, or if the spec has replaced the table.
    func callSpec(_ name: String, _ arguments: [ScriptValue]) throws(PatchError) -> [ScriptValue] {
        let stack = stack
        let base = stack.top
        defer { stack.top = base }
        unsafe pp_push_global(stack.state, "__spec")
        guard stack.isTable(at: -1) else { throw PatchError(.script, "the spec has replaced __spec") }
        stack.push(name)
        stack.getValue(of: -2)
        do { return try call(stack, arguments, results: 2) } catch { throw PatchError(.script, "\(error)") }
    }

    /// Calls a function that the state holds by a number.
    ///
    /// - Throws: An error that the function has thrown with `host.throw`, or an ``OriginalError``.
    func callFunction(held number: Int32, _ arguments: [ScriptValue]) throws -> ScriptValue {
        try callPushed(arguments) { $0.pushHeld(number) }
    }

    /// Calls a method of an object, which the state holds as a table. The object is the first argument.
    ///
    /// - Throws: As ``callFunction(held:_:)`` does.
    func callMethod(_ name: String, of object: ScriptObject, _ arguments: [ScriptValue]) throws -> ScriptValue {
        try callPushed([.object(object)] + arguments) { stack in
            stack.pushHeld(object.held)
            stack.push(name)
            stack.getValue(of: -2)
        }
    }

    /// Calls the function that is on top after `push`, and pops all that it has pushed.
    private func callPushed(_ arguments: [ScriptValue], _ push: (_PatchStack) -> Void) throws -> ScriptValue {
        let stack = stack
        stack.makeRoom()
        let base = stack.top
        defer { stack.top = base }
        push(stack)
        return try call(stack, arguments, results: 1)[0]
    }

    /// Calls the function on top, and pops it and its results.
    private func call(_ stack: _PatchStack, _ arguments: [ScriptValue], results: Int32) throws -> [ScriptValue] {
        let base = stack.top - 1
        defer { stack.top = base }
        // A value needs some room more while it is pushed.
        guard stack.makeRoom(16 + arguments.count) else {
            throw OriginalError(description: "there is no room for \(arguments.count) arguments")
        }
        for argument in arguments { argument._push(to: stack) }
        guard stack.call(Int32(arguments.count), results: results) else {
            var fault = unsafe pp_fault()
            unsafe pp_fault_of(stack.state, &fault)
            throw unsafe values.error(fault.host_error) ?? OriginalError(description: stack.text(at: -1))
        }
        return try (base + 1...base + results).map { index in
            guard let value = ScriptValue._read(from: stack, at: index) else {
                throw OriginalError(
                    description: values.takeReadFault() ?? "a \(stack.typeName(at: index)) cannot be returned")
            }
            return value
        }
    }

    /// Makes a table represent an object.
    func represent(_ object: ScriptObject, byTableAt index: Int32, on stack: _PatchStack) {
        values.addObject(object, table: unsafe UInt(pp_pointer(stack.state, index)))
    }
}

extension _PatchStack {
    /// Ends a spec's own code after this many nanoseconds. 0 means no limit.
    func limitTime(_ nanoseconds: Int64) { unsafe pp_limit_time(state, nanoseconds) }

    /// Pushes an error that a function of the host raises, and returns the callback result for it.
    func raise(message: String) -> Int32 {
        push(message: message)
        return CallbackResult.raise
    }

    /// Pushes an error for a call that no function of the host has answered, and returns the callback result for it.
    func refuseCall(message: String) -> Int32 {
        push(message: message)
        return CallbackResult.notCalled
    }
}

extension LuaLibraries {
    /// All of Lua's libraries, including `io` and `os`.
    static let all = unsafe LuaLibraries { state in unsafe pp_open_all_libraries(state) }
}
