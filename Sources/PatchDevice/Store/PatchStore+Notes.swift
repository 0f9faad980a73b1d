internal import PatchCrypto
internal import PatchRunner

// What patches have done, and are about to do, as the state notes it.
extension PatchStore {
    /// What a patch has done, and is not noted yet.
    enum Pending {
        case breakerOpened(PatchID, failures: Int)
        case scriptLoaded(_ hash: String, isProtective: Bool?)
    }

    /// What has happened since the last change of the state. The next one notes it, so that nothing is lost if the app
    /// ends, or if it cannot be written now.
    func takePending() -> [Pending] {
        pending.locked { pending in
            defer { pending = [] }
            return pending
        }
    }

    func note(_ pending: [Pending], in state: inout StoreState) -> [StoreState.Event] {
        let time = clock()
        var events: [StoreState.Event] = []
        for each in pending {
            switch each {
            case .scriptLoaded(let hash, let isProtective): state.noteLoaded(hash, isProtective: isProtective)
            case .breakerOpened(let patch, let failures):
                // While the breaker of a protective patch is open, its `otherwise` answers.
                guard state.held.contains(where: { $0.patch == patch && !$0.isProtective }) else { continue }
                events += state.fail(patch, "it failed \(failures.times)", limits: limits, at: time)
            }
        }
        return events
    }

    /// As ``update(_:)``, for a change that may open the launch's note. In the background the note stays closed,
    /// because the system ends such an app without notice.
    func record(_ body: (inout StoreState) -> Void) throws(PatchError) {
        try change(endsInBackground: true) { state in
            body(&state)
            return []
        }
    }

    /// Notes that a script was loaded, or could not be. If that cannot be written now, the next change does so: as long
    /// as its script is noted as loading, each crash is its fault.
    func noteLoaded(_ hash: String, isProtective: Bool?) {
        pending.locked { $0.append(.scriptLoaded(hash, isProtective: isProtective)) }
        try? record { _ in }
    }

    /// Notes that a patch of this launch could not run.
    func exclude(_ hash: String) {
        if !isReadOnly { try? update { $0.exclude(hash) } }
    }

    func fail(_ patch: PatchID, _ reason: String) {
        let time = clock()
        try? change { $0.fail(patch, reason, limits: limits, at: time) }
    }
}
