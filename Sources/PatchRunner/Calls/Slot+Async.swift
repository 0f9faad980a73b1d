internal import CLuaBridge
internal import Synchronization

// Asynchronous functions: the script runs in a coroutine, which waits while the original runs. The patch's lock is free
// meanwhile.

extension Slot {
    /// Reads a call's arguments from a stack, and returns the call. The call's argument is the layer to begin at, or
    /// nil for the topmost.
    @usableFromInline typealias AsyncReader<Value, Failure: Error> =
        @Sendable (PatchStack, Int32) -> (@Sendable (UInt?) async throws(Failure) -> Value)?

    /// Pushes the outcome of a call. Returns false if it is an error.
    @usableFromInline package typealias PushOutcome = @Sendable (PatchStack) -> Bool

    static func push<Output: PatchResult, Failure: Error>(
        _ outcome: Result<Output.Value, Failure>, as _: Output.Type, to stack: PatchStack
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

    private static func outcome<Value, Failure: Error>(
        of call: () async throws(Failure) -> Value
    ) async -> Result<Value, Failure> {
        do throws(Failure) { return .success(try await call()) } catch { return .failure(error) }
    }

    /// The call that another script's `host.call` awaits, with the arguments from a place on its stack.
    static func invocation<Output: PatchResult, Failure: Error>(
        _ read: AsyncReader<Output.Value, Failure>, _ stack: PatchStack, _ first: Int32, as _: Output.Type
    ) -> (@Sendable () async -> PushOutcome)? where Output.Value: Sendable {
        guard let call = read(stack, first) else { return nil }
        return {
            let outcome = await outcome { () async throws(Failure) -> Output.Value in try await call(nil) }
            return { push(outcome, as: Output.self, to: $0) }
        }
    }

    /// Calls the layer that a cell holds, or the topmost if no cell is given.
    func run<Output: PatchResult, Failure: Error>(
        _ cell: UInt?, _ arguments: [any PatchValue], as _: Output.Type,
        read: AsyncReader<Output.Value, Failure>, original: () async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value where Output.Value: Sendable {
        // What waits is asynchronous only if it has to wait.
        var entered = AsyncCall.Entry(self, cell, nil)
        if entered.call == nil { entered.call = await AsyncCall.enter(self, cell, after: entered) }
        guard var call = entered.call else { return try await original() }
        for argument in arguments { argument.push(to: call.stack) }
        var outcome: Result<Output.Value, Failure>?
        var step = call.resume(Int32(arguments.count), results: Output.count)
        while true {
            let push: PushOutcome
            let (layer, below) = (call.layer, call.below)
            switch step {
            case .waitsForOriginal:
                guard let original = read(call.stack, 1) else {
                    step = call.resumeRaising(results: Output.count)
                    continue
                }
                call.suspend()
                let result: Result<Output.Value, Failure>
                do throws(Failure) {
                    result = .success(try await original(below))
                } catch {
                    result = .failure(error)
                }
                outcome = result
                push = { Self.push(result, as: Output.self, to: $0) }
            case .waitsForCall:
                let slot = others?.slot(call.stack.text(at: 1))
                guard let slot, let invocation = slot.invokeAsync?(slot, call.stack, 2) else {
                    step = call.resumeRaising(results: Output.count)
                    continue
                }
                call.suspend()
                push = await invocation()
            case .done:
                if let value = Output.read(from: call.stack) {
                    call.stack.leave()
                    return value
                }
                fallthrough
            case .failed:
                switch settle(call.stack, Output.self, outcome) {
                case .outcome(let outcome): return try outcome.get()
                case .below(let below):
                    return try await run(below, arguments, as: Output.self, read: read, original: original)
                }
            }
            var hasContinued = call.continues(nil)
            if hasContinued == nil { hasContinued = await call.waits(on: self) }
            guard hasContinued == true else {
                note(Refusal(PP_BUSY, by: layer))  // nothing if the patch is gone
                if let outcome { return try outcome.get() }
                return try await run(below, arguments, as: Output.self, read: read, original: original)
            }
            step = call.resume(pushing: push, results: Output.count)
        }
    }
}

/// A script's run in a coroutine.
@safe private struct AsyncCall {
    private(set) var stack: PatchStack
    nonisolated(unsafe) private var waiting: UnsafeMutableRawPointer?

    enum Step {
        case done, failed, waitsForOriginal, waitsForCall
    }

    private init(_ stack: PatchStack) { self.stack = stack }

    /// An attempt to enter the layer that a cell holds.
    struct Entry {
        /// The call, if it was entered.
        var call: AsyncCall?
        /// Why it was not entered, if it was not.
        let refusal: Refusal

        init(_ slot: Slot, _ cell: UInt?, _ turn: Turn?) {
            let address = unsafe Unmanaged.passUnretained(slot).toOpaque()
            let entry: pp_entry
            if var cell {
                unsafe entry = withUnsafeMutablePointer(to: &cell) {
                    unsafe pp_enter_async(UnsafeMutableRawPointer($0), address, turn?.waiter)
                }
            } else {
                unsafe entry = pp_enter_async(slot.cell.address, address, turn?.waiter)
            }
            call = unsafe entry.L.map { unsafe AsyncCall(PatchStack($0)) }
            refusal = unsafe Refusal(bits: entry.refused)
        }
    }

    /// Enters the layer that a cell holds, after a first attempt that was refused. nil if the original must answer.
    static func enter(_ slot: Slot, _ cell: UInt?, after first: Entry) async -> AsyncCall? {
        var entry = first
        var turn: Turn?
        while true {
            if let call = entry.call { return call }
            var refusal = entry.refusal
            if refusal.isForTheMoment, let state = unsafe refusal.layer.flatMap({ unsafe pp_layer_state($0.pointer) }) {
                // Another patch may be active on the name now.
                if unsafe turn?.isFor(state) != true {
                    turn = unsafe Turn(waitingFor: state, of: slot, entering: true)
                    if turn == nil { refusal = Refusal(PP_CROWDED, by: refusal.layer) }
                }
                if await turn?.comes() == true {
                    entry = Entry(slot, cell, turn)
                    continue
                }
            }
            guard slot.note(refusal), let below = refusal.layer?.below, below != 0 else { return nil }
            return await enter(slot, below, after: Entry(slot, below, nil))
        }
    }

    /// The layer that runs.
    var layer: Layer? { unsafe pp_current_layer(stack.state).map { unsafe Layer($0) } }
    /// The address of the layer below it, as a cell holds it, or 0.
    var below: UInt { unsafe UInt(pp_current_below(stack.state)) }

    func resume(_ values: Int32, results: Int32) -> Step {
        switch UInt32(unsafe pp_resume(stack.state, values, results)) {
        case PP_DONE.rawValue: .done
        case PP_ORIGINAL.rawValue: .waitsForOriginal
        case PP_CALL.rawValue: .waitsForCall
        default: .failed
        }
    }

    /// Continues with the outcome of the call that the script waited for.
    func resume(pushing push: Slot.PushOutcome, results: Int32) -> Step {
        stack.top = 0
        let succeeded = push(stack)
        stack.push(succeeded)
        stack.insert(at: 1)
        return resume(stack.top, results: results)
    }

    /// Raises the error on top at the place where the script waits.
    func resumeRaising(results: Int32) -> Step {
        stack.insert(at: 1)
        stack.top = 1
        stack.push(false)
        stack.insert(at: 1)
        return resume(2, results: results)
    }

    mutating func suspend() { unsafe waiting = pp_suspend(stack.state) }

    /// Enters the patch again after its original or another call has answered. Returns false if the patch is closed, and
    /// nil if it is busy. If it is closed, the call has ended.
    func continues(_ turn: Turn?) -> Bool? {
        var isOver = false
        if unsafe pp_continue(waiting, turn?.waiter, &isOver) != nil { return true }
        return isOver ? false : nil
    }

    /// Waits until it can enter the patch again. Returns false if the patch is closed or stays busy; the call has ended
    /// then.
    func waits(on slot: Slot) async -> Bool {
        var turn: Turn?
        while true {
            if turn == nil {
                turn = unsafe pp_waiting_in(waiting).flatMap { unsafe Turn(waitingFor: $0, of: slot, entering: false) }
            }
            guard await turn?.comes() == true else {
                unsafe pp_abandon(waiting)
                return false
            }
            if let hasContinued = continues(turn) { return hasContinued }
        }
    }
}

/// A task's place in the queue for a patch. It leaves the queue when it is released. No thread is blocked while it waits.
@safe private final class Turn: Sendable {
    nonisolated(unsafe) let waiter: OpaquePointer
    private let alarm = Alarm()
    /// Keeps the memory of the state alive that is waited for.
    private let slot: Slot

    /// Wakes the task that sleeps, or the next one that would sleep.
    private final class Alarm: Sendable {
        private let state = Mutex<(wasWoken: Bool, sleeper: CheckedContinuation<Void, Never>?)>((false, nil))

        func sleep() async {
            await withCheckedContinuation { continuation in
                let wasWoken = state.locked { state in
                    defer { state = (false, state.wasWoken ? nil : continuation) }
                    return state.wasWoken
                }
                if wasWoken { continuation.resume() }
            }
        }

        func wake() {
            let sleeper = state.locked { state in
                defer { state = (state.sleeper == nil, nil) }
                return state.sleeper
            }
            sleeper?.resume()
        }
    }

    /// Joins the queue. nil if there is not enough memory, or if it would enter with a new call and too many wait.
    init?(waitingFor state: OpaquePointer, of slot: Slot, entering: Bool) {
        self.slot = slot
        let alarm = unsafe pp_alarm(
            keep: { context in
                guard let context = unsafe context else { return }
                _ = unsafe Unmanaged<Alarm>.fromOpaque(context).retain()
            },
            wake: { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Alarm>.fromOpaque(context).takeRetainedValue().wake()
            }, context: Unmanaged.passUnretained(alarm).toOpaque())
        var needsClock = false
        guard let waiter = unsafe pp_wait(state, alarm, entering, &needsClock) else { return nil }
        unsafe self.waiter = waiter
        if needsClock { unsafe Self.startClock(for: state, of: slot) }
    }

    /// Looks after all tasks that wait for a state, until none does any more.
    private static func startClock(for state: OpaquePointer, of slot: Slot) {
        let address = UInt(bitPattern: state)
        Task.detached {
            repeat {
                try? await Task.sleep(for: .milliseconds(20))
            } while withExtendedLifetime(slot, { unsafe pp_tick(OpaquePointer(bitPattern: address)) })
        }
    }

    deinit { unsafe pp_stop_waiting(waiter) }

    func isFor(_ state: OpaquePointer) -> Bool { unsafe pp_waits_for(waiter) == state }

    /// Waits until the turn comes. Returns false if it is time to give up.
    func comes() async -> Bool {
        while unsafe pp_goes_on_waiting(waiter) { await alarm.sleep() }
        return unsafe pp_has_turn(waiter)
    }
}
