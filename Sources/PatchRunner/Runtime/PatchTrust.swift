public import PatchCrypto

/// The keys that a device's envelopes are verified with.
public struct PatchTrust: Sendable {
    /// The keys whose signatures count.
    public var store: TrustStore
    /// The script keys. One of them must open each envelope.
    public var scriptKeys: any ScriptKeyProvider
    /// How many distinct trusted keys must have signed.
    public var threshold: Int
    /// Whether a feed may deliver more keys. It can always revoke keys.
    ///
    /// A delivered trust store adds keys only if ``threshold`` of the keys in ``store`` have signed it, so the feed's
    /// own keys are never enough.
    public var takesDeliveredKeys = true

    /// Sets the keys that envelopes are verified with.
    ///
    /// - Parameters:
    ///   - store: The keys whose signatures count.
    ///   - scriptKeys: The script keys. One of them must open each envelope.
    ///   - threshold: How many distinct trusted keys must have signed.
    public init(_ store: TrustStore, scriptKeys: any ScriptKeyProvider, threshold: Int = 1) {
        self.store = store
        self.scriptKeys = scriptKeys
        self.threshold = threshold
    }
}
