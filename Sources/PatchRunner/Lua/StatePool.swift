internal import CLuaBridge

/// The memory of a registry's Lua states.
@safe final class StatePool: Sendable {
    nonisolated(unsafe) let pool: OpaquePointer

    init() {
        guard let pool = unsafe pp_pool_make() else { fatalError("out of memory") }
        unsafe self.pool = pool
    }

    deinit { unsafe pp_pool_free(pool) }
}
