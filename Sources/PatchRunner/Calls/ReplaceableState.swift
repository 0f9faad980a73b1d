public import PatchCrypto

/// A registered name and the patches on it.
public struct ReplaceableState: Sendable {
    /// The name.
    public let name: String
    /// The types of its arguments and its result.
    public let type: FunctionType
    /// The patches that are active on it, the topmost last. The topmost is called first.
    public let patches: [ActivePatch]
    /// What the patches in shadow of it would have changed, since their shadows began.
    public let shadows: [ShadowPatch]

    /// A patch in shadow of a name.
    public struct ShadowPatch: Sendable {
        /// The patch.
        public let patch: PatchID
        /// What it would have changed since its shadow began.
        public let comparison: RunnerEvent.Comparison
    }

    /// A patch that is active on a name, and its statistics there.
    public struct ActivePatch: Sendable {
        /// The patch.
        public let patch: PatchID
        /// How often it was called.
        public let calls: Int
        /// How often its function failed.
        public let failures: Int
        /// How often something else answered, because the script had failed or could not be entered: the script's
        /// `otherwise`, another patch or the original.
        public let fallbacks: Int
        /// Whether it has failed too often here, so that its script does not run for now: its `otherwise` answers, or
        /// what is below it.
        public let isBreakerOpen: Bool
        /// The mean wall time of a call, including originals, measured for every 64th call; nil before the first.
        public let meanTime: Duration?
        /// The longest wall time of the measured calls, and of the calls in which Lua ran for more than a thousand
        /// instructions.
        public let longestTime: Duration
    }
}
