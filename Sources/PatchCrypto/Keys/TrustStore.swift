/// A public key in a trust store, with its name and whether it is still trusted.
public struct TrustedKey: Sendable {
    /// The key, bound to its algorithm.
    public let key: VerifyingKey
    /// The key's name; nil if the key has none.
    public let name: String?
    /// Whether the key is revoked, so that its signatures no longer count.
    public var isRevoked: Bool
    /// From this second on, the key's signatures no longer count.
    public var expires: Timestamp?

    /// Makes a trusted key.
    ///
    /// - Parameters:
    ///   - key: The key, bound to its algorithm.
    ///   - name: `[A-Za-z0-9._@-]+`, at most 64 bytes; nil if the key has none. It does not begin with `revoked` or
    ///     `not-after`, in letters of either case, and is not the id of another key.
    ///   - isRevoked: Whether the key is revoked.
    ///   - expires: The first second at which the key's signatures no longer count; nil if they always do.
    /// - Throws: `config` if the name has another form.
    public init(
        _ key: VerifyingKey, name: String? = nil, isRevoked: Bool = false, expires: Timestamp? = nil
    ) throws(PatchError) {
        if let name, !Self.isName(name, of: key) {
            throw PatchError(
                .config, "\(name) cannot be a key name",
                hint: "use at most 64 letters, digits, . _ @ and -; "
                    + "it is no other key's id, and does not begin with revoked or not-after")
        }
        self.key = key
        self.name = name
        self.isRevoked = isRevoked
        self.expires = expires
    }

    private static func isName(_ name: String, of key: VerifyingKey) -> Bool {
        // A name in the form of an id could be taken for another key.
        let id = KeyID(name)
        // If the line of a revoked key lost its name, `revoked` would become the name of a trusted key. A name that
        // only begins with the word is refused too: a person would misread its line.
        let isReserved = ["revoked", "not-after"].contains { name.lowercased().hasPrefix($0) }
        return NameForm.isKeyName(name) && !isReserved && (id == nil || id == key.id)
    }

    /// Checks that another key with the same id is the same one, with the same trust.
    fileprivate func checkAgrees(with other: TrustedKey) throws(PatchError) {
        guard try key.subjectPublicKeyInfo() == other.key.subjectPublicKeyInfo() else {
            throw PatchError(
                .config, "two keys have the id \(key.id)", hint: "this is not an accident: trust neither of them")
        }
        guard key.algorithm == other.key.algorithm else {
            let algorithms = "\(other.key.algorithm.rawValue) and \(key.algorithm.rawValue)"
            throw PatchError(
                .config, "key \(key.id) is trusted for \(algorithms)", hint: "trust each key for one algorithm only")
        }
        guard isRevoked == other.isRevoked, expires == other.expires else {
            throw PatchError(
                .config, "key \(key.id) is given twice, but not with the same revocation and end",
                hint: "give the key once")
        }
    }

    /// Why the key's signatures do not count; nil if they do.
    ///
    /// - Parameter time: The moment to compare ``expires`` with; nil ignores it.
    package func refusal(at time: Timestamp?) -> String? {
        if isRevoked { return "is revoked" }
        guard let time, let expires, expires <= time else { return nil }
        return "was trusted until \(expires)"
    }
}

/// The public keys whose signatures count.
public struct TrustStore: Sendable {
    /// The keys, each once, in the order they were given.
    public let keys: [TrustedKey]

    /// Makes a store of keys. A key that is given twice counts once.
    ///
    /// - Parameter keys: The keys, at least one.
    /// - Throws: `config` if there is no key, if two keys have the same id, if one key is given for two algorithms or
    ///   with different `isRevoked` or `expires`, or if OpenSSL cannot encode a key that is given twice.
    public init(keys: [TrustedKey]) throws(PatchError) {
        var distinct: [TrustedKey] = []
        var places: [KeyID: Int] = [:]
        for key in keys {
            guard let place = places[key.key.id] else {
                places[key.key.id] = distinct.count
                distinct.append(key)
                continue
            }
            try key.checkAgrees(with: distinct[place])
            // The name is for people, so the one that is given counts.
            if distinct[place].name == nil { distinct[place] = key }
        }
        guard !distinct.isEmpty else { throw PatchError(.config, "no trusted key") }
        self.keys = distinct
    }

    /// Makes a store of keys that are trusted without an end.
    ///
    /// - Parameter keys: The keys, at least one.
    /// - Throws: `config` if there is no key, if two keys have the same id, if one key is given for two algorithms, or
    ///   if OpenSSL cannot encode a key that is given twice.
    public init(trusting keys: [VerifyingKey]) throws(PatchError) {
        var trusted: [TrustedKey] = []
        for key in keys { trusted.append(try TrustedKey(key)) }
        try self.init(keys: trusted)
    }

    /// The key with an id and an algorithm, whether or not it still counts (`TrustedKey.refusal(at:)`); nil if the
    /// store has none.
    package func key(withID id: KeyID, algorithm: SignatureAlgorithm) -> TrustedKey? {
        keys.first { $0.key.id == id && $0.key.algorithm == algorithm }
    }

    /// Which keys' signatures count, for an error message, such as `only 0123456789abcdef (ed25519) is trusted`.
    ///
    /// If there are more than eight, only the first and the last are named.
    func summary(at time: Timestamp?) -> String {
        let names = keys.filter { $0.refusal(at: time) == nil }.map { "\($0.key.id) (\($0.key.algorithm.rawValue))" }
        guard let last = names.last else { return "no key is still trusted" }
        if names.count > 8 { return "only \(names.count) keys are trusted: \(names[0]), …, \(last)" }
        return "only \(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") trusted"
    }
}
