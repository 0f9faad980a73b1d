internal import Synchronization

/// Work that several callers wait for. A caller that is cancelled returns at once; the work is cancelled once all of
/// them are.
final class SharedWork<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var task: Task<Value, Never>?
        var isCancelled = false
        /// The callers that are not cancelled, by number.
        var callers: Set<Int> = []
        var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
        var number = 0
    }

    private let state = Mutex(State())

    init(_ body: @escaping @Sendable () async -> Value) {
        let task = Task { await body() }
        state.locked { $0.task = task }
        // A task of its own, so that nothing keeps what the work has used once those who wait have its value.
        Task { self.end(with: await task.value) }
    }

    /// Whether all who waited for it were cancelled.
    var isCancelled: Bool { state.locked(\.isCancelled) }

    /// Notes that a caller will wait, so that the work goes on if the others are cancelled before it does.
    ///
    /// - Returns: The number of the caller, for ``value(for:)``.
    func join() -> Int {
        state.locked { state in
            state.number += 1
            state.callers.insert(state.number)
            return state.number
        }
    }

    /// - Returns: nil if the caller was cancelled first.
    func value(for caller: Int) async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let (isOver, value) = state.locked { state in
                    let isOver = state.value != nil || !state.callers.contains(caller)
                    if !isOver { state.waiting[caller] = waiter }
                    return (isOver, state.value)
                }
                if isOver { waiter.resume(returning: value) }
            }
        } onCancel: {
            leave(caller)
        }
    }

    private func leave(_ caller: Int) {
        let (waiter, task) = state.locked { state in
            state.callers.remove(caller)
            if state.callers.isEmpty, state.value == nil { state.isCancelled = true }
            return (state.waiting.removeValue(forKey: caller), state.isCancelled ? state.task : nil)
        }
        // What the work does when it is cancelled may be the app's code.
        task?.cancel()
        waiter?.resume(returning: nil)
    }

    private func end(with value: Value) {
        let waiting = state.locked { state in
            state.value = value
            state.task = nil
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for waiter in waiting { waiter.resume(returning: value) }
    }
}
