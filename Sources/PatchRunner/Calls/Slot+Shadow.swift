internal import CLuaBridge
internal import Synchronization

// A patch in shadow lies on no stack of layers. While the sample of a function takes calls, the calls go through the
// barrier; at other times they do not differ from the calls of a function without a patch in shadow.

/// Notes the call that an older version of a patch in shadow makes of its original, while a call is compared.
private final class CallBelow: Sendable {
    /// The cell through which it goes.
    let cell: UInt
    private let state = Mutex(State.notes(nil))

    private enum State {
        /// The last call that was noted, if any.
        case notes(AnsweredCall.Part?)
        case isOver
    }

    init(_ cell: UInt) { self.cell = cell }

    func note(_ part: AnsweredCall.Part) {
        let forgotten = state.locked { state -> AnsweredCall.Part? in
            guard case .notes(let earlier) = state else { return nil }
            state = .notes(part)
            return earlier
        }
        withExtendedLifetime(forgotten) {}  // an object may end with it, whose `deinit` may call anything
    }

    /// Returns the call, and notes no more.
    func end() -> AnsweredCall.Part? {
        state.locked { state -> AnsweredCall.Part? in
            guard case .notes(let last) = state else { return nil }
            state = .isOver
            return last
        }
    }
}

extension Slot {
    /// Notes the call below an older version, while the call that is compared runs in this task.
    @TaskLocal private static var callBelow: CallBelow?

    /// What is done about a call at a barrier.
    private struct Observation {
        /// Whether the barrier is above all layers, and not below an older version of a patch in shadow.
        let isUpper: Bool
        /// The patches in shadow that it is compared with.
        var sample: [SampledCall] = []
        /// Notes the call below an older version: this one, or one within it.
        var below: CallBelow?

        var isNeeded: Bool { isUpper ? !sample.isEmpty : below != nil }
    }

    /// Within a patch, no call is compared: another one may wait for the patch.
    private func observation(of cell: LayerCell) -> Observation {
        let (isUpper, hasShadows) = layers.locked { ($0.isAboveAll(cell), !$0.sample.isEmpty) }
        guard isUpper else {
            let below = Self.callBelow
            return Observation(isUpper: false, below: below?.cell == cell.bits ? below : nil)
        }
        // A thread with little stack has no room for what follows.
        guard hasShadows, pp_has_stack_for_events(), pp_states_entered() <= (registry?.callerStates ?? 0) else {
            return Observation(isUpper: true)
        }
        let sample = takeSample()
        return Observation(
            isUpper: true, sample: sample, below: sample.lazy.compactMap(\.olderCell).first.map(CallBelow.init))
    }

    /// Makes a call from a barrier: within the registry's instrument, and with the patches in shadow beside it.
    ///
    /// - Parameter cell: The cell of the layer below the barrier.
    @usableFromInline
    package func observed<Arguments, Output: PatchResult, Failure: Error>(
        _ cell: LayerCell, _ arguments: Arguments, count: Int32, as _: Output.Type,
        push: @escaping (Arguments, _PatchStack) -> Void, _ body: () throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        let seen = observation(of: cell)
        func answer() throws(Failure) -> Output.Value {
            guard seen.isUpper else { return try body() }
            return try instrumented { () throws(Failure) in try body() }
        }
        guard seen.isNeeded else { return try answer() }
        let outcome = Self.$callBelow.withValue(seen.below) { Result(catching: answer) }
        conclude(seen, arguments, outcome, count: count, as: Output.self, push: push)
        return try outcome.get()
    }

    /// The same for an asynchronous function. The patches run in the task of the call.
    @usableFromInline
    package func observed<Arguments, Output: PatchResult, Failure: Error>(
        _ cell: LayerCell, _ arguments: Arguments, count: Int32, as _: Output.Type,
        push: @escaping (Arguments, _PatchStack) -> Void, _ body: () async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value {
        let seen = observation(of: cell)
        nonisolated(nonsending) func answer() async throws(Failure) -> Output.Value {
            guard seen.isUpper else { return try await body() }
            return try await instrumented { () async throws(Failure) in try await body() }
        }
        guard seen.isNeeded else { return try await answer() }
        let outcome = await Self.$callBelow.withValue(seen.below) { () async -> Result<Output.Value, Failure> in
            do throws(Failure) { return .success(try await answer()) } catch { return .failure(error) }
        }
        conclude(seen, arguments, outcome, count: count, as: Output.self, push: push)
        return try outcome.get()
    }

    /// Notes the outcome of a call below an older version, or compares the call with the patches in shadow.
    private func conclude<Arguments, Output: PatchResult, Failure: Error>(
        _ seen: Observation, _ arguments: Arguments, _ outcome: Result<Output.Value, Failure>, count: Int32,
        as _: Output.Type, push: @escaping (Arguments, _PatchStack) -> Void
    ) {
        let answer = AnsweredCall.Part(
            pushArguments: { push(arguments, $0) }, pushOutcome: { Self.push(outcome, as: Output.self, to: $0) })
        guard seen.isUpper else {
            seen.below?.note(answer)
            return
        }
        let below = seen.below?.end()
        var error: (any Error)?
        if case .failure(let thrown) = outcome { error = thrown }
        let fault = Task.isCancelled ? "cancelled" : (error as? any UnansweredCall)?.reason
        for sampled in seen.sample {
            let shadow = sampled.shadow
            let reason = sampled.isBelow ? "a patch above it answers" : fault
            if let reason {
                shadow.count(.incomparable(reason))
                continue
            }
            let call = AnsweredCall(
                count: count, results: Output.count, answer: answer,
                original: sampled.olderCell == nil ? answer : below, isOfOriginal: sampled.olderCell == nil,
                error: error)
            instrumented(shadow) { shadow.runner.run(shadow, beside: call) }
        }
    }
}
