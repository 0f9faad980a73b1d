internal import CLuaBridge
package import PatchCrypto
internal import Synchronization

/// A patch's script: its Lua states, their values, and the names that it knows.
package final class ScriptState: LayerOwner {
    /// The first instance.
    package let lua: LuaState
    package let values: CallValues
    package let loader: ScriptLoader
    let names: NameTable
    private let host: HostInfo
    /// The classes that it knows.
    private let classes: [ExposedClass]
    private let isUsed = Atomic(false)
    private let opened = Atomic(false)
    /// The values and errors that answer when the script cannot, by the addresses of the layers.
    private let otherwise = Mutex<[UInt: Otherwise]>([:])
    /// Called for each line that runs.
    let onLine: (@Sendable (_ script: String, _ line: Int) -> Void)?

    /// Opens a sandbox. This thread holds its lock until `load`.
    ///
    /// - Parameters:
    ///   - scripts: The scripts, the entry first.
    ///   - seed: The seed of the script's random numbers.
    ///   - onLine: Called for each line that runs.
    ///   - libraries: The libraries of a test's own script, which has no limits; nil for a sandbox.
    package init(
        _ scripts: [PatchScript], limits: PatchLimits, host: HostInfo, names: NameTable, reports: PatchEventSink,
        seed: Int64, onLine: (@Sendable (_ script: String, _ line: Int) -> Void)? = nil,
        libraries: LuaLibraries? = nil
    ) throws(PatchError) {
        var given = pp_limits(limits)
        if let libraries {
            unsafe given.open_libraries = libraries.open
            given.string_bytes = 1 << 40
        }
        given.tells_lines = onLine != nil
        lua = try LuaState(in: names.pool, limits: given, host: HostCallbacks.table, seed: seed)
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

    /// Makes another instance for a call that found the others taken, and one for each waiting call. If one cannot load the
    /// script, calls take turns from then on.
    func makeInstances() {
        repeat {
            guard let another = LuaState(another: lua) else { return }
            do throws(PatchError) {
                try load(another)
            } catch {
                values.reports.hasOneInstance(error)
                return
            }
            if lua.instances == 2 { lua.closeIdleInTime() }
        } while lua.isWaitedFor
    }

    private func load(_ another: LuaState) throws(PatchError) {
        prepare(another, CallValues(limits: loader.limits, reports: values.reports, className: values.className))
        do throws(PatchError) {
            try loader.loadAgain(in: another, patch, host)
        } catch {
            another.drop(from: lua)
            throw error
        }
        try another.join(lua)
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
    package func load(isCompiled: Bool = false) throws(PatchError) {
        defer { lua.unlock() }
        try loader.run(patch, in: host, isCompiled: isCompiled)
        let layers = lua.layers.filter(\.hasOtherwise)
        guard !layers.isEmpty else { return }
        var found: [UInt: Otherwise] = [:]
        for layer in layers { found[layer.address] = try read(layer) }
        otherwise.locked { $0 = found }
    }

    /// Reads the script's `otherwise` for a layer; nil if there is no function of the layer's name.
    private func read(_ layer: Layer) throws(PatchError) -> Otherwise? {
        guard let slot = names.slot(layer.name) else { return nil }
        let stack = unsafe PatchStack(lua.main)
        let top = stack.top
        defer { stack.top = top }
        do throws(Slot.Mismatch) {
            return try slot.otherwise(on: stack, isError: layer.pushesOtherwise(), of: patch.id)
        } catch {
            let (script, line) = layer.place(in: lua)
            throw PatchError(
                .script, "`otherwise` of \(slot.name): \(error.description)",
                hint:
                    "its result is \(slot.signature.result)\(slot.signature.throws ? ", or give it host.error(…)" : "")",
                at: .init(file: script, line: line))
        }
    }

    /// Whether calls do not enter the script any more, because it has failed too often.
    package var isOpen: Bool { opened.load(ordering: .relaxed) }

    /// Prevents calls from entering the script from now on. Its `otherwise` answers, and the layers without one are taken off.
    ///
    /// - Returns: The names that `otherwise` answers. If there is none, nothing was done.
    func openBreaker() -> [String] {
        let layers = lua.layers
        let stays = layers.filter(\.hasOtherwise).map(\.name)
        guard !stays.isEmpty else { return [] }
        opened.store(true, ordering: .relaxed)
        lua.whileLocked {
            for layer in layers where !layer.hasOtherwise { names.slot(layer.name)?.remove(self) }
        }
        lua.openBreaker()
        return stays
    }

    /// Marks the script as activated. Returns whether this is the first time.
    func use() -> Bool { !isUsed.exchange(true, ordering: .relaxed) }

    /// Puts the replacements on their names, and takes an older patch off. No call enters the script meanwhile.
    func activate(replacing old: ScriptState?) {
        lua.whileLocked {
            let otherwise = otherwise.locked { $0 }
            for layer in lua.layers {
                names.slot(layer.name)?.push(layer, of: self, otherwise: otherwise[layer.address])
            }
            old?.unlink()
        }
        lua.letGrow()
        old?.close()
    }

    /// Takes the replacements off their names. The state is closed when the last call has left it.
    func deactivate() {
        lua.whileLocked { unlink() }
        close()
    }

    /// Closes the Lua state, now or when the last call has left it.
    package func close() { if lua.close() { values.forgetFunctions() } }

    private func unlink() { for layer in lua.layers { names.slot(layer.name)?.remove(self) } }
}

/// The libraries that a test's own script has instead of the sandbox.
@safe package struct LuaLibraries: Sendable {
    nonisolated(unsafe) let open: @convention(c) (OpaquePointer?) -> Void

    /// - Parameter open: Opens the libraries in a Lua state. It may raise a Lua error.
    package init(open: @escaping @convention(c) (OpaquePointer?) -> Void) { unsafe self.open = open }
}
