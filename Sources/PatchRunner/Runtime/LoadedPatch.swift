public import PatchCrypto

/// A loaded patch, whose script has run and declared its replacements. The patch is not active until it is activated.
///
/// ``PatchRunner/load(_:)`` makes one. It is closed when nothing refers to it and it is not active.
public final class LoadedPatch: Sendable {
    /// The patch's manifest.
    public let manifest: Manifest
    /// The names that its script replaces.
    public let replaces: [String]
    /// The names of which the replacements have an `otherwise`.
    let protects: Set<String>
    package var isProtective: Bool { !protects.isEmpty }
    package let script: ScriptState
    let owner: PatchRunner.Identity

    /// Loads the script, and closes it if that fails.
    ///
    /// - Throws: As ``ScriptState/load(isCompiled:)``; `script` also if the script does not replace exactly what its
    ///   manifest lists, or replaces nothing, or a function that the app does not have.
    init(_ manifest: Manifest, script: ScriptState, owner: PatchRunner.Identity) throws(PatchError) {
        self.manifest = manifest
        self.script = script
        self.owner = owner
        do {
            try script.load()
            let replaced = script.replaced
            replaces = replaced.map(\.name)
            protects = Set(replaced.filter(\.layer.hasOtherwise).map(\.name))
            try checkReplacements()
        } catch {
            script.close()
            throw error
        }
    }

    deinit { script.close() }

    package var id: PatchID { manifest.patch }
    package var name: String { manifest.id }
    package var version: Int { manifest.version }

    /// Whether a replacement of it has failed too often, so that its script does not run for now: its `otherwise`
    /// answers, or what is below it.
    public var isBreakerOpen: Bool { script.reports.breaker.isOpen }

    /// The bytes that its script holds.
    package var memory: Int { script.lua.memory }

    /// Refuses the n-th allocation of the script from now on, and all that follow. 0 refuses none.
    package func refuseAllocation(_ n: Int) { script.lua.refuseAllocation(n) }

    private func checkReplacements() throws(PatchError) {
        for name in replaces {
            guard script.names.slot(name) != nil else {
                throw PatchError(
                    .script, "the script replaces \(name), which this app does not have",
                    hint: script.names.isEmpty
                        ? "the app has registered no functions"
                        : "the app has \(script.names.slots.map(\.name).joined(separator: ", "))")
            }
            guard manifest.replaces.contains(where: { $0.isByteEqual(to: name) }) else {
                throw PatchError(
                    .script, "the script replaces \(name), which its manifest does not list",
                    hint: "add `-- @replaces \(name)` to its head and pack it again")
            }
        }
        for name in manifest.replaces where !replaces.contains(where: { $0.isByteEqual(to: name) }) {
            throw PatchError(
                .script, "the manifest lists \(name), which the script does not replace",
                hint: script.names.slot(name) == nil
                    ? "the app has no such function" : "replace it, or remove it from the script's `@replaces`")
        }
        guard !replaces.isEmpty else {
            throw PatchError(
                .script, "the script replaces nothing", hint: "call patch.replace, or define functions after waxClass")
        }
    }
}
