/// A trust store with signatures at its end, as a feed delivers it. The signatures say who wants its new keys to be trusted.
///
///     ed25519 MCowBQYDK2VwAyEA… release-2027
///     # signature ed25519 0123456789abcdef 3xKd…==
///
/// A signature line is a comment of the trust store, with the same words as in an envelope: an algorithm, a key id, and a
/// signature in base64. What is signed are the line `patchpack trust store 1`, a line with the app's name, and the file up to
/// its first signature line, which ends with a line feed.
public struct SignedTrustStore: Sendable {
    private static let prefix = Array("# signature ".utf8)
    private static let mostSignatures = 16

    /// The file without its signatures.
    public let payload: [UInt8]
    private var signatures: [(algorithm: SignatureAlgorithm, keyID: KeyID, bytes: [UInt8])] = []

    /// The keys that its signature lines name. Nothing is verified.
    public var signerIDs: [KeyID] { signatures.map(\.keyID) }

    /// Reads a trust store with or without signatures.
    ///
    /// - Throws: `config` if a line among the signatures is none, `limit` if there are too many.
    public init(_ file: [UInt8]) throws(PatchError) {
        var rest = file[...]
        while !rest.isEmpty, !rest.starts(with: Self.prefix) { _ = rest.takeLine() ?? rest.takeAll() }
        var payload = Array(file[..<rest.startIndex])
        if payload.last != UInt8(ascii: "\n") { payload.append(UInt8(ascii: "\n")) }
        self.payload = payload
        while !rest.isEmpty {
            guard rest.starts(with: Self.prefix), let line = rest.takeLine() else {
                throw PatchError(.config, "a line after its signatures is none", hint: "sign it again")
            }
            let tokens = line.dropFirst(Self.prefix.count).split(
                separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard tokens.count == 3, let algorithm = SignatureAlgorithm(tokens[0]), let id = KeyID(tokens[1]),
                let bytes = Base64.decode(tokens[2])
            else { throw PatchError(.config, "not a signature line", hint: "sign it again") }
            guard signatures.count < Self.mostSignatures else {
                throw PatchError(.limit, "more than \(Self.mostSignatures) signatures")
            }
            signatures.append((algorithm, id, bytes))
        }
    }

    /// What is signed.
    ///
    /// - Parameter app: The app's reverse-DNS name.
    public func message(for app: String) -> [UInt8] { Array("patchpack trust store 1\n\(app)\n".utf8) + payload }

    /// Signs the store for an app. The signature replaces an earlier one by the same key.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses the algorithm.
    public mutating func sign(with key: SigningKey, for app: String) throws(PatchError) {
        let bytes = try key.sign(message(for: app)[...])
        signatures.removeAll { $0.keyID == key.verifyingKey.id }
        signatures.append((key.verifyingKey.algorithm, key.verifyingKey.id, bytes))
    }

    /// The ids of the keys whose signatures are valid and count.
    ///
    /// - Parameters:
    ///   - trust: The keys that may sign.
    ///   - app: The app's reverse-DNS name.
    ///   - time: The moment at which a key must not have ended; nil ignores when keys end.
    /// - Returns: The ids. A signature that cannot be checked here counts as none.
    public func signers(among trust: TrustStore, for app: String, at time: Timestamp?) -> Set<KeyID> {
        let message = message(for: app)
        var signers: Set<KeyID> = []
        for signature in signatures {
            guard let known = trust.key(withID: signature.keyID, algorithm: signature.algorithm),
                known.refusal(at: time) == nil, (try? known.key.isValid(signature.bytes, for: message[...])) == true
            else { continue }
            signers.insert(known.key.id)
        }
        return signers
    }

    /// The file's bytes.
    public var encoded: [UInt8] {
        var file = payload
        for signature in signatures {
            file += Array("# signature ".utf8)
            file += signature.algorithm.line(keyID: signature.keyID, signature: signature.bytes)
        }
        return file
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func takeAll() -> ArraySlice<UInt8> {
        defer { self = self[endIndex...] }
        return self
    }
}
