internal import PatchCrypto
internal import PatchLint
internal import PatchRunner

// The app of a spec: its functions call what the spec has defined, and its objects are the spec's tables.
extension SpecRunner {
    /// Registers a function of the app.
    ///
    /// - Parameter signature: Its types; nil without an interface.
    /// - Throws: The error of a name that cannot be registered.
    func add(_ name: String, _ signature: FunctionType?) throws(PatchError) {
        let result = signature?.resultType ?? "value"
        let function = ScriptFunction(signature: signature, types: types) { [weak self] arguments in
            try self?.callOriginal(name, result, arguments) ?? .nil
        }
        let slot = Slot(
            name: name, signature: signature ?? FunctionType([], result: "value", throws: true),
            invoke: { [weak self] slot, stack, first, record, cell in
                guard let self else { return CallbackResult.notCalled }
                let isAsynchronous = signature?.isAsynchronous ?? false
                guard !isAsynchronous || self.mayWait(stack) else {
                    return stack.refuseCall(message: "'\(name)' is asynchronous, but this replacement is not")
                }
                guard self.beginCall(on: stack) else { return CallbackResult.notCalled }
                self.state.locked { $0.running.append(isAsynchronous) }
                defer {
                    self.state.locked { state in
                        state.depth -= 1
                        state.running.removeLast()
                    }
                }
                return function.invoke(slot, stack, first, record, cell)
            },
            invokeAsync: nil,
            readResult: { [types] in ScriptValue.readResult(from: $0, as: result, in: types) })
        try registry.names.add([slot])
    }

    /// Whether the caller of an asynchronous function can wait for it: a spec, or the replacement of such a function.
    private func mayWait(_ stack: _PatchStack) -> Bool {
        stack.values === spec.values || state.locked { $0.running.last } != false
    }

    /// Counts a call of the app's function. A call that the spec makes outside any other call may find new instances.
    ///
    /// - Returns: Whether the call can proceed. If not, an error was pushed.
    private func beginCall(on stack: _PatchStack) -> Bool {
        let mayRenew = state.locked { state in
            state.depth += 1
            guard mode == .renewed, state.depth == 1, state.renewals < Self.mostRenewals else { return false }
            state.renewals += 1
            return true
        }
        guard mayRenew else { return true }
        do throws(PatchError) {
            try renew()
            return true
        } catch {
            state.locked { $0.depth -= 1 }
            stack.push(message: "another instance of the patch could not be made: \(error)")
            return false
        }
    }

    /// Loads the active patches again, as another instance would. They keep counting their failures, unless one has
    /// failed too often to run: then all stay as they are.
    private func renew() throws(PatchError) {
        let active = runner.active
        guard !active.contains(where: \.isBreakerOpen) else { return }
        let fallbacks = registry.state.map { ($0.name, $0.patches.reduce(0) { $0 + $1.fallbacks }) }
        state.locked { state in
            for (name, count) in fallbacks where count > 0 { state.fallbacks[name, default: 0] += count }
            state.isRenewing = true
        }
        defer { state.locked { $0.isRenewing = false } }
        for old in active {
            guard let patch = patches.first(where: { $0.manifest.id == old.name }) else { continue }
            try runner.activate(try runner.load(patch, countingWith: old.script))
        }
    }

    /// Calls the function that the spec has defined as the app's.
    ///
    /// - Parameter result: The type of its result.
    private func callOriginal(_ name: String, _ result: String, _ arguments: [ScriptValue]) throws -> ScriptValue {
        let held = state.locked { state in
            state.calls.append((name, arguments))
            return state.originals[name]
        }
        guard let held else {
            throw OriginalError(
                description: "the spec has no original of \(name): add host.define(\"\(name)\", function(…) … end)",
                reason: "the spec has no original of \(name)")
        }
        return try Self.converted(try spec.callFunction(held: held, arguments), to: result, of: name, in: types)
    }

    /// The result of a spec's function as the app's would return it.
    ///
    /// - Throws: An ``OriginalError`` if the app's function cannot return it.
    static func converted(
        _ value: ScriptValue, to result: String, of name: String, in types: InterfaceTypes?
    ) throws -> ScriptValue {
        let type = InterfaceType(result)
        if let fault = value.fault(as: type, in: types) {
            throw OriginalError(
                description: "the spec's \(name) returns a value that the app's function cannot return: \(fault)")
        }
        return value.converted(to: type, in: types)
    }

    /// Registers a class of the app, whose objects are the spec's tables.
    func expose(_ exposed: PatchInterface.Class) throws(PatchError) {
        let methods = exposed.methods.map { [types] method in
            let name = "\(exposed.name):\(method.name)"
            return ExposedMethod(name: method.name, signature: method.signature) { [weak self] stack in
                guard !method.signature.isAsynchronous || self?.mayWait(stack) != false else {
                    return stack.refuseCall(message: "this method is asynchronous, but this replacement is not")
                }
                guard let object = ScriptObject._read(from: stack, at: 1) else {
                    return stack.refuseCall(
                        message: "the object of \(name): " + ScriptObject._mismatch(in: stack, at: 1))
                }
                let taken = method.signature.argumentTypes
                guard let arguments = ScriptValue.arguments(from: stack, at: 2, as: taken, of: name, in: types)
                else { return CallbackResult.notCalled }
                do {
                    let value = try object.spec.callMethod(method.name, of: object, arguments)
                    try Self.converted(value, to: method.signature.resultType, of: name, in: types)._push(to: stack)
                    return 1
                } catch {
                    return stack.raise(error)
                }
            }
        }
        try registry.names.expose(className: exposed.name, methods: methods)
    }
}
