/// A registered name and the patches on it.
public struct ReplaceableState: Sendable {
    /// The name.
    public let name: String
    /// What it takes and gives.
    public let signature: PatchSignature
    /// The patches on it, the topmost last: it is asked first.
    public let patches: [ActivePatch]

    /// A patch on a name, and how it has done there.
    public struct ActivePatch: Sendable {
        /// The patch.
        public let patch: PatchID
        /// How often it was called.
        public let calls: Int
        /// How often its function failed.
        public let failures: Int
        /// How often something below it answered in its place: after a failure, or because it could not be entered.
        public let fallbacks: Int
        /// A call's mean time, originals included, over every 64th call; nil before the first.
        public let meanTime: Duration?
        /// The longest time among these calls and those in which Lua ran for more than a thousand instructions.
        public let longestTime: Duration
    }
}
