internal import COpenSSL

extension SecretBytes {
    /// Makes random bytes for a key, with OpenSSL's generator for private values.
    ///
    /// - Throws: `unavailable` if the generator has no entropy.
    static func random(count: Int) throws(PatchError) -> SecretBytes {
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe RAND_priv_bytes(&bytes, Int32(count)) == 1 else { throw .unavailable("random numbers") }
        return SecretBytes(wiping: &bytes)
    }
}
