/// A public key with the one signature scheme that it is for, as the metadata of The Update Framework have it.
///
/// It is for feeds. The keys that sign envelopes are `VerifyingKey`s.
package struct SchemeKey: Sendable {
    /// The signature schemes of the specification (section 4.2, `SCHEME`).
    package enum Scheme: String, CaseIterable, Sendable {
        case ed25519
        case ecdsaP256 = "ecdsa-sha2-nistp256"
        case rsaPSS = "rsassa-pss-sha256"
    }

    package let scheme: Scheme
    private let key: AsymmetricKey

    /// Makes an Ed25519 key from the 32 bytes of its point.
    ///
    /// - Throws: `config` if they are not a key, `unavailable` if OpenSSL refuses the kind of key.
    package init(ed25519 point: [UInt8]) throws(PatchError) {
        scheme = .ed25519
        guard point.count == 32 else { throw PatchError(.config, "an Ed25519 key has 32 bytes, not \(point.count)") }
        key = try AsymmetricKey(SubjectPublicKeyInfo.ed25519(point))
    }

    /// Reads a P-256 or RSA key from PEM (`BEGIN PUBLIC KEY`).
    ///
    /// - Throws: `config` if it is not a key for the scheme, or the scheme is Ed25519.
    package init(pem: [UInt8], for scheme: Scheme) throws(PatchError) {
        let kind: AsymmetricKey.Kind
        switch scheme {
        // Its points are checked where they are read from bytes.
        case .ed25519: throw PatchError(.config, "metadata have the 32 bytes of an Ed25519 key, not PEM")
        case .ecdsaP256: kind = .p256
        case .rsaPSS: kind = .rsa
        }
        self.scheme = scheme
        key = try AsymmetricKey(publicKeyPEM: pem, allowing: [kind])
    }

    /// Whether it is the same public key, for whatever scheme.
    package func isEqual(to other: SchemeKey) -> Bool { key.isEqual(to: other.key) }

    /// Whether a signature over a message was made with this key.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses the scheme.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) throws(PatchError) -> Bool {
        try key.isValid(
            signature, for: message[...], digest: scheme == .ed25519 ? nil : .sha256, isPSS: scheme == .rsaPSS)
    }
}
