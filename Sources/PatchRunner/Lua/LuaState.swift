internal import CLuaBridge
internal import PatchCrypto
internal import PatchText
internal import Synchronization

/// The memory of a registry's Lua states.
@safe final class StatePool: Sendable {
    nonisolated(unsafe) let pool: OpaquePointer

    init() {
        guard let pool = unsafe pp_pool_make() else { fatalError("out of memory") }
        unsafe self.pool = pool
    }

    deinit { unsafe pp_pool_free(pool) }
}

/// A Lua state of a patch, with its lock, budget and memory. The first state is the handle of the patch. The others,
/// its instances, have loaded the same script.
@safe package final class LuaState: Sendable {
    package nonisolated(unsafe) let pointer: OpaquePointer
    private nonisolated(unsafe) let handle: pp_handle
    /// Keeps the state's memory alive.
    private let pool: StatePool
    private let hasClosed = Atomic(false)
    var isClosed: Bool { hasClosed.load(ordering: .relaxed) }

    /// Opens a state. This thread holds its lock until `unlock`.
    ///
    /// - Throws: `unavailable` if the program has another Lua; also if there is not enough memory.
    init(in pool: StatePool, of id: String, limits: pp_limits, host: pp_host, seed: Int64) throws(PatchError) {
        try LuaLibrary.check()
        var limits = limits
        guard let pointer = unsafe withUnsafePointer(to: host, { unsafe pp_open(pool.pool, id, &limits, $0, seed) })
        else {
            throw PatchError(.unavailable, "not enough memory for a Lua state").ofCircumstance
        }
        unsafe self.pointer = pointer
        unsafe handle = pp_handle_of(pointer)
        self.pool = pool
    }

    /// Opens another instance, if one can be opened now. This thread holds its lock until
    /// ``join()`` or ``drop(forGood:)``.
    init?(another first: LuaState) {
        guard let pointer = unsafe pp_open_instance(first.handle) else { return nil }
        unsafe self.pointer = pointer
        unsafe handle = first.handle
        pool = first.pool
    }

    /// Lets calls use this state, which has loaded the script, as another instance. The next call that this thread
    /// makes to the patch is the first. If it does not use it, ``releaseReserved()`` must follow.
    ///
    /// - Throws: `script` if the script does not replace the names that it first replaced. The instance is closed then.
    func join() throws(PatchError) {
        guard let missing = unsafe pp_missing_name(pointer) else { return unsafe pp_add_instance(pointer) }
        let name = unsafe String(cString: missing)
        drop(forGood: true)
        throw PatchError(.script, "'\(name)' is not replaced: the script does not do the same each time that it loads")
    }

    /// Closes this instance, which could not load the script. No more instances are made: for a while, or for good.
    func drop(forGood: Bool) { unsafe pp_drop_instance(pointer, forGood) }

    /// Leaves the instance that is reserved for the next call of this thread, if there is one.
    static func releaseReserved() { pp_release_reserved() }

    /// Lets calls make other instances, as far as the limits allow.
    func letGrow() { unsafe pp_let_grow(handle) }

    var instances: Int { unsafe Int(pp_instance_count(handle.patch)) }

    /// The stack that values are pushed to outside of a call.
    package var main: OpaquePointer { unsafe pp_main(pointer) }

    /// Closes the state, now or when the last call has left it. Returns whether it was open.
    ///
    /// It is closed only once, because a closed state may soon be used for another patch.
    @discardableResult
    func close() -> Bool {
        guard !hasClosed.exchange(true, ordering: .relaxed) else { return false }
        unsafe pp_close(handle.patch)
        return true
    }

    /// Locks all instances, so that no call sees a change half done. Returns false if the version is gone.
    func lockInstances() -> Bool { unsafe pp_lock(handle) }

    /// Ends that, while this thread holds no other lock: objects of calls that have ended meanwhile may end now.
    func unlockInstances() { unsafe pp_unlock(handle.patch) }

    /// Leaves the state that `init` has entered.
    func unlock() { unsafe pp_leave_opened(pointer) }

    /// The bytes that the instances hold. 0 if the state is closed, because another patch may use it then.
    var memory: Int { isClosed ? 0 : unsafe Int(pp_memory(handle)) }
    /// The fuel that the last call in this state took; 0 if the state is closed.
    package var fuelUsed: Int { isClosed ? 0 : unsafe Int(pp_fuel_used(pointer)) }

    // MARK: for tests

    /// Refuses the n-th allocation of the script from now on, and all that follow. 0 refuses none.
    func refuseAllocation(_ n: Int) { unsafe pp_refuse_allocation(pointer, Int64(n)) }

    /// Counts as processor time that this thread has used.
    static func addProcessorTime(_ time: Duration) { pp_add_processor_time(UInt64(time.nanoseconds)) }

    /// Sets what is called when a call has found a layer that is no longer on its slot, before it looks again.
    static func whenStale(_ pause: (@convention(c) () -> Void)?) { pp_when_stale(pause) }

    /// How many calls that want to enter are in the queue for the patch.
    var queueLength: Int { unsafe Int(pp_queue_length(handle.patch)) }

    // MARK: layers

    /// The script's replacements, while it is open.
    package var layers: [Layer] {
        unsafe (0..<pp_layer_count(handle.patch)).compactMap {
            unsafe pp_layer_at(handle.patch, $0).map { unsafe Layer($0) }
        }
    }
}
