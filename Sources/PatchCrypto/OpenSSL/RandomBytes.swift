internal import COpenSSL

extension SecretBytes {
    /// Random bytes for a key, from OpenSSL's generator for private values.
    ///
    /// - Parameter count: How many.
    /// - Throws: `unavailable` where the generator has no entropy.
    static func random(count: Int) throws(PatchError) -> SecretBytes {
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe RAND_priv_bytes(&bytes, Int32(count)) == 1 else { throw .unavailable("random numbers") }
        return SecretBytes(wiping: &bytes)
    }
}
