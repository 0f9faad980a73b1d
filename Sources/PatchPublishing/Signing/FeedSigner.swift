package import PatchCrypto

/// Makes the signatures of a feed with one key, or asks for them.
package struct FeedSigner: Sendable {
    /// The key's id; nil for a command, whose signature reveals the key.
    let keyID: String?
    let sign: @Sendable ([UInt8]) throws(PatchError) -> [UInt8]

    /// Makes a signer from a private Ed25519 key.
    ///
    /// - Throws: `config` if it is another kind of key.
    package init(_ key: SigningKey) throws(PatchError) {
        keyID = try FeedKey(key.verifyingKey).id
        sign = { payload throws(PatchError) in try key.sign(payload[...]) }
    }

    /// Makes a signer that runs elsewhere, with any of a role's keys. It is asked only for roles that the other
    /// signers cannot sign.
    package init(asking sign: @escaping @Sendable ([UInt8]) throws(PatchError) -> [UInt8]) {
        keyID = nil
        self.sign = sign
    }
}
