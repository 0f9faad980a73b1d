internal import CLuaBridge
internal import Synchronization

/// A script's run in a coroutine.
@safe @usableFromInline struct AsyncCall {
    @usableFromInline private(set) var stack: _PatchStack
    nonisolated(unsafe) private var waiting: UnsafeMutableRawPointer?
    /// The running layer, and the layer below it. They are set when the call is suspended.
    private var layer: Layer?
    @usableFromInline private(set) var below = LayerReference()

    @usableFromInline enum Step {
        case done, failed, waitsForOriginal, waitsForCall

        @_alwaysEmitIntoClient var isWaiting: Bool { self == .waitsForOriginal || self == .waitsForCall }
    }

    private init(_ stack: _PatchStack) { self.stack = stack }

    /// An attempt to enter the layer that a cell holds.
    @frozen @usableFromInline enum Attempt {
        case entered(AsyncCall)
        case refused(Refusal)

        @usableFromInline init(_ slot: Slot, _ place: LayerPlace) { self.init(slot, place, nil) }

        fileprivate init(_ slot: Slot, _ place: LayerPlace, _ turn: Turn?) {
            let slot = unsafe Unmanaged.passUnretained(slot).toOpaque()
            let entry = unsafe place.withCell { unsafe pp_enter_async($0.address, slot, turn?.waiter) }
            if let state = unsafe entry.L {
                self = unsafe .entered(AsyncCall(_PatchStack(state)))
            } else {
                self = unsafe .refused(Refusal(bits: entry.refused))
            }
        }

        var call: AsyncCall? {
            if case .entered(let call) = self { call } else { nil }
        }
    }

    /// How a call begins.
    @frozen @usableFromInline enum Entry {
        case entered(AsyncCall)
        /// The original must answer.
        case original
        /// A script's `otherwise` answers: a reference for ``Otherwise/outcome(_:_:_:)``.
        case otherwise(UInt)
        /// The call is instrumented. The cell holds the layer to be entered.
        case instrumented(LayerCell)
    }

    /// Enters the layer at a place, after a first attempt.
    @usableFromInline static func enter(_ slot: Slot, _ place: LayerPlace, after first: Attempt) async -> Entry {
        var attempt = first
        var turn: Turn?
        while true {
            var refusal: Refusal
            switch attempt {
            case .entered(let call): return .entered(call)
            case .refused(let reason): refusal = reason
            }
            if refusal.isTransient, let queue = unsafe refusal.layer?.queue {
                // Another patch may be active on the name now.
                if unsafe turn?.isIn(queue) != true {
                    turn = unsafe Turn(in: queue, of: slot)
                    if turn == nil { refusal = Refusal(PP_CROWDED, by: refusal.layer) }
                }
                if await turn?.wait() == true {
                    attempt = Attempt(slot, place, turn)
                    continue
                }
            }
            switch place.withCell({ slot.substitute(for: refusal, $0) }) {
            case .again:
                attempt = Attempt(slot, place, turn)
                LuaState.releaseReserved()
            case .below(let below):
                turn = nil  // it leaves the queue of the layer that is gone
                return await enter(slot, .layer(below), after: Attempt(slot, .layer(below), nil))
            case .original: return .original
            case .otherwise(let otherwise): return .otherwise(otherwise.retainedBits())
            case .instrumented(let cell): return .instrumented(cell)
            case .probe(let probe, let layer):
                layer.allowTry()
                attempt = Attempt(slot, place, turn)
                let hasEntered = layer.endTry()
                if let call = attempt.call, hasEntered { call.stack.keep(probe) } else { probe.ended(succeeded: nil) }
            }
        }
    }

    /// Runs the script until it ends or waits.
    ///
    /// - Parameter values: How many values were pushed for it.
    @usableFromInline func resume(_ values: Int32, results: Int32) -> Step {
        switch UInt32(unsafe pp_resume(stack.state, values, results)) {
        case PP_DONE.rawValue: .done
        case PP_ORIGINAL.rawValue: .waitsForOriginal
        case PP_CALL.rawValue: .waitsForCall
        default: .failed
        }
    }

    /// Begins the answer that the script waits for: empties the stack, and pushes true for a result, which follows.
    @usableFromInline func beginAnswer() {
        stack.top = 0
        stack.push(true)
    }

    /// Goes on with the answer that was pushed: results, or an error.
    @usableFromInline func resume(withSuccess succeeded: Bool, results: Int32) -> Step {
        guard succeeded else { return resumeRaising(results: results) }
        return resume(stack.top, results: results)
    }

    /// Raises the error on top at the place where the script waits.
    @usableFromInline func resumeRaising(results: Int32) -> Step {
        stack.insert(at: 1)
        stack.top = 1
        stack.push(false)
        stack.insert(at: 1)
        return resume(2, results: results)
    }

    /// Leaves the patch, until ``tryResume()``.
    @usableFromInline mutating func suspend() {
        unsafe layer = pp_current_layer(stack.state).map { unsafe Layer($0) }
        below = unsafe LayerReference(pp_current_below(stack.state))
        unsafe waiting = pp_suspend(stack.state)
    }

    /// Reports that it could not continue, and ends it.
    ///
    /// - Parameter isOver: Whether it has ended already.
    /// - Returns: The script's `otherwise`, which answers in its place; nil if there is none.
    @usableFromInline func reportBusy(to slot: Slot, isOver: Bool) -> Otherwise? {
        defer { if !isOver { unsafe pp_abandon(waiting) } }
        guard let layer else { return nil }
        slot.countFallback(of: layer, Refusal(PP_BUSY, by: layer))
        return slot.otherwise(of: layer)
    }

    /// What becomes of a call that waits.
    @usableFromInline @frozen enum Continuation {
        /// It has entered the patch again.
        case continued
        /// Calls are nested too deep, and it has ended.
        case isOver
        /// It cannot enter now, and still waits.
        case isBusy
    }

    /// Enters the patch again after its original or another call has answered.
    @usableFromInline func tryResume() -> Continuation { tryResume(nil) }

    private func tryResume(_ turn: Turn?) -> Continuation {
        var isOver = false
        if unsafe pp_continue(waiting, turn?.waiter, &isOver) != nil { return .continued }
        return isOver ? .isOver : .isBusy
    }

    /// Enters the patch again when it is no longer busy, or gives up if it stays so.
    @usableFromInline func awaitTurn(on slot: Slot) async -> Continuation {
        var turn: Turn?
        while true {
            if turn == nil {
                turn = unsafe pp_call_queue(waiting).flatMap { unsafe Turn(in: $0, of: slot) }
            }
            guard await turn?.wait() == true else { return .isBusy }
            let continuation = tryResume(turn)
            if continuation != .isBusy { return continuation }
        }
    }
}

/// A task's place in the queue for a patch. It leaves the queue when it is released. No thread is blocked while it
/// waits.
@safe private final class Turn: Sendable {
    nonisolated(unsafe) let waiter: OpaquePointer
    private let alarm = Alarm()
    /// Keeps the memory of the awaited state alive.
    private let slot: Slot

    /// Wakes the sleeping task. If no task sleeps, the next sleep ends at once.
    private final class Alarm: Sendable {
        private enum State {
            case idle, woken
            case sleeps(CheckedContinuation<Void, Never>)
        }

        private let state = Mutex(State.idle)

        func sleep() async {
            await withCheckedContinuation { continuation in
                let wasWoken = state.locked { state -> Bool in
                    if case .woken = state {
                        state = .idle
                        return true
                    }
                    state = .sleeps(continuation)
                    return false
                }
                if wasWoken { continuation.resume() }
            }
        }

        func wake() {
            let sleeper = state.locked { state -> CheckedContinuation<Void, Never>? in
                guard case .sleeps(let sleeper) = state else {
                    state = .woken
                    return nil
                }
                state = .idle
                return sleeper
            }
            sleeper?.resume()
        }
    }

    /// Joins the queue. nil if there is not enough memory, or if it would enter with a new call and too many already
    /// wait.
    init?(in queue: OpaquePointer, of slot: Slot) {
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
        guard let waiter = unsafe pp_wait(queue, alarm, &needsClock) else { return nil }
        unsafe self.waiter = waiter
        if needsClock { unsafe Self.startClock(for: queue, of: slot) }
    }

    /// Serves the tasks in a queue every 20 milliseconds, until no task waits.
    private static func startClock(for queue: OpaquePointer, of slot: Slot) {
        let address = UInt(bitPattern: queue)
        Task.detached {
            repeat {
                try? await Task.sleep(for: .milliseconds(20))
            } while withExtendedLifetime(slot, { unsafe pp_serve_tasks(OpaquePointer(bitPattern: address)) })
        }
    }

    deinit { unsafe pp_stop_waiting(waiter) }

    func isIn(_ queue: OpaquePointer) -> Bool { unsafe pp_waiter_queue(waiter) == queue }

    /// Waits until the turn comes. Returns false if it is time to give up.
    func wait() async -> Bool {
        while true {
            switch unsafe pp_turn_of(waiter) {
            case PP_NO_TURN: await alarm.sleep()
            case let turn: return turn == PP_TURN
            }
        }
    }
}
