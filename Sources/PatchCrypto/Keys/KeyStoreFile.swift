/// A file of named script keys, encrypted under a passphrase.
///
///     patchpack-keystore-1 LOG2N R P SALT LF
///     BASE64 LF
///
/// The second line is AES-256-GCM (nonce, ciphertext, tag) over lines of a name and a key in hex. Its key is derived
/// from the passphrase with scrypt (RFC 7914). Its additional data is the first line.
package enum KeyStoreFile {
    private static let family = "patchpack-keystore-"
    private static let magic = family + "1"
    // In bytes.
    private static let saltLength = 16
    private static let keyLength = 32

    /// Encrypts keys.
    ///
    /// - Parameter cost: Tests can afford only a lower one.
    /// - Returns: The file's bytes. They differ each time, because salt and nonce are random.
    /// - Throws: `passphrase` if the passphrase is empty, `unavailable` if OpenSSL has no random numbers, or refuses
    ///   scrypt or AES-256-GCM.
    package static func seal(
        _ ring: ScriptKeyRing, passphrase: SecretBytes, cost: Scrypt = .standard
    ) throws(PatchError) -> [UInt8] {
        guard passphrase.count > 0 else { throw PatchError(.passphrase, "the passphrase is empty") }
        let salt = try SecretBytes.random(count: saltLength).copy()
        let nonce = try SecretBytes.random(count: SymmetricCipher.aes256GCM.ivLength).copy()
        let header = "\(magic) \(cost.log2N) \(cost.r) \(cost.p) \(String(decoding: Hex.encode(salt), as: UTF8.self))\n"
        var text: [UInt8] = []
        defer { text.wipe() }
        // The array has its full size at once, because an array that grows leaves copies in memory. A name has at most
        // 64 bytes, and a key in hex 64 digits.
        text.reserveCapacity(ring.keys.count * 256)
        for (name, key) in ring.keys {
            text += Array("\(name) ".utf8)
            let line = key.encoded()
            unsafe line.withUnsafeBytes { unsafe text.append(contentsOf: $0) }
        }
        let key = try cost.key(passphrase: passphrase, salt: salt, length: keyLength)
        let sealed = try SymmetricCipher.aes256GCM.seal(text, key: key, iv: nonce, label: header)
        return Array(header.utf8) + Base64.encode(sealed) + [UInt8(ascii: "\n")]
    }

    /// Opens a file.
    ///
    /// - Throws: `passphrase` if the passphrase is wrong or the file was changed, which cannot be told apart; `config`
    ///   if the file is not a key store, or asks for more than 256 MiB or four rounds of scrypt; `unavailable` if
    ///   OpenSSL refuses scrypt, AES-256-GCM or SHA-256.
    package static func open(_ file: [UInt8], passphrase: SecretBytes) throws(PatchError) -> ScriptKeyRing {
        // Another version may have other lines, too.
        guard file.starts(with: (magic + " ").utf8) || !isStore(file) else {
            throw PatchError(
                .config, "a key store of another version", hint: "use the patchpack that made it, or a newer one")
        }
        var rest = file[...]
        guard let header = rest.takeLine(), let body = rest.takeLine(), rest.isEmpty else { throw notAStore }
        let fields = String(decoding: header, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0] == magic, let salt = Hex.decode(fields[4].utf8), salt.count == saltLength,
            let cost = Scrypt(log2N: Int(fields[1]), r: Int(fields[2]), p: Int(fields[3])),
            var sealed = Base64.decode(body),
            SymmetricCipher.aes256GCM.canHaveSealed(length: sealed.count)
        else { throw notAStore }
        defer { sealed.wipe() }
        let key = try cost.key(passphrase: passphrase, salt: salt, length: keyLength)
        let label = String(decoding: header, as: UTF8.self) + "\n"
        guard let text = try SymmetricCipher.aes256GCM.open(0..<sealed.count, of: &sealed, key: key, label: label)
        else {
            throw PatchError(.passphrase, "the passphrase is wrong, or the key store was changed")
        }
        return try ring(of: sealed[text])
    }

    /// Whether a file begins like a key store, of this version or another.
    package static func isStore(_ file: some Sequence<UInt8>) -> Bool { file.starts(with: family.utf8) }

    private static func ring(of text: ArraySlice<UInt8>) throws(PatchError) -> ScriptKeyRing {
        var ring = ScriptKeyRing()
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count == 2, var bytes = Hex.decode(fields[1]),
                let suite = EnvelopeSuite(keyLength: bytes.count)
            else { throw notAStore }
            try ring.add(
                ScriptKey(bytes: SecretBytes(wiping: &bytes), suite: suite),
                named: String(decoding: fields[0], as: UTF8.self))
        }
        return ring
    }

    private static let notAStore = PatchError(
        .config, "not a patchpack key store", hint: "make a key store from the key")
}
