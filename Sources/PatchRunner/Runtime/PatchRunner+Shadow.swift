public import PatchCrypto

// Patches in shadow: they run beside what answers, and never answer.
extension PatchRunner {
    /// The patches in shadow.
    public var shadows: [LoadedPatch] { state.locked { $0.shadows } }

    /// Runs a patch in shadow: it never answers. For a sample of the calls of the functions that it replaces, its
    /// script runs after the call was answered, and ``RunnerEvent/Kind/compared(_:)`` reports what it would have
    /// changed.
    ///
    /// A patch in shadow with the same id ends. An active patch with the same id stays active.
    ///
    /// - Parameter patch: A patch that this runner has loaded and not activated.
    /// - Throws: As ``activate(_:)``; `policy` also if the same or a higher version of the patch is active.
    public func shadow(_ patch: LoadedPatch) throws(PatchError) { try shadow(patch) { true } }

    /// - Parameter mayRun: Called once, before the first run. Returns whether the script may run.
    package func shadow(_ patch: LoadedPatch, mayRun: @escaping @Sendable () -> Bool) throws(PatchError) {
        let ended = try begin(patch) { (leftovers) throws(PatchError) in
            if let active = activePatches.first(where: { $0.id == patch.name && $0.version >= patch.version }) {
                throw PatchError(
                    .policy, "version \(active.version) of \(patch.name) is active",
                    hint: "a shadow is of a higher version")
            }
            let old = state.locked { state in
                let old = state.shadows.takeAll { $0.name == patch.name }
                state.shadows.append(patch)
                return old
            }
            patch.script.beginShadow(&leftovers, mayRun)
            return old
        }
        for old in ended { old.script.endShadow() }
    }

    /// Ends the shadow of a patch. Its last counts are reported.
    ///
    /// - Parameter patch: A patch that this runner runs in shadow.
    /// - Returns: Whether it was in shadow.
    @discardableResult
    public func endShadow(_ patch: LoadedPatch) -> Bool { !endShadows { $0 === patch }.isEmpty }

    @discardableResult
    func endShadows(_ isMeant: (LoadedPatch) -> Bool) -> [LoadedPatch] {
        let ended = state.locked { $0.shadows.takeAll(isMeant) }
        for patch in ended { patch.script.endShadow() }
        return ended
    }

    /// Reports what the patches in shadow have counted since their last events.
    package func flushComparisons() {
        for patch in shadows { for shadow in patch.script.shadows { shadow.report() } }
    }
}
