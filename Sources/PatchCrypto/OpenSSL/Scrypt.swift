internal import COpenSSL

/// The cost of deriving a key from a passphrase with scrypt (RFC 7914).
package struct Scrypt: Sendable {
    /// The logarithm of the number of blocks.
    let log2N: Int
    /// The block size, in units of 128 bytes.
    let r: Int
    /// The number of rounds.
    let p: Int

    /// 128 MiB and about half a second.
    package static let standard = Scrypt(log2N: 17, r: 8, p: 1)

    /// The memory needed, in bytes.
    private var memory: Int { 128 * r << log2N }

    private init(log2N: Int, r: Int, p: Int) {
        self.log2N = log2N
        self.r = r
        self.p = p
    }

    /// Makes the cost that a file asks for, within limits: a file must not be able to stall its reader.
    ///
    /// - Returns: nil if a number is missing or out of range, or the cost is above 256 MiB or four rounds.
    package init?(log2N: Int?, r: Int?, p: Int?) {
        // The last rule is the RFC's, whose number of blocks is below 2^(128 r / 8).
        guard let log2N, let r, let p, (10...20).contains(log2N), (1...32).contains(r), (1...4).contains(p),
            log2N < 16 * r
        else { return nil }
        self.init(log2N: log2N, r: r, p: p)
        guard memory <= 256 << 20 else { return nil }
    }

    /// Derives a key.
    ///
    /// - Parameter length: The key's length in bytes.
    /// - Throws: `unavailable` if OpenSSL refuses scrypt, or has no memory for it.
    func key(passphrase: SecretBytes, salt: [UInt8], length: Int) throws(PatchError) -> SecretBytes {
        // OpenSSL needs a little more than the blocks.
        let most = UInt64(memory + (1 << 20))
        var bytes = [UInt8](repeating: 0, count: length)
        let done = unsafe passphrase.withUnsafeBytes { text in
            let text = unsafe text.assumingMemoryBound(to: CChar.self)
            return unsafe EVP_PBE_scrypt(
                text.baseAddress, text.count, salt, salt.count, 1 << UInt64(log2N), UInt64(r), UInt64(p), most, &bytes,
                length)
        }
        guard done == 1 else { throw .unavailable("scrypt") }
        return SecretBytes(wiping: &bytes)
    }
}
