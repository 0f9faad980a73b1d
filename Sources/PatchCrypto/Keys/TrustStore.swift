/// The public keys whose signatures count.
public struct TrustStore: Sendable {
    /// The keys, each once, in the order they were given.
    public let keys: [VerifyingKey]

    /// Collects keys; a key that is given twice counts once.
    ///
    /// - Parameter keys: The trusted keys, at least one.
    /// - Throws: `config` for no key at all, and for one key under two algorithms.
    public init(_ keys: [VerifyingKey]) throws(PatchError) {
        var distinct: [VerifyingKey] = []
        for key in keys {
            guard let known = distinct.first(where: { $0.id == key.id }) else {
                distinct.append(key)
                continue
            }
            guard known.algorithm == key.algorithm else {
                throw PatchError(
                    .config, "key \(key.id) is trusted for \(known.algorithm.rawValue) and \(key.algorithm.rawValue)",
                    hint: "trust a key for one algorithm")
            }
        }
        guard !distinct.isEmpty else { throw PatchError(.config, "no trusted key") }
        self.keys = distinct
    }

    /// The key that a signature line names: the one of that id which is trusted for that algorithm.
    ///
    /// - Parameter signature: A line of an envelope.
    /// - Returns: nil where the store has no such key.
    public func key(for signature: EnvelopeSignature) -> VerifyingKey? {
        keys.first { $0.id == signature.keyID && $0.algorithm == signature.algorithm }
    }
}
