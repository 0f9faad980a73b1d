// Asynchronous functions: the script runs in a coroutine, which waits while the original runs. The patch's lock is free
// meanwhile.
//
// This module enables `NonisolatedNonsendingByDefault`, so an `async` function here runs on its caller's actor.

extension Slot {
    /// Pushes the outcome of a call. Returns false if it is an error.
    @_alwaysEmitIntoClient
    static func push<Output: PatchResult, Failure: Error>(
        _ outcome: Result<Output.Value, Failure>, as _: Output.Type, to stack: _PatchStack
    ) -> Bool {
        switch outcome {
        case .success(let value):
            _ = Output.push(value, to: stack)
            return true
        case .failure(let error):
            _ = stack.raise(error)
            return false
        }
    }

    /// Awaits a call for another script's `host.call`.
    @_alwaysEmitIntoClient
    static func outcome<Output: PatchResult, Failure: Error>(
        as _: Output.Type, of call: () async throws(Failure) -> Output.Value
    ) async -> PushOutcome where Output.Value: Sendable {
        let outcome: Result<Output.Value, Failure>
        do throws(Failure) { outcome = .success(try await call()) } catch { outcome = .failure(error) }
        return { push(outcome, as: Output.self, to: $0) }
    }

    /// The answer to a script that waits.
    @frozen @usableFromInline enum ScriptAnswer<Value, Failure: Error> {
        case original(Result<Value, Failure>)
        /// Pushes the outcome of another function, which the script has called.
        case function(PushOutcome)
    }

    /// Calls the layer at a place.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, as a tuple.
    ///   - count: How many arguments there are.
    ///   - push: Pushes the arguments.
    ///   - read: Reads the arguments for the original from the bottom of the stack. It returns nil after it has pushed
    ///     an error.
    @_alwaysEmitIntoClient
    func run<Arguments, Output: PatchResult, Failure: Error>(
        _ place: LayerPlace, _ arguments: Arguments, count: Int32, as _: Output.Type,
        push: @escaping (Arguments, _PatchStack) -> Void, read: (_PatchStack) -> Arguments?,
        original: (Arguments) async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value {
        /// Calls a layer, or the original if there is none.
        nonisolated(nonsending)
            func answer(below: LayerReference, _ arguments: Arguments) async throws(Failure) -> Output.Value
        {
            guard below.address != 0 else { return try await original(arguments) }
            return try await run(
                .layer(below), arguments, count: count, as: Output.self, push: push, read: read, original: original)
        }

        // Enters. An asynchronous function is called only if the call has to wait.
        let attempt = AsyncCall.Attempt(self, place)
        let entry: AsyncCall.Entry
        if case .entered(let call) = attempt {
            entry = .entered(call)
        } else {
            entry = await AsyncCall.enter(self, place, after: attempt)
        }
        var call: AsyncCall
        switch entry {
        case .entered(let entered): call = entered
        case .original: return try await original(arguments)
        case .otherwise(let otherwise): return try Otherwise.outcome(otherwise, Output.self, Failure.self).get()
        case .instrumented(let cell):
            return try await observed(cell, arguments, count: count, as: Output.self, push: push) {
                () async throws(Failure) -> Output.Value in
                try await run(
                    .cell(cell), arguments, count: count, as: Output.self, push: push, read: read, original: original)
            }
        }

        // Answers the script whenever it waits.
        push(arguments, call.stack)
        var outcome: Result<Output.Value, Failure>?
        var step = call.resume(count, results: Output.count)
        while step.isWaiting {
            let given: ScriptAnswer<Output.Value, Failure>
            if step == .waitsForOriginal {
                guard let values = read(call.stack) else {
                    step = call.resumeRaising(results: Output.count)
                    continue
                }
                call.suspend()
                let result: Result<Output.Value, Failure>
                do throws(Failure) {
                    result = .success(try await answer(below: call.below, values))
                } catch {
                    result = .failure(error)
                }
                outcome = result
                given = .original(result)
            } else {
                guard let invocation = invocation(askedForBy: call) else {
                    step = call.resumeRaising(results: Output.count)
                    continue
                }
                call.suspend()
                given = .function(await invocation())
            }
            var continuation = call.tryResume()
            if continuation == .isBusy { continuation = await call.awaitTurn(on: self) }
            guard continuation == .continued else {
                if let otherwise = call.reportBusy(to: self, isOver: continuation == .isOver) {
                    return try otherwise.outcome(Output.Value.self, Failure.self).get()
                }
                if let outcome { return try outcome.get() }
                return try await answer(below: call.below, arguments)
            }
            call.beginAnswer()
            let succeeded =
                switch given {
                case .original(let result): Self.push(result, as: Output.self, to: call.stack)
                case .function(let push): push(call.stack)
                }
            step = call.resume(withSuccess: succeeded, results: Output.count)
        }

        // Finishes.
        if step == .done, let value = Output.read(from: call.stack) {
            call.stack.leave()
            return value
        }
        switch settle(call.stack, Output.self, outcome) {
        case .outcome(let outcome): return try outcome.get()
        case .below(let below): return try await answer(below: below, arguments)
        }
    }

    /// The call that a script waits for, whose function the bridge has looked up before. For a function, its name is at
    /// 1. For a method, its class and its place in the class are at 1 and 2. nil after an error was pushed.
    @usableFromInline func invocation(askedForBy call: AsyncCall) -> (@Sendable () async -> PushOutcome)? {
        if let type = call.stack.integer(at: 1), let method = call.stack.integer(at: 2) {
            guard case .asynchronous(let read) = registry?.method(Int(method), ofClass: Int(type)).body else {
                return nil
            }
            return read(call.stack, 3)
        }
        guard let slot = registry?.slot(call.stack.text(at: 1)) else { return nil }
        return slot.invokeAsync?(slot, call.stack, 2)
    }
}
