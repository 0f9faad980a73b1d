/// A public key in a trust store: what it is called, and whether it is trusted still.
public struct TrustedKey: Sendable {
    /// The key, bound to its algorithm.
    public let key: VerifyingKey
    /// What people call it; empty for a key that came without a name.
    public let name: String
    /// Whether its signatures no longer count.
    public var isRevoked: Bool
    /// From this second on its signatures no longer count.
    public var notAfter: Timestamp?

    /// Trusts a key.
    ///
    /// - Parameters:
    ///   - key: The key, bound to its algorithm.
    ///   - name: `[A-Za-z0-9._@-]+`, at most 64 bytes, or empty.
    ///   - isRevoked: Whether its signatures no longer count.
    ///   - notAfter: From this second on its signatures no longer count.
    /// - Throws: `config` for a name of another form.
    public init(
        _ key: VerifyingKey, name: String = "", isRevoked: Bool = false, notAfter: Timestamp? = nil
    ) throws(PatchError) {
        // A name in the form of an id would stand for another key.
        let id = KeyID(name)
        // And one that a store's line has for something else would make a revoked key a trusted one of that name.
        let isWord = ["revoked", "not-after"].contains { name.lowercased().hasPrefix($0) }
        guard name.isEmpty || NameForm.isKeyName(name) && !isWord && (id == nil || id == key.id) else {
            throw PatchError(
                .config, "\(name) cannot be a key's name",
                hint: "use letters, digits, . _ @ and -, at most 64 of them; not revoked, not-after or another key's id"
            )
        }
        self.key = key
        self.name = name
        self.isRevoked = isRevoked
        self.notAfter = notAfter
    }

    /// Why the key's signatures do not count, or nil where they do.
    ///
    /// - Parameter time: The moment to judge `notAfter` at; nil leaves it out.
    package func refusal(at time: Timestamp?) -> String? {
        if isRevoked { return "is revoked" }
        guard let time, let notAfter, notAfter <= time else { return nil }
        return "was trusted until \(notAfter)"
    }
}

/// The public keys whose signatures count.
public struct TrustStore: Sendable {
    /// The keys, each once, in the order they were given.
    public let keys: [TrustedKey]

    /// Collects keys; a key that is given twice counts once.
    ///
    /// - Parameter keys: The keys, at least one.
    /// - Throws: `config` for no key at all, and for one key under two algorithms or of two standings.
    public init(keys: [TrustedKey]) throws(PatchError) {
        var distinct: [TrustedKey] = []
        var places: [KeyID: Int] = [:]
        for key in keys {
            guard let place = places[key.key.id] else {
                places[key.key.id] = distinct.count
                distinct.append(key)
                continue
            }
            let known = distinct[place]
            guard try known.key.subjectPublicKeyInfo() == key.key.subjectPublicKeyInfo() else {
                throw PatchError(
                    .config, "two keys have the id \(key.key.id)", hint: "that is no accident: trust neither of them")
            }
            guard known.key.algorithm == key.key.algorithm else {
                throw PatchError(
                    .config,
                    "key \(key.key.id) is trusted for \(known.key.algorithm.rawValue) and \(key.key.algorithm.rawValue)",
                    hint: "trust a key for one algorithm")
            }
            guard known.isRevoked == key.isRevoked, known.notAfter == key.notAfter else {
                throw PatchError(
                    .config, "key \(key.key.id) is given twice, and revoked or ended in one place only",
                    hint: "name the key in one place")
            }
            if known.name.isEmpty { distinct[place] = key }
        }
        guard !distinct.isEmpty else { throw PatchError(.config, "no trusted key") }
        self.keys = distinct
    }

    /// Collects keys that are trusted without an end.
    ///
    /// - Parameter keys: The keys, at least one.
    /// - Throws: `config` for no key at all, and for one key under two algorithms.
    public init(_ keys: [VerifyingKey]) throws(PatchError) {
        var trusted: [TrustedKey] = []
        for key in keys { trusted.append(try TrustedKey(key)) }
        try self.init(keys: trusted)
    }

    /// The key of an id that is trusted for an algorithm.
    ///
    /// - Parameters:
    ///   - id: The id that a signature line names.
    ///   - algorithm: The algorithm that a signature line names.
    /// - Returns: nil if the store has no such key. A revoked key is found too.
    public func key(withID id: KeyID, algorithm: SignatureAlgorithm) -> TrustedKey? {
        keys.first { $0.key.id == id && $0.key.algorithm == algorithm }
    }

    /// The ids of the keys whose signatures count, for people: a few of them, where there are many.
    func names(at time: Timestamp?) -> String {
        let names = keys.filter { $0.refusal(at: time) == nil }.map { "\($0.key.id) (\($0.key.algorithm.rawValue))" }
        guard let last = names.last else { return "no key that is trusted still" }
        return names.count <= 8 ? names.joined(separator: ", ") : "\(names[0]), … \(last), \(names.count) keys in all"
    }
}
