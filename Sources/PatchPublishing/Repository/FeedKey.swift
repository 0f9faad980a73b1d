package import PatchCrypto
internal import PatchFeed

/// A public key as a feed lists it.
package struct FeedKey: Sendable {
    /// The SHA-256 of the key's canonical form, in hex digits.
    package let id: String
    /// The key as it is signed.
    let json: JSONValue

    /// The first digits of ids, which are enough for messages.
    package static func short(_ ids: [String]) -> String { ids.map { String($0.prefix(16)) }.joined(separator: ", ") }

    /// Reads a public key.
    ///
    /// - Parameter pem: An Ed25519, P-256 or RSA key (`BEGIN PUBLIC KEY`).
    /// - Throws: `config` if it is not one of these.
    package init(pem: [UInt8]) throws(PatchError) {
        if let key = try? VerifyingKey(pem: pem, algorithm: .ed25519) {
            try self.init(key)
        } else if let key = try? SchemeKey(pem: pem, for: .ecdsaP256) {
            try self.init(key, kind: "ecdsa", text: String(decoding: pem, as: UTF8.self))
        } else if let key = try? SchemeKey(pem: pem, for: .rsaPSS) {
            try self.init(key, kind: "rsa", text: String(decoding: pem, as: UTF8.self))
        } else {
            throw PatchError(.config, "not a public key that a feed can use", remedy: .giveFeedKey)
        }
    }

    /// Makes the entry of an Ed25519 key.
    ///
    /// - Throws: `config` if it is another kind of key.
    package init(_ key: VerifyingKey) throws(PatchError) {
        guard let point = key.ed25519Point else {
            throw PatchError(
                .config, "a feed is signed with Ed25519 keys, not \(key.algorithm.rawValue)", remedy: .makeKey)
        }
        try self.init(
            SchemeKey(ed25519: point), kind: "ed25519", text: String(decoding: Hex.encode(point), as: UTF8.self))
    }

    private init(_ key: SchemeKey, kind: String, text: String) throws(PatchError) {
        json = .object([
            ("keytype", .string(kind)), ("keyval", .object([("public", .string(text))])),
            ("scheme", .string(key.scheme.rawValue)),
        ])
        id = try MessageDigest.sha256.text(of: json.canonical)
    }
}
