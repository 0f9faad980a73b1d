internal import CLuaBridge
internal import PatchCrypto
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

/// A patch's Lua state and what belongs to it on this side.
///
/// The bridge keeps it from `init` until the Lua state is closed, which may be after `close`: a call may be in it.
@safe final class ScriptState: Sendable {
    let patch: PatchEvent.Patch
    let limits: PatchLimits
    let scripts: [PatchScript]
    let host: HostInfo
    let names: NameTable
    let events: @Sendable (PatchEvent) -> Void
    let breaker: Breaker
    let lines: PatchSpec.LineCounts?
    private let pool: StatePool
    private let isUsed = Atomic(false)
    private let isClosed = Atomic(false)
    nonisolated(unsafe) let state: OpaquePointer

    private let calls = Mutex(Calls())

    private struct ObjectOfCall: Hashable {
        let call: Int64
        let object: ObjectIdentifier
    }

    /// What belongs to the calls that run.
    private struct Calls {
        /// Why a value could not be read, where that is not its type; and why one could not be pushed.
        var readFault: String?
        var pushFault: String?
        /// How many tables the one that is being read lies in, and the elements of all of them.
        var depth = 0
        var elements = 0
        var bytes = 0
        /// Whether who reads wants to know what is wrong.
        var explains = false
        /// What scripts know by number, and the numbers that belong to each call. A number is never used again.
        var lastNumber: Int64 = 0
        var objects: [Int64: any PatchObject] = [:]
        var errors: [Int64: any Error] = [:]
        var numbers: [Int64: [Int64]] = [:]
        var numberOfObject: [ObjectOfCall: Int64] = [:]
        /// A spec's functions, and the tables of it that stand for objects.
        var functions: [@Sendable (PatchStack) -> Int32] = []
        var specObjects: [UInt: SpecObject] = [:]
        /// When the minute of the log began, and what it has got since.
        var logBegan: UInt64 = 0
        var logBytes = 0

        /// A number for something that belongs to a call.
        mutating func number(for call: Int64) -> Int64 {
            lastNumber += 1
            numbers[call, default: []].append(lastNumber)
            return lastNumber
        }

        /// Whether the elements of the table that is read are within the limit; else `readFault` says that they are not.
        mutating func hasElements(upTo limit: Int) -> Bool {
            guard elements > limit else { return true }
            readFault = "tables of more than \(limit) elements"
            return false
        }
    }

    /// Makes a state with the sandbox in it; this thread has its lock until `load()`.
    init(
        patch: PatchEvent.Patch, limits: PatchLimits, scripts: [PatchScript], host: HostInfo, names: NameTable,
        breaker: Breaker,
        events: @escaping @Sendable (PatchEvent) -> Void, seed: Int64, lines: PatchSpec.LineCounts? = nil,
        isFree: Bool = false
    ) throws(PatchError) {
        self.patch = patch
        self.limits = limits
        self.scripts = scripts
        self.host = host
        self.names = names
        self.events = events
        self.breaker = breaker
        pool = names.pool
        self.lines = lines
        var limits = pp_limits(limits)
        limits.is_free = isFree
        if isFree { limits.string_bytes = 1 << 40 }
        limits.tells_lines = lines != nil
        guard
            let state = unsafe withUnsafePointer(
                to: HostCallbacks.table, { unsafe pp_open(names.pool.pool, &limits, $0, seed) })
        else {
            throw PatchError(.internal, "no memory for a Lua state")
        }
        unsafe self.state = state
        unsafe pp_set_context(state, Unmanaged.passRetained(self).toOpaque())
        for (classIndex, exposed) in names.classes.enumerated() {
            for (index, method) in exposed.methods.enumerated() {
                unsafe pp_add_method(pp_main(state), exposed.name, method.name, Int32(classIndex), Int32(index))
            }
        }
    }

    /// The script state that a callback of the bridge is for.
    static func at(_ context: UnsafeMutableRawPointer?) -> ScriptState {
        guard let context = unsafe context else { fatalError("a Lua state without its script") }
        return unsafe Unmanaged<ScriptState>.fromOpaque(context).takeUnretainedValue()
    }

    /// Closes the Lua state, now or when the last call has left it.
    ///
    /// Once: what is closed is soon another patch's.
    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        unsafe pp_close(state)
        calls.locked { calls in
            calls.functions = []
            calls.specObjects = [:]
        }
    }

    /// The bridge is done with this object.
    func closed() { unsafe Unmanaged.passUnretained(self).release() }

    // MARK: loading

    /// Runs the entry script, which says what it replaces; gives the lock back.
    func load() throws(PatchError) {
        defer { unsafe pp_unlock(state) }
        guard unsafe pp_has_stack(state) else {
            throw PatchError(
                .scriptLimit, "the thread that loads it has less than \(limits.stackBytes) bytes of stack left",
                hint: "load it on a thread with a larger stack")
        }
        unsafe pp_begin_loading(state)
        let stack = unsafe PatchStack(pp_main(state))
        for (field, value) in [("id", patch.id), ("app", host.app), ("appVersion", host.version.description)] {
            stack.push(text: value)
            unsafe pp_set_field(pp_main(state), "patch", field)
        }
        stack.push(Int64(patch.version))
        unsafe pp_set_field(pp_main(state), "patch", "version")
        var fault = unsafe pp_fault()
        guard compile(scripts[0], on: stack) else {
            unsafe pp_fault_of(stack.state, &fault)
            guard unsafe fault.kill == 0 else {
                throw PatchError(.scriptLimit, unsafe PatchEvent.Failure(fault, stack: stack).message)
            }
            throw Self.syntaxError(in: scripts[0], stack.text(at: -1))
        }
        guard unsafe pp_run_script(state, &fault) else { throw unsafe PatchEvent.Failure(fault, stack: stack).error }
    }

    /// Compiles a script; leaves a function, or a message.
    func compile(_ script: PatchScript, on stack: PatchStack) -> Bool {
        guard script.bytes.count <= limits.sourceBytes else {
            stack.push("\(script.name) has \(script.bytes.count) bytes, and \(limits.sourceBytes) are allowed")
            return false
        }
        if let fault = SourceScan.fault(in: script.bytes) {
            stack.push("\(script.name):\(fault.line): \(fault.message)")
            return false
        }
        return unsafe script.bytes.withUnsafeBytes {
            unsafe pp_compile(
                stack.state, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, script.name)
        }
    }

    /// The error for a script that does not compile.
    ///
    /// - Parameter message: Lua's, which begins with the script's name and the line.
    static func syntaxError(in script: PatchScript, _ message: String) -> PatchError {
        let fields = message.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        // Of a long name Lua shows the end, after three dots.
        guard fields.count == 3, let line = Int(fields[1]), fields[2].first == " ",
            fields[0] == script.name || fields[0].hasPrefix("...") && script.name.hasSuffix(fields[0].dropFirst(3))
        else { return PatchError(.script, message, hint: "correct the script") }
        return PatchError(
            .script, String(fields[2].dropFirst()), hint: "correct the script", at: .init(file: script.name, line: line)
        )
    }

    /// What the script replaces: names and where their functions begin.
    @unsafe struct Replacement {
        let name: String
        let layer: OpaquePointer
    }

    var replacements: [Replacement] {
        let count = unsafe pp_layer_count(state)
        return unsafe (0..<count).compactMap { index in
            guard let layer = unsafe pp_layer_at(state, index) else { return nil }
            return unsafe Replacement(name: String(cString: pp_layer_name(layer)), layer: layer)
        }
    }

    /// What Lua makes of a script; nil if it makes something that this library cannot read.
    ///
    /// - Throws: `script` if it does not compile.
    func chunk(of script: PatchScript) throws(PatchError) -> Chunk? {
        let stack = unsafe PatchStack(pp_main(state))
        defer { stack.pop() }
        unsafe pp_begin_loading(state)
        guard compile(script, on: stack) else { throw Self.syntaxError(in: script, stack.text(at: -1)) }
        return dump(stack)
    }

    /// What Lua made of a replacement's function.
    func chunk(of replacement: Replacement) -> Chunk? {
        let stack = unsafe PatchStack(pp_main(state))
        unsafe pp_push_function(stack.state, replacement.layer)
        defer { stack.pop() }
        return dump(stack)
    }

    /// The script and the line on which a replacement's function begins.
    func place(of replacement: Replacement) -> (script: String, line: Int) {
        var name: UnsafePointer<CChar>?
        let line = unsafe pp_layer_line(replacement.layer, &name)
        return unsafe (name.map { unsafe String(cString: $0) } ?? "", Int(line))
    }

    private func dump(_ stack: PatchStack) -> Chunk? {
        var bytes: [UInt8] = []
        unsafe withUnsafeMutablePointer(to: &bytes) {
            unsafe pp_dump(
                stack.state,
                { context, piece, count in
                    unsafe context?.assumingMemoryBound(to: [UInt8].self).pointee
                        .append(contentsOf: UnsafeRawBufferPointer(start: piece, count: count))
                }, $0)
        }
        return Chunk(dumped: bytes)
    }

    // MARK: standing

    /// Whether this is the first time that the script is to stand.
    func use() -> Bool { !isUsed.exchange(true, ordering: .relaxed) }

    /// Puts the replacements on their names, and takes an older patch off. No call enters while that is done.
    func install(replacing old: ScriptState?) {
        let isLocked = unsafe pp_lock(state)
        unsafe replacements.forEach {
            unsafe names.slot($0.name)?.push(.init(script: self, pointer: $0.layer))
        }
        old?.unlink()
        if isLocked { unsafe pp_unlock(state) }
        old?.close()
    }

    /// Takes the replacements off, and closes the state when the last call has left it.
    func uninstall() {
        let isLocked = unsafe pp_lock(state)
        unlink()
        if isLocked { unsafe pp_unlock(state) }
        close()
    }

    /// Bytes that the script holds; 0 once it is closed, and its memory somebody else's.
    var memory: Int { isClosed.load(ordering: .relaxed) ? 0 : unsafe Int(pp_memory(state)) }
    /// Fuel that the last call used.
    var fuelUsed: Int { isClosed.load(ordering: .relaxed) ? 0 : unsafe Int(pp_fuel_used(state)) }
    /// From now on the n-th allocation of the script fails; 0 for none.
    func refuseAllocation(_ n: Int) { unsafe pp_refuse_allocation(state, Int64(n)) }

    private func unlink() { for slot in names.slots { slot.remove(self) } }

    // MARK: values

    /// Says why a value cannot be read, where that is not its type.
    func refuseRead(_ message: String) { calls.locked { $0.readFault = message } }
    /// Says why a value cannot be pushed.
    func refusePush(_ message: String) { calls.locked { $0.pushFault = message } }

    func takeReadFault() -> String? { calls.locked { $0.readFault.take() } }
    func takePushFault() -> String? { calls.locked { $0.pushFault.take() } }

    /// Whether a table of an answer is within the limits; else `readFault` says why not.
    func enterTable(elements: Int) -> Bool {
        calls.locked { calls in
            if calls.depth == 0 { (calls.elements, calls.bytes) = (0, 0) }
            guard calls.depth < limits.deepestTable else {
                calls.readFault = "tables nested more than \(limits.deepestTable) deep"
                return false
            }
            calls.elements = calls.elements.addingOrMost(elements)
            guard calls.hasElements(upTo: limits.tableElements) else { return false }
            calls.depth += 1
            return true
        }
    }

    /// Whether one more element, or a string's bytes, are within the limits of the table that is read.
    func count(elements: Int, bytes: Int) -> Bool {
        calls.locked { calls in
            guard calls.depth > 0 else { return true }
            calls.elements = calls.elements.addingOrMost(elements)
            calls.bytes = calls.bytes.addingOrMost(bytes)
            guard calls.hasElements(upTo: limits.tableElements) else { return false }
            guard calls.bytes <= limits.peakMemory else {
                calls.readFault = "strings of more than \(limits.peakMemory) bytes"
                return false
            }
            return true
        }
    }

    var explains: Bool { calls.locked { $0.explains } }
    /// Sets whether who reads wants to know what is wrong; returns what was set.
    func explain(_ explains: Bool) -> Bool {
        calls.locked { calls in
            defer { calls.explains = explains }
            return calls.explains
        }
    }

    func leaveTable() { calls.locked { $0.depth -= 1 } }

    var functions: [@Sendable (PatchStack) -> Int32] { calls.locked { $0.functions } }

    /// Adds a function, and returns its number.
    func addFunction(_ body: @escaping @Sendable (PatchStack) -> Int32) -> Int {
        calls.locked { calls in
            calls.functions.append(body)
            return calls.functions.count - 1
        }
    }

    func addObject(_ object: SpecObject, _ table: UInt) { calls.locked { $0.specObjects[table] = object } }
    func object(at table: UInt) -> SpecObject? { calls.locked { $0.specObjects[table] } }

    /// Keeps an object for a call, and returns the number that a script knows it by.
    func keep(_ object: any PatchObject, for call: Int64) -> Int64 {
        calls.locked { calls in
            let key = ObjectOfCall(call: call, object: ObjectIdentifier(object))
            if let known = calls.numberOfObject[key] { return known }
            let number = calls.number(for: call)
            calls.numberOfObject[key] = number
            calls.objects[number] = object
            return number
        }
    }

    /// Keeps an error for a call, and returns the number that a script knows it by.
    func keep(_ error: any Error, for call: Int64) -> Int64 {
        calls.locked { calls in
            let number = calls.number(for: call)
            calls.errors[number] = error
            return number
        }
    }

    func object(_ number: Int64) -> (any PatchObject)? { calls.locked { $0.objects[number] } }
    func error(_ number: Int64) -> (any Error)? { calls.locked { $0.errors[number] } }

    /// A call has ended: its objects and errors go, and the numbers that a script has kept mean nothing.
    func callEnded(_ call: Int64) {
        let ended = calls.locked { calls -> ([any PatchObject], [any Error]) in
            let numbers = calls.numbers.removeValue(forKey: call) ?? []
            let objects = numbers.compactMap { calls.objects.removeValue(forKey: $0) }
            for object in objects { calls.numberOfObject[.init(call: call, object: ObjectIdentifier(object))] = nil }
            return (objects, numbers.compactMap { calls.errors.removeValue(forKey: $0) })
        }
        withExtendedLifetime(ended) {}  // their deinit may call anything
    }

    // MARK: reports

    /// Reports a failure, which may be the one that takes the patch out.
    func report(_ failure: PatchEvent.Failure, of function: String) {
        events(.failed(patch, function: function, failure))
        breaker.count(at: pp_nanoseconds())
    }

    /// Hands a line of the script's to the host, up to the limit of a minute.
    func log(_ level: PatchEvent.LogLevel, _ text: UnsafeBufferPointer<UInt8>, on stack: PatchStack) {
        let now = pp_nanoseconds()
        let limit = max(0, limits.logBytesPerMinute)
        let (before, after) = calls.locked { calls in
            if calls.logBegan == 0 || now - calls.logBegan >= 60_000_000_000 {
                calls.logBegan = now
                calls.logBytes = 0
            }
            let before = calls.logBytes
            calls.logBytes = before.addingOrMost(text.count).addingOrMost(1)
            return (before, calls.logBytes)
        }
        guard before <= limit else { return }
        let line =
            after <= limit
            ? unsafe String(decoding: text, as: UTF8.self)
            : "more than \(limit) bytes logged in a minute; the rest of it is dropped"
        stack.hostBegins()
        events(.log(patch, after <= limit ? level : .warn, line))
        stack.hostEnds()
    }
}

extension Int {
    /// The sum of two counts, or the largest number.
    func addingOrMost(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension PatchLimits {
    /// Readers of tables call each other, and a thread's stack ends.
    var deepestTable: Int { min(tableDepth, 200) }
}

extension pp_limits {
    init(_ limits: PatchLimits) {
        self.init(
            load_fuel: Int64(max(0, limits.loadFuel)), call_fuel: Int64(max(0, limits.callFuel)),
            soft_memory: Int64(min(max(0, limits.memory), 1 << 48)),
            hard_memory: Int64(min(max(0, limits.peakMemory), 1 << 48)), load_nanoseconds: limits.loadTime.nanoseconds,
            call_nanoseconds: limits.callTime.nanoseconds, lock_nanoseconds: limits.lockTime.nanoseconds,
            stack_bytes: Int64(max(0, limits.stackBytes)),
            string_bytes: Int64(min(max(0, limits.stringBytes), 1 << 40)),
            instructions_per_check: Int32(min(max(1, limits.instructionsPerCheck), 10_000)),
            original_calls: Int32(clamping: limits.originalCalls),
            call_depth: Int32(min(max(1, limits.callDepth), 1000)),
            replacements: Int32(min(max(0, limits.replacements), 10_000)),
            waiting_calls: Int32(clamping: limits.waitingCalls), is_free: false, tells_lines: false)
    }
}

extension Duration {
    /// Whole nanoseconds, from 0 to 146 years: twice as much is a number too.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return seconds < Int64.max / 2_000_000_000
            ? seconds * 1_000_000_000 + attoseconds / 1_000_000_000 : .max / 2
    }
}
