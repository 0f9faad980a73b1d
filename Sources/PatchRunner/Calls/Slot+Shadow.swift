internal import CLuaBridge
internal import Synchronization

// A patch in shadow lies on no stack of layers. While the sample of a function takes calls, the calls go through the barrier; at
// other times they do not differ from the calls of a function without a patch in shadow.

/// The calls that older versions of patches in shadow have made of their originals, while a call is compared.
private final class CallsBelow: Sendable {
    /// By the cells through which the calls went; nil when the call that is compared is over.
    private let calls = Mutex<[UInt: Call]?>([:])

    /// A ``Part``. The call that is compared reads it, on its thread or in its task. A task that the app has made in the call may write
    /// another one.
    struct Call: @unchecked Sendable {
        let part: Any
    }

    struct Part<Arguments, Value, Failure: Error> {
        let arguments: Arguments
        let outcome: Result<Value, Failure>
    }

    func note<Arguments, Value, Failure: Error>(
        _ cell: LayerCell, _ arguments: Arguments, _ outcome: Result<Value, Failure>
    ) {
        let call = Call(part: Part(arguments: arguments, outcome: outcome))
        let forgotten = calls.locked { $0?.updateValue(call, forKey: cell.bits) }
        withExtendedLifetime(forgotten) {}
    }

    /// Returns the calls, and notes no more.
    func end() -> [UInt: Call] {
        calls.locked { calls in
            defer { calls = nil }
            return calls ?? [:]
        }
    }
}

extension Slot {
    /// Whether this task runs a patch in shadow, or what it has called.
    @TaskLocal static var isShadowed = false
    /// Notes calls of originals, while a call is compared with a patch in shadow of which an older version answers.
    @TaskLocal private static var callsBelow: CallsBelow?

    /// Makes a call from a barrier: within the registry's instrument, and with the patches in shadow beside it.
    ///
    /// - Parameters:
    ///   - cell: The cell of the layer below the barrier.
    ///   - arguments: The arguments, as a tuple.
    @usableFromInline
    package func observed<Arguments, Output: PatchResult, Failure: Error>(
        _ cell: LayerCell, _ arguments: Arguments, count: Int32, as _: Output.Type,
        push: @escaping (Arguments, PatchStack) -> Void, _ body: () throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        switch barrier(above: cell) {
        case .lower: try noted(cell, arguments, body)
        // A thread with little stack has no room for what follows.
        case .upper(hasShadows: true) where pp_has_stack_for_events():
            try compared(arguments, count: count, as: Output.self, push: push, body)
        case .upper: try instrumented { () throws(Failure) in try body() }
        }
    }

    /// Makes a call below an older version of a patch in shadow.
    @inline(never)
    private func noted<Arguments, Value, Failure: Error>(
        _ cell: LayerCell, _ arguments: Arguments, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = Result { () throws(Failure) in try body() }
        Self.callsBelow?.note(cell, arguments, outcome)
        return try outcome.get()
    }

    @inline(never)
    private func compared<Arguments, Output: PatchResult, Failure: Error>(
        _ arguments: Arguments, count: Int32, as _: Output.Type, push: @escaping (Arguments, PatchStack) -> Void,
        _ body: () throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        let sample = sample()
        guard !sample.isEmpty else { return try instrumented { () throws(Failure) in try body() } }
        func outcome() -> Result<Output.Value, Failure> {
            Result { () throws(Failure) in try instrumented { () throws(Failure) in try body() } }
        }
        let below = sample.contains { $0.olderCell != nil } ? CallsBelow() : nil
        let outcome = below.map { Self.$callsBelow.withValue($0, operation: outcome) } ?? outcome()
        let call = answered(arguments, count: count, as: Output.self, push: push, outcome, below?.end() ?? [:])
        for sampled in sample {
            let shadow = sampled.shadow
            instrumented(shadow.call) { shadow.runner.run(shadow, beside: call(sampled)) }
        }
        return try outcome.get()
    }

    /// The same for an asynchronous function. The patches run in the task of the call.
    @usableFromInline
    package func observed<Arguments, Output: PatchResult, Failure: Error>(
        _ cell: LayerCell, _ arguments: Arguments, count: Int32, as _: Output.Type,
        push: @escaping (Arguments, PatchStack) -> Void, _ body: () async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value {
        nonisolated(nonsending) func outcome(
            of body: () async throws(Failure) -> Output.Value
        ) async -> Result<Output.Value, Failure> {
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        guard case .upper(let hasShadows) = barrier(above: cell) else {
            let outcome = await outcome(of: body)
            Self.callsBelow?.note(cell, arguments, outcome)
            return try outcome.get()
        }
        let sample = hasShadows && pp_has_stack_for_events() ? sample() : []
        guard !sample.isEmpty else {
            return try await instrumented { () async throws(Failure) in try await body() }
        }
        let below = sample.contains { $0.olderCell != nil } ? CallsBelow() : nil
        let outcome = await Self.$callsBelow.withValue(below ?? Self.callsBelow) {
            await outcome { () async throws(Failure) in
                try await instrumented { () async throws(Failure) in try await body() }
            }
        }
        let call = answered(arguments, count: count, as: Output.self, push: push, outcome, below?.end() ?? [:])
        for sampled in sample {
            guard !Task.isCancelled else {
                sampled.shadow.count(.incomparable("cancelled"))
                continue
            }
            let shadow = sampled.shadow
            await instrumented(shadow.call) { await shadow.runner.runAsynchronously(shadow, beside: call(sampled)) }
        }
        return try outcome.get()
    }

    /// Takes a call into the sample. Within a patch, no call is compared: another one may wait for the patch.
    ///
    /// - Returns: The patches in shadow that are to run beside it.
    private func sample() -> [SampledCall] {
        guard pp_states_entered() <= registry?.callerStates ?? 0, !Self.isShadowed else { return [] }
        return takeSample().filter { sampled in
            if sampled.isBelow { sampled.shadow.count(.incomparable("a patch above it answers")) }
            return !sampled.isBelow
        }
    }

    /// The call for each patch in shadow that is to run beside it.
    private func answered<Arguments, Output: PatchResult, Failure: Error>(
        _ arguments: Arguments, count: Int32, as _: Output.Type, push: @escaping (Arguments, PatchStack) -> Void,
        _ outcome: Result<Output.Value, Failure>, _ below: [UInt: CallsBelow.Call]
    ) -> (SampledCall) -> AnsweredCall {
        func part(_ arguments: Arguments, _ outcome: Result<Output.Value, Failure>) -> AnsweredCall.Part {
            AnsweredCall.Part(
                pushArguments: { push(arguments, $0) },
                pushOutcome: { Self.push(outcome, as: Output.self, to: $0) })
        }
        var error: (any Error)?
        if case .failure(let thrown) = outcome { error = thrown }
        let whole = part(arguments, outcome)
        let call = AnsweredCall(
            count: count, results: Output.count, whole: whole, original: nil, error: error,
            readResult: { stack in
                guard let value = Output.read(from: stack) else { return false }
                stack.pop()
                _ = Output.push(value, to: stack)
                return true
            }, mismatch: { Output.mismatch(in: $0) },
            canThrow: { Failure.self != Never.self && $0 is Failure })
        return { sampled in
            var call = call
            guard let cell = sampled.olderCell else {
                (call.original, call.isOriginal) = (whole, true)
                return call
            }
            let noted = below[cell.bits]?.part as? CallsBelow.Part<Arguments, Output.Value, Failure>
            call.original = noted.map { part($0.arguments, $0.outcome) }
            return call
        }
    }
}

extension Shadow {
    /// A run, for the registry's instrument.
    fileprivate var call: PatchedCall { PatchedCall(function: function, patch: patch, isShadow: true) }
}
