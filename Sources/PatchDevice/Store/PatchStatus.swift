internal import PatchCrypto
internal import PatchRunner

/// What a store knows of a patch, and why the patch is running or not.
public struct PatchStatus: Sendable, CustomStringConvertible {
    /// The patch's reverse-DNS name.
    public let id: String
    /// The version that this is about; nil if none is known.
    public let version: Int?
    /// A stable code: `good`, `trial`, `suspect` or `downloaded` for a patch that is held; `refused`, `disabled` or
    /// `safe-mode` for one that is held and does not run; `banned`, `unknown`, or a code of the last sync, such as
    /// `rollout`.
    public let code: String
    /// Whether it runs in this process.
    public let isRunning: Bool
    /// Why, in a sentence.
    public let reason: String

    public var description: String {
        "\(id)\(version.map { " \($0)" } ?? ""): \(code)\(isRunning ? ", running" : ""): \(reason)"
    }
}

extension PatchStatus {
    /// - Parameters:
    ///   - running: The versions that run in this process, by id.
    ///   - faults: Why patches could not run in this launch, by the hashes of their envelopes.
    init(of id: String, in state: StoreState, running: [String: Int], faults: [String: PatchError]) {
        let held = state.held.filter { $0.patch.id == id }
        let runningVersion = running[id]
        let subject = held.first { $0.patch.version == runningVersion } ?? held.first
        let better = held.first.flatMap { first in
            first.patch == subject?.patch ? nil : faults[first.hash].map { (first.patch.version, $0) }
        }
        let ban = state.bans.last { $0.patch.id == id }
        let verdict = state.verdicts[id]
        self.id = id
        isRunning = runningVersion != nil && subject?.patch.version == runningVersion
        // A version may run that is no longer held, because a newer one was downloaded meanwhile.
        let other = isRunning ? nil : runningVersion
        version = subject?.patch.version ?? verdict?.version ?? ban?.patch.version
        if let subject, let fault = faults[subject.hash], !isRunning {
            (code, reason) = ("refused", "\(fault.code): \(fault.message)")
        } else if subject != nil, !isRunning, !state.isEnabled {
            (code, reason) = ("disabled", "the feed has switched all patches off")
        } else if subject != nil, !isRunning, state.isSafe {
            (code, reason) = ("safe-mode", "launches with it failed, so the app runs without patches")
        } else if let subject {
            code = subject.stage.rawValue
            let standing =
                switch subject.stage {
                case .good: "a launch that began with it was confirmed"
                case .trial: "no launch that began with it was confirmed yet"
                case .suspect: "launches failed while it was on trial with others; it is tried again alone"
                case .downloaded: "it is activated at the next launch"
                }
            reason =
                standing + (better.map { "; version \($0) was refused: \($1.message)" } ?? "")
                + (other.map { "; version \($0) runs until then" } ?? "")
        } else if let ban, ban.patch.version >= verdict?.version ?? 0 {
            let moment = ban.time.map { " at \($0)" } ?? ""
            (code, reason) = ("banned", "it was taken back on this device\(moment): \(ban.reason)")
        } else if let verdict {
            (code, reason) = (verdict.code, verdict.detail ?? "the last sync said so")
        } else {
            (code, reason) = ("unknown", "no feed has offered it to this device")
        }
    }
}
