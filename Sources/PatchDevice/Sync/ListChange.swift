internal import PatchCrypto
internal import PatchFeed

/// What a list changes on a device: the versions that no longer answer, and those that are in shadow.
struct ListChange {
    private let list: PatchList
    private let old: StoreState
    /// The choices that stop a version.
    private let refusals: [DeviceChoice]
    /// The versions that do not answer on this device, by the list.
    let refused: Set<PatchID>
    /// The versions that this device has in shadow, by the list.
    let shadows: Set<PatchID>
    /// The versions that answered until now, or would have in the next launch.
    private let ended: [StoreState.Held]
    /// `ended`, and the versions in shadow that the list no longer has there.
    private let removed: [StoreState.Held]

    init(_ list: PatchList, _ choices: [DeviceChoice], from old: StoreState) {
        self.list = list
        self.old = old
        let refusals = choices.filter { choice in
            // A version that is offered in shadow answers on no device.
            let isInShadow = choice.entry?.state == .shadow && choice.code != .disabled
            return isInShadow || [.withdrawn, .appVersion, .engine, .banned].contains(choice.code)
        }
        let refused = Set(refusals.map(\.patch))
        let shadows = Set(choices.filter { $0.code == .shadow }.map(\.patch))
        // A version in shadow that is offered now is held once it is activated.
        let kept = shadows.union(choices.filter { $0.code == .offered }.map(\.patch))
        self.refusals = refusals
        self.refused = refused
        self.shadows = shadows
        ended = old.held.filter { refused.contains($0.patch) }
        // While all patches are off, the list says nothing about shadows.
        removed = ended + (list.isEnabled ? old.shadows.filter { !kept.contains($0.patch) } : [])
    }

    func apply(to state: inout StoreState) {
        state.takeFeed(from: list)
        for held in removed { state.remove(held.hash) }
        state.shadow(ended.filter { shadows.contains($0.patch) }.map { ($0.patch, $0.hash) })
    }

    /// The withdrawn versions that the device had, with the operator's reason.
    ///
    /// - Parameter running: The versions that ran until now. Some are no longer held, because a newer one was
    ///   downloaded meanwhile.
    func withdrawals(running: Set<PatchID>) -> [(patch: PatchID, reason: String?)] {
        let known = running.union(removed.map(\.patch))
        return refusals.filter { $0.code == .withdrawn && known.contains($0.patch) }.map {
            ($0.patch, $0.entry?.reason)
        }
    }

    /// Why held versions do not run, if the state could not be written.
    var blockReasons: [(hash: String, code: PatchStatus.Code, reason: String)] {
        guard list.isEnabled else { return old.held.map { ($0.hash, .disabled, StatusResolver.disabled) } }
        return old.held.compactMap { held in
            guard let choice = refusals.first(where: { $0.patch == held.patch }) else { return nil }
            guard choice.code != .shadow else {
                return (held.hash, .unwritable, "it is offered in shadow, which could not be recorded")
            }
            let outcome = SyncReport.Outcome(choice.code)
            guard let code = PatchStatus.Code(rawValue: outcome.rawValue) else { return nil }
            let detail = code == .withdrawn ? choice.entry?.reason : nil
            return (held.hash, code, outcome.explanation(detail))
        }
    }
}

extension DeviceChoice {
    var patch: PatchID { PatchID(id: id, version: version) }
}
