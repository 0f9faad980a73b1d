internal import CLuaBridge

// Asynchronous functions: the script runs in a coroutine, which waits while the original runs, without the patch's lock.

extension Slot {
    /// Reads a call's arguments from a stack, and returns the call, which is told where to begin: at a layer, or nil for the top.
    @usableFromInline typealias AsyncReader<Value, Failure: Error> =
        @Sendable (PatchStack, Int32) -> (@Sendable (UInt?) async throws(Failure) -> Value)?

    /// What pushes the outcome of a call; it returns false where that is an error.
    @usableFromInline typealias PushOutcome = @Sendable (PatchStack) -> Bool

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

    /// Calls the layer that a cell holds, the topmost where none is given.
    func run<Output: PatchResult, Failure: Error>(
        _ cell: UInt?, _ arguments: [any PatchValue], as _: Output.Type,
        read: AsyncReader<Output.Value, Failure>, original: () async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value where Output.Value: Sendable {
        guard var call = AsyncCall(entering: self, cell) else { return try await original() }
        for argument in arguments { argument.push(to: call.stack) }
        var outcome: Result<Output.Value, Failure>?
        var step = call.resume(Int32(arguments.count), results: Output.count)
        while true {
            let push: PushOutcome
            let (layer, below) = unsafe (pp_current_layer(call.stack.state), call.below)
            switch step {
            case .waitsForOriginal:
                guard let original = read(call.stack, 1) else {
                    step = call.resumeRaising(results: Output.count)
                    continue
                }
                call.suspend()
                let result = await Self.outcome { () async throws(Failure) -> Output.Value in try await original(below)
                }
                outcome = result
                push = { Self.push(result, as: Output.self, to: $0) }
            case .waitsForCall:
                let slot = call.stack.script.names.slot(call.stack.text(at: 1))
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
            guard call.continues() else {
                unsafe note(PP_BUSY.rawValue, of: layer)  // nothing where the patch is gone
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

    /// Enters the layer that a cell holds; nil where the original is to answer.
    init?(entering slot: Slot, _ cell: UInt?) {
        var cell = cell
        let address = unsafe Unmanaged.passUnretained(slot).toOpaque()
        let entry =
            if cell != nil {
                unsafe withUnsafeMutablePointer(to: &cell) {
                    unsafe pp_enter_async(UnsafeMutableRawPointer($0), address)
                }
            } else {
                unsafe pp_enter_async(slot.cell.address, address)
            }
        guard let state = unsafe entry.L else {
            unsafe slot.note(refused: entry.refused)
            return nil
        }
        stack = unsafe PatchStack(state)
    }

    /// What lies below the layer that runs, as a cell holds it.
    var below: UInt { unsafe UInt(pp_current_below(stack.state)) }

    func resume(_ values: Int32, results: Int32) -> Step {
        switch UInt32(unsafe pp_resume(stack.state, values, results)) {
        case PP_DONE.rawValue: .done
        case PP_ORIGINAL.rawValue: .waitsForOriginal
        case PP_CALL.rawValue: .waitsForCall
        default: .failed
        }
    }

    /// Goes on with what the script waited for.
    func resume(pushing push: Slot.PushOutcome, results: Int32) -> Step {
        stack.top = 0
        let succeeded = push(stack)
        stack.push(succeeded)
        stack.insert(at: 1)
        return resume(stack.top, results: results)
    }

    /// Raises the error on top where the script waits.
    func resumeRaising(results: Int32) -> Step {
        stack.insert(at: 1)
        stack.top = 1
        stack.push(false)
        stack.insert(at: 1)
        return resume(2, results: results)
    }

    mutating func suspend() { unsafe waiting = pp_suspend(stack.state) }

    /// Enters the patch again after a wait; false where it is gone, and the call over.
    mutating func continues() -> Bool { unsafe pp_continue(waiting) != nil }
}
