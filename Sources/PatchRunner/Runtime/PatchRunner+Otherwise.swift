package import PatchCrypto

// Closed patches: of these, only the `otherwise` answers.
extension PatchRunner {
    /// The patches of which only the `otherwise` answers.
    package var closed: [LoadedPatch] { state.locked { $0.closed } }
    /// Their ids. They are read without a reference to a patch, which may be the last one.
    package var closedPatches: [PatchID] { state.locked { $0.closed.map(\.id) } }

    /// Activates only the `otherwise` of a patch. Its functions never run, and those without an `otherwise` are not
    /// replaced.
    ///
    /// It takes the place of a patch with the same id and the same or a higher version. A lower version stays active,
    /// and answers for the other functions.
    ///
    /// - Parameter patch: A patch that this runner has loaded and not activated.
    package func activateOtherwise(of patch: LoadedPatch) {
        var leftovers = Leftovers()
        let ended = registry.names.whileChanging {
            let (active, closed) = state.locked { state in
                let closed = state.closed.takeAll { $0.name == patch.name }
                let active = state.active.takeAll { $0.name == patch.name && $0.version >= patch.version }
                state.closed.append(patch)
                return (active, closed)
            }
            patch.script.reports.breaker.open()
            let old = active + closed
            patch.script.activate(replacing: old.first?.script, &leftovers)
            for other in old.dropFirst() { other.script.deactivate(&leftovers) }
            leftovers.keep(closed)
            return active
        }
        leftovers.end()
        for patch in ended { tell(.deactivated(.init(patch.script.patch))) }
    }

    /// Ends patches of which only the `otherwise` is active.
    package func endOtherwise(_ isMeant: (LoadedPatch) -> Bool) {
        var leftovers = Leftovers()
        registry.names.whileChanging {
            let ended = state.locked { $0.closed.takeAll(isMeant) }
            leftovers.keep(ended)
            for patch in ended { patch.script.deactivate(&leftovers) }
        }
        leftovers.end()
    }
}
