internal import CLuaBridge
package import PatchCrypto
internal import PatchText
internal import Synchronization

/// A patch's script: its Lua states, their values, and the names that it knows.
package final class ScriptState: LayerOwner {
    /// The first instance.
    package let lua: LuaState
    package let values: CallValues
    package let loader: ScriptLoader
    let names: NameTable
    private let host: HostInfo
    private let classes: [ExposedClass]
    private let isUsed = Atomic(false)
    /// The processor time of the first load, in nanoseconds.
    private let loadTime = Atomic<Int64>(0)
    /// What it replaces, once it has loaded. The bridge's own names end when the last call has left.
    private let replacements = Mutex<[Replacement]>([])

    /// A name that the script replaces.
    package struct Replacement: Sendable {
        package let name: String
        package let layer: Layer
        /// The answer in its place when the script cannot answer; nil if the script gives none.
        let otherwise: Otherwise?
    }

    /// Whether the script may run in shadow.
    private enum Permission {
        case given, refused
        /// This is asked before the first run.
        case unasked(@Sendable () -> Bool)
    }
    private let permission = Mutex(Permission.given)

    let onLine: (@Sendable (_ script: String, _ line: Int) -> Void)?

    /// Opens a sandbox. This thread holds its lock until `load`.
    ///
    /// - Parameters:
    ///   - scripts: The scripts, the entry first.
    ///   - libraries: The libraries of a test's own script, which has no limits; nil for a sandbox.
    /// - Throws: `unavailable` if there is not enough memory, or if the program has another Lua.
    package init(
        _ scripts: [PatchScript], limits: PatchLimits, host: HostInfo, names: NameTable, reports: PatchEventSink,
        seed: Int64, onLine: (@Sendable (_ script: String, _ line: Int) -> Void)? = nil,
        libraries: LuaLibraries? = nil
    ) throws(PatchError) {
        var given = pp_limits(limits)
        if let libraries {
            unsafe given.open_libraries = libraries.open
            given.string_bytes = 1 << 40  // more than any string has
        }
        given.tells_lines = onLine != nil
        lua = try LuaState(
            in: names.pool, of: reports.patch.id, limits: given, host: HostCallbacks.table, seed: seed)
        values = CallValues(limits: limits, reports: reports) { [names] in names.className(of: $0) }
        loader = ScriptLoader(lua: lua, scripts: scripts, limits: limits)
        self.names = names
        self.host = host
        self.onLine = onLine
        classes = names.classes
        prepare(lua, values)
    }

    /// Gives a state its context, and the methods of classes.
    private func prepare(_ lua: LuaState, _ values: CallValues) {
        unsafe pp_set_context(lua.pointer, values.keep(for: self))
        for (classIndex, exposed) in classes.enumerated() {
            for (index, method) in exposed.methods.enumerated() {
                unsafe pp_add_method(lua.main, exposed.name, method.name, Int32(classIndex), Int32(index))
            }
        }
    }

    /// Makes another instance for a call of this thread that found the others taken, unless the version is gone. If it
    /// cannot load the script, calls take turns.
    func makeInstance() {
        guard let another = LuaState(another: lua) else { return }
        prepare(another, CallValues(limits: limits, reports: reports, className: values.className))
        do throws(PatchError) {
            try ScriptLoader(lua: another, scripts: loader.scripts, limits: limits).run(patch, in: host)
        } catch {
            another.drop(forGood: !error.isCircumstance)
            return reports.reportTurns(because: error)
        }
        do throws(PatchError) { try another.join() } catch { reports.reportTurns(because: error) }
    }

    /// Why no call makes another instance: the script takes longer to load than a call may take. nil if that is not so,
    /// or if the limits allow only one instance.
    var whyAlone: PatchError? {
        let time = loadTime.load(ordering: .relaxed)
        guard limits.instances > 1, time > limits.callTime.nanoseconds else { return nil }
        return PatchError(
            .scriptLimit, "the script takes \(time / 1_000_000) ms to load, which is longer than a call may take")
    }

    /// The script for which a callback of the bridge was called.
    static func at(_ context: UnsafeMutableRawPointer?) -> ScriptState {
        guard let owner = unsafe CallValues.at(context).owner else { fatalError("a closed script was called") }
        return unsafe unsafeDowncast(owner, to: ScriptState.self)
    }

    var reports: PatchEventSink { values.reports }
    var patch: PatchID { reports.patch }

    /// Runs the entry script, which declares its replacements, and releases the lock.
    ///
    /// - Parameter isCompiled: Whether its function is on top of the stack.
    /// - Throws: `script` if it does not compile or fails, or gives an `otherwise` that does not fit; `script-limit` if
    ///   it runs past a limit, or the thread has too little stack left.
    package func load(isCompiled: Bool = false) throws(PatchError) {
        defer { lua.unlock() }
        let begin = pp_cpu_nanoseconds()
        try loader.run(patch, in: host, isCompiled: isCompiled)
        loadTime.store(Int64(clamping: pp_cpu_nanoseconds() - begin), ordering: .relaxed)
        let found = try lua.layers.map { (layer) throws(PatchError) in
            Replacement(name: layer.name, layer: layer, otherwise: layer.hasOtherwise ? try read(layer) : nil)
        }
        replacements.locked { $0 = found }
    }

    /// Reads the script's `otherwise` for a layer; nil if there is no function of the layer's name.
    ///
    /// - Throws: `script` if the function cannot end in this way.
    private func read(_ layer: Layer) throws(PatchError) -> Otherwise? {
        guard let slot = names.slot(layer.name) else { return nil }
        let stack = unsafe _PatchStack(lua.main)
        let top = stack.top
        defer { stack.top = top }
        do throws(Slot.Mismatch) {
            return try slot.otherwise(on: stack, isError: layer.pushOtherwise(), of: patch)
        } catch {
            throw PatchError(
                .script, "`otherwise` of \(slot.name): \(error.description)",
                hint:
                    "its result is \(slot.signature.resultType)\(slot.signature.isThrowing ? ", or give it host.error(…)" : "")",
                at: layer.place(in: lua).map { .init(file: $0.script, line: $0.line) })
        }
    }

    /// Lets calls enter a replacement, or not, as its breaker has it now. One without an `otherwise` is not met by
    /// calls during a pause, and is put back after it.
    func followBreaker(_ function: String) {
        guard let end = names.slot(function)?.layers.locked({ $0.follow(self) }), end != Breaker.never else { return }
        Task.detached(priority: .utility) { [weak self, uptime = reports.breaker.uptime] in
            try? await uptime.sleep(end)
            self?.followBreaker(function)
        }
    }

    /// Marks the script as activated. Returns whether this is the first time.
    func use() -> Bool { !isUsed.exchange(true, ordering: .relaxed) }

    /// Puts the replacements on their names, in the places of an older version. No call enters the script meanwhile.
    func activate(replacing old: ScriptState?, _ leftovers: inout Leftovers) {
        leftovers.lock(lua)
        for each in replaced {
            leftovers.keep(
                names.slot(each.name)?.put(each.layer, of: self, replacing: old, otherwise: each.otherwise))
        }
        old?.unlink()  // the names that only the older version replaces
        if whyAlone == nil { leftovers.letGrow(lua) }
        if let old { leftovers.close(old) }
    }

    /// Lets the script run in shadow of the functions that it replaces, and call nothing of the app.
    ///
    /// - Parameter mayRun: Called once, before the first run. Returns whether the script may run.
    func beginShadow(_ leftovers: inout Leftovers, _ mayRun: @escaping @Sendable () -> Bool) {
        permission.locked { $0 = .unasked(mayRun) }
        leftovers.lock(lua)
        unsafe withUnsafePointer(to: HostCallbacks.shadowTable) { unsafe pp_set_host(lua.pointer, $0) }
        for each in replaced {
            names.slot(each.name)?.layers.locked { $0.put(Shadow(each.layer, of: self, function: each.name)) }
        }
    }

    /// Ends that, and reports the last counts. The state is closed when the last run has left it.
    func endShadow() {
        let shadows = shadows
        var leftovers = Leftovers()
        leftovers.lock(lua)
        for each in replaced { names.slot(each.name)?.layers.locked { $0.removeShadow(of: self) } }
        leftovers.end()
        for shadow in shadows { shadow.report() }
        close()
    }

    var shadows: [Shadow] {
        replaced.compactMap { each in names.slot(each.name)?.shadows.first { $0.runner === self } }
    }

    /// Takes the replacements off their names. The state is closed when the last call has left it.
    func deactivate(_ leftovers: inout Leftovers) {
        leftovers.lock(lua)
        unlink()
        leftovers.close(self)
    }

    var isClosed: Bool { lua.isClosed }

    package func close() { if lua.close() { values.forgetFunctions() } }

    private func unlink() { for each in replaced { names.slot(each.name)?.layers.locked { $0.remove(self) } } }

    package var replaced: [Replacement] { replacements.locked { $0 } }
}

extension ScriptState: ShadowRunner {
    var limits: PatchLimits { loader.limits }
    var fieldNames: Set<String> { Set(names.structs.flatMap { $0.fields.map(\.name) }) }

    func run(_ shadow: Shadow, beside call: AnsweredCall) {
        guard askPermission(), let slot = names.slot(shadow.function) else { return }
        ShadowRun(shadow, beside: call, of: slot).run()
    }

    /// Returns whether the script may run. It asks once, while no lock is held. There are no other runs until the
    /// answer is known.
    private func askPermission() -> Bool {
        let before = permission.locked { permission in
            let before = permission
            if case .unasked = permission { permission = .refused }
            return before
        }
        switch before {
        case .given: return true
        case .refused: return false
        case .unasked(let ask):
            let answer = ask()
            permission.locked { $0 = answer ? .given : .refused }
            return answer
        }
    }
}

/// The libraries that a test's own script has instead of the sandbox.
@safe package struct LuaLibraries: Sendable {
    nonisolated(unsafe) let open: @convention(c) (OpaquePointer?) -> Void

    /// - Parameter open: Opens the libraries in a Lua state. It may raise a Lua error.
    package init(open: @escaping @convention(c) (OpaquePointer?) -> Void) { unsafe self.open = open }
}
