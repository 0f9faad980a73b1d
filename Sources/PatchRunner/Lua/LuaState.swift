internal import CLuaBridge
internal import PatchCrypto
internal import Synchronization

/// A Lua state, with its lock, its budgets and its memory.
@safe package final class LuaState: Sendable {
    package nonisolated(unsafe) let pointer: OpaquePointer
    /// Keeps the state's memory.
    private let pool: StatePool
    private let isClosed = Atomic(false)

    /// Opens a state; this thread has its lock until `unlock`.
    ///
    /// - Parameters:
    ///   - host: What the bridge calls.
    ///   - seed: Where the script's random numbers begin.
    /// - Throws: `internal` if there is no memory.
    init(in pool: StatePool, limits: pp_limits, host: pp_host, seed: Int64) throws(PatchError) {
        var limits = limits
        guard let pointer = unsafe withUnsafePointer(to: host, { unsafe pp_open(pool.pool, &limits, $0, seed) }) else {
            throw PatchError(.internal, "no memory for a Lua state")
        }
        unsafe self.pointer = pointer
        self.pool = pool
    }

    /// The stack that values are pushed to outside of a call.
    package var main: OpaquePointer { unsafe pp_main(pointer) }

    /// Closes the state, now or when the last call has left it.
    ///
    /// Once: what is closed is soon another patch's.
    ///
    /// - Returns: Whether it was open.
    @discardableResult
    func close() -> Bool {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return false }
        unsafe pp_close(pointer)
        return true
    }

    /// Does work that no call may see half of.
    func whileLocked(_ body: () -> Void) {
        let isLocked = unsafe pp_lock(pointer)
        body()
        if isLocked { unlock() }
    }

    func unlock() { unsafe pp_unlock(pointer) }

    /// Bytes that the script holds; 0 once the state is closed, and its memory another patch's.
    var memory: Int { isClosed.load(ordering: .relaxed) ? 0 : unsafe Int(pp_memory(pointer)) }
    /// Fuel that the last call used.
    package var fuelUsed: Int { isClosed.load(ordering: .relaxed) ? 0 : unsafe Int(pp_fuel_used(pointer)) }
    /// Refuses the n-th allocation of the script from now on, and all that follow; 0 refuses none.
    func refuseAllocation(_ n: Int) { unsafe pp_refuse_allocation(pointer, Int64(n)) }

    /// What the script replaces.
    package var layers: [Layer] {
        unsafe (0..<pp_layer_count(pointer)).compactMap { unsafe pp_layer_at(pointer, $0).map { unsafe Layer($0) } }
    }
}
