/// What an envelope holds, opened without a look at its signatures: for eyes, and for nothing else.
public struct UnverifiedContents: Sendable {
    /// A member of the zip.
    public struct Member: Sendable {
        /// Its name.
        public let name: String
        /// Where its data begins, counted from the zip's first byte.
        public let offset: Int
        /// Bytes of its data.
        public let storedSize: Int
        /// Bytes once it is inflated; the same where it is stored.
        public let size: Int
    }

    /// Bytes of the zip.
    public let zipSize: Int
    /// The zip's members, in their order.
    public let members: [Member]
    /// What the patch says of itself.
    public let manifest: Manifest
    /// The scripts, the entry first.
    public let scripts: [PatchScript]
}

extension UnverifiedEnvelope {
    /// Opens the envelope whoever signed it.
    ///
    /// - Parameters:
    ///   - scriptKeys: One of them opens the payload and the scripts; a `ScriptKey` will do.
    ///   - limits: How large the parts may be.
    /// - Throws: What a verification would give for the stages `decrypt` to `scripts`.
    public func contents(scriptKeys: some ScriptKeyProvider, limits: EnvelopeLimits = EnvelopeLimits())
        throws(PatchError)
        -> UnverifiedContents
    {
        let contents = try EnvelopeContents(of: DecryptedPayload(of: self, keys: scriptKeys), limits: limits)
        let manifest = try contents.manifest()
        return UnverifiedContents(
            zipSize: contents.zipSize, members: contents.members, manifest: manifest,
            scripts: try contents.scripts(of: manifest))
    }
}
