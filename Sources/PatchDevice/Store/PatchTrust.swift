public import PatchCrypto

/// What a device's envelopes are verified with.
public struct PatchTrust: Sendable {
    /// The keys whose signatures count.
    public var store: TrustStore
    /// The keys, one of which must open an envelope.
    public var scriptKeys: any ScriptKeyProvider
    /// How many distinct trusted keys must have signed.
    public var threshold: Int
    /// Whether a feed may deliver further keys. It can always revoke keys.
    ///
    /// A delivered trust store adds keys only if ``threshold`` of the keys in ``store`` have signed it, so the keys of the
    /// feed alone never do.
    public var takesDeliveredKeys = true

    /// Says what envelopes are verified with.
    ///
    /// - Parameters:
    ///   - store: The keys whose signatures count.
    ///   - scriptKeys: The keys, one of which must open an envelope.
    ///   - threshold: How many distinct trusted keys must have signed.
    public init(_ store: TrustStore, scriptKeys: any ScriptKeyProvider, threshold: Int = 1) {
        self.store = store
        self.scriptKeys = scriptKeys
        self.threshold = threshold
    }
}
