internal import PatchCrypto

/// Finds out why each version of each patch runs or not.
struct StatusResolver {
    let state: StoreState
    /// The patches that run in this process; nil before its launch, and if no patch ever runs in it, as in a tool.
    let running: Set<PatchID>?
    let shadows: Set<PatchID>
    /// The running patches of which a function has failed too often, so that it is skipped.
    let open: Set<PatchID>
    /// The hashes of the patches that have failed in this launch.
    let failed: Set<String>
    let blockReasons: [String: BlockReason]
    let limits: CrashLimits
    /// Why the device's folder cannot be written; nil if it can.
    let fault: PatchError?
    let role: DeviceRole
    /// When the process that this one follows has synced, in words; empty if it follows none.
    let lastSync: String

    /// Sorted by id, the highest version first.
    var statuses: [PatchStatus] {
        let known = Set(state.stored.map(\.patch) + state.bans.map(\.patch)).union(state.outcomes.keys)
            .union(running ?? [])
        return known.sorted(by: PatchID.precedes).map(status)
    }

    static let disabled = "the feed has switched all patches off"
    private static let superseded = (PatchStatus.Code.superseded, "a higher version is for this device")

    private func status(of patch: PatchID) -> PatchStatus {
        let isActive = running?.contains(patch) ?? false
        let (code, why) = isActive ? whyRunning(patch) : whyNotRunning(patch)
        var reason = why
        if !isActive, isBroken(patch) { reason += "; it has failed too often in this launch" }
        if !isActive, let other = running?.first(where: { $0.id == patch.id }) {
            let place =
                switch code {
                case .closed: "answers for its other functions"
                case .shadow: "answers"
                default: "runs in its place"
                }
            reason += "; version \(other.version) \(place)"
        }
        return PatchStatus(id: patch.id, version: patch.version, code: code, isActive: isActive, reason: reason)
    }

    /// Whether the patch's breaker has opened. A patch whose script did not load is refused instead.
    private func isBroken(_ patch: PatchID) -> Bool {
        guard let hash = state.held.first(where: { $0.patch == patch })?.hash else { return false }
        return failed.contains(hash) && blockReasons[hash] == nil
    }

    private func whyRunning(_ patch: PatchID) -> (PatchStatus.Code, String) {
        guard let held = state.held.first(where: { $0.patch == patch }) else {
            return (.superseded, "it is no longer held, and runs until the app ends")
        }
        let (code, reason) = recorded(held)
        return (code, skipped(patch) + reason)
    }

    private func skipped(_ patch: PatchID) -> String {
        open.contains(patch) ? "it has failed too often, so it is skipped for now; " : ""
    }

    private func whyNotRunning(_ patch: PatchID) -> (PatchStatus.Code, String) {
        if let held = state.stored.first(where: { $0.patch == patch }) { return whyNotRunning(held) }
        if let ban = state.bans.last(where: { $0.patch == patch }) {
            let moment = ban.time.map { " at \($0)" } ?? ""
            return (.banned, "it was banned on this device\(moment): \(ban.reason)")
        }
        return lastOutcome(patch) ?? (.unknown, "no reason was reported by the last sync")
    }

    /// Why the last sync left it out; nil if it did not.
    private func lastOutcome(_ patch: PatchID) -> (PatchStatus.Code, String)? {
        guard let noted = state.outcomes[patch], let code = PatchStatus.Code(rawValue: noted.code),
            let outcome = SyncReport.Outcome(rawValue: noted.code)
        else { return nil }
        return (code, outcome.explanation(noted.reason))
    }

    private func whyNotRunning(_ held: StoreState.Held) -> (PatchStatus.Code, String) {
        if !state.isEnabled { return (.disabled, Self.disabled) }
        switch blockReasons[held.hash] {
        case .refused(let error): return (.refused, "\(error.code): \(error.message)")
        case .postponed(let error):
            let moment = "at the next launch, and at the next sync if it need not wait for a launch"
            return (.postponed, "it is tried again \(moment): \(error.message)")
        case .expired(let error): return (.expired, error.message)
        case .notApplicable(let error, let code): return (code, error.message)
        case .waiting(let names): return (.waiting, PatchEvent.missing(names))
        case .banned(let reason): return (.banned, "this process has banned it, and could not record that: \(reason)")
        case nil: break
        }
        if held.isClosed {
            // A version above it ends its `otherwise`, too.
            let others = running ?? Set(state.runnable.map(\.patch))
            let isBelow = others.contains { $0.id == held.patch.id && $0.version > held.patch.version }
            return isBelow ? Self.superseded : closed(held)
        }
        if held.stage == .shadow { return shadow(held) }
        if let neverConfirmed = neverConfirmed(held) { return neverConfirmed }
        if held.isSuspended {
            return (.safeMode, "launches failed with it and other good ones; the app runs without them")
        }
        if held.stage != .suspect, state.held.first(where: { $0.patch.id == held.patch.id })?.patch != held.patch,
            state.runnable.contains(where: { $0.patch.id == held.patch.id && $0.patch.version > held.patch.version })
        {
            return Self.superseded
        }
        guard running != nil else { return lastOutcome(held.patch) ?? recorded(held) }
        if held.stage != .good, role == .reader {
            return (.reader, "this process only reads the device's folder, so it runs good patches only")
        }
        if held.stage != .good, role == .follower {
            return (.follower, "another process tries it, and this one runs good patches; \(lastSync)")
        }
        if held.stage != .good, let fault { return (.unwritable, PatchStatus.unwritable(fault)) }
        return held.stage == .good ? (.nextLaunch, "it is activated at the next launch") : recorded(held)
    }

    private func shadow(_ held: StoreState.Held) -> (PatchStatus.Code, String) {
        if state.isSafe || state.launch?.isSafe == true {
            return (.safeMode, "launches failed with good patches, so nothing runs in shadow")
        }
        if let fault { return (.unwritable, PatchStatus.unwritable(fault)) }
        let reason =
            if running != nil, role == .reader || role == .follower {
                "it runs in shadow in the process that writes the device's folder, and in no other"
            } else if !state.shadowing.contains(held) {
                "another patch is tried alone; it runs in shadow again after that"
            } else if running != nil, !shadows.contains(held.patch) {
                "it runs in shadow from the next sync or launch on"
            } else {
                "it runs in shadow: it is compared with the answers, and gives none"
            }
        return (.shadow, skipped(held.patch) + reason)
    }

    private func closed(_ held: StoreState.Held) -> (PatchStatus.Code, String) {
        let moment = held.closed.map { " at \($0)" } ?? ""
        return (
            .closed,
            "launches with it failed\(moment), so only its `otherwise` answers; its functions are tried again alone"
        )
    }

    /// That it makes no progress because the app never confirms; nil if that is not so.
    private func neverConfirmed(_ held: StoreState.Held) -> (PatchStatus.Code, String)? {
        guard held.isSuspended || held.stage != .good, !state.hasConfirmed, state.unconfirmed >= StoreState.patience
        else { return nil }
        let reason = "no launch of this version of the app was ever confirmed; it must call confirm() when it works"
        return (.neverConfirmed, reason)
    }

    /// What the state says of its stage.
    private func recorded(_ held: StoreState.Held) -> (PatchStatus.Code, String) {
        if held.stage == .closed { return closed(held) }
        if held.stage == .shadow { return shadow(held) }
        if let neverConfirmed = neverConfirmed(held) { return neverConfirmed }
        return switch held.stage {
        case .suspect where held.failures >= limits.trialFailures && !state.hasConfirmed:
            (.suspect, "launches with it failed; it is banned once a launch without it is confirmed")
        case .good where held.isUnproven && state.launch?.patches.contains(held.hash) != true:
            (.good, "the app has confirmed since it was activated, or its watch was over; it has not proved itself yet")
        case .good where held.isUnproven:
            (.good, "a launch that began with it was confirmed; it has not proved itself yet")
        case .good: (.good, "a launch that began with it was confirmed")
        case .trial where held.failures > 0:
            (.trial, "it failed, or a launch with it did; it is good once a launch that began with it has worked")
        case .trial: (.trial, "no launch that began with it was confirmed yet")
        case .suspect, .closed, .shadow: (.suspect, "launches failed while it was on trial; it is tried again alone")
        case .downloaded: (.downloaded, "it is activated at the next launch")
        }
    }
}
