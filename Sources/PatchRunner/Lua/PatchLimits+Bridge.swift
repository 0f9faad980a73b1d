internal import CLuaBridge
internal import PatchText

extension PatchLimits {
    /// How deep tables may be nested: at most 200, because reading them recurses and a thread's stack is limited.
    var deepestTable: Int { min(tableDepth, 200) }
}

extension pp_limits {
    /// The limits within their smallest and largest values. Those of bytes leave room for the bridge's sums.
    init(_ limits: PatchLimits) {
        unsafe self.init(
            load_fuel: Int64(max(0, limits.loadFuel)), call_fuel: Int64(max(0, limits.callFuel)),
            soft_memory: Int64(min(max(0, limits.memoryBytes), 1 << 48)),
            hard_memory: Int64(min(max(0, limits.peakMemoryBytes), 1 << 48)),
            load_nanoseconds: limits.loadTime.nanoseconds,
            call_nanoseconds: limits.callTime.nanoseconds, lock_nanoseconds: limits.lockTime.nanoseconds,
            wait_nanoseconds: limits.waitTime.nanoseconds,
            stack_bytes: Int64(max(0, limits.stackBytes)),
            string_bytes: Int64(min(max(0, limits.stringBytes), 1 << 40)),
            table_elements: Int64(max(0, limits.tableElements)), table_depth: Int32(max(0, limits.deepestTable)),
            instructions_per_check: Int32(min(max(1, limits.instructionsPerCheck), 10_000)),
            original_calls: Int32(clamping: max(0, limits.originalCalls)),
            call_depth: Int32(min(max(1, limits.callDepth), 1000)),
            replacements: Int32(min(max(0, limits.replacements), 10_000)),
            waiting_calls: Int32(clamping: limits.waitingCalls),
            instances: Int32(min(max(1, limits.instances), Int(PP_INSTANCES))), open_libraries: nil, tells_lines: false)
    }
}
