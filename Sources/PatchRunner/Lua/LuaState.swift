internal import CLuaBridge
internal import PatchCrypto
internal import Synchronization

/// A Lua state with its lock, its budgets and its memory.
@safe package final class LuaState: Sendable {
    package nonisolated(unsafe) let pointer: OpaquePointer
    /// Keeps the state's memory alive.
    private let pool: StatePool
    private let isClosed = Atomic(false)

    /// Opens a state. This thread holds its lock until `unlock`.
    ///
    /// - Parameters:
    ///   - host: The callbacks of the bridge.
    ///   - seed: The seed of the script's random numbers.
    /// - Throws: `unavailable` if the program has another Lua; `internal` if there is not enough memory.
    init(in pool: StatePool, limits: pp_limits, host: pp_host, seed: Int64) throws(PatchError) {
        try LuaLibrary.check()
        var limits = limits
        guard let pointer = unsafe withUnsafePointer(to: host, { unsafe pp_open(pool.pool, &limits, $0, seed) }) else {
            throw PatchError(.internal, "not enough memory for a Lua state")
        }
        unsafe self.pointer = pointer
        self.pool = pool
    }

    /// The stack that values are pushed to outside of a call.
    package var main: OpaquePointer { unsafe pp_main(pointer) }

    /// Closes the state, now or when the last call has left it.
    ///
    /// It is closed only once, because a closed state may soon be used for another patch.
    ///
    /// - Returns: Whether it was open.
    @discardableResult
    func close() -> Bool {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return false }
        unsafe pp_close(pointer)
        return true
    }

    /// Runs a body under the state's lock, so that no call sees its work half done.
    func whileLocked(_ body: () -> Void) {
        let isLocked = unsafe pp_lock(pointer)
        body()
        if isLocked { unlock() }
    }

    func unlock() { unsafe pp_unlock(pointer) }

    /// The bytes that the script holds. 0 if the state is closed, because another patch may use it then.
    var memory: Int { isClosed.load(ordering: .relaxed) ? 0 : unsafe Int(pp_memory(pointer)) }
    /// The fuel that the last call used.
    package var fuelUsed: Int { isClosed.load(ordering: .relaxed) ? 0 : unsafe Int(pp_fuel_used(pointer)) }
    /// Refuses the n-th allocation of the script from now on, and all that follow. 0 refuses none.
    func refuseAllocation(_ n: Int) { unsafe pp_refuse_allocation(pointer, Int64(n)) }

    /// Calls a function when a call has found a layer that is no longer on its name, before it looks again.
    static func whenStale(_ pause: (@convention(c) () -> Void)?) { pp_when_stale(pause) }

    /// Whether a call is in the queue for the state.
    var isWaitedFor: Bool { unsafe pp_is_waited_for(pointer) }

    /// The script's replacements.
    package var layers: [Layer] {
        unsafe (0..<pp_layer_count(pointer)).compactMap { unsafe pp_layer_at(pointer, $0).map { unsafe Layer($0) } }
    }
}
