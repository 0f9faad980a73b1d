/// The contents of an envelope whose signatures were not checked.
///
/// Use it to look at a file, never to decide about one.
package struct UnverifiedContents: Sendable {
    package struct Member: Sendable {
        package let name: String
        /// Where its data begins, counted from the zip's first byte.
        package let offset: Int
        /// The size of its data in the zip, in bytes.
        package let storedSize: Int
        /// Its size once it is inflated, in bytes; the same as `storedSize` if it is stored.
        package let size: Int
    }

    /// The zip's size in bytes.
    package let zipSize: Int
    /// The zip's members, in the zip's order.
    package let members: [Member]
    package let manifest: Manifest
    /// The scripts, the entry first.
    package let scripts: [PatchScript]
}

extension UnverifiedEnvelope {
    /// Opens the envelope without checking its signatures.
    ///
    /// - Parameter scriptKeys: One of them decrypts the payload and the scripts. This can be a single `ScriptKey`.
    /// - Throws: The errors that a verification throws in the stages `decrypt` to `scripts`.
    package func contents(
        scriptKeys: some ScriptKeyProvider, limits: EnvelopeLimits = EnvelopeLimits()
    ) throws(PatchError) -> UnverifiedContents {
        var envelope = self
        var payload = try DecryptedPayload(takenFrom: &envelope, keys: scriptKeys)
        var contents = try EnvelopeContents(takenFrom: &payload, limits: limits)
        let manifest = try contents.manifest()
        return UnverifiedContents(
            zipSize: contents.zipSize, members: contents.members, manifest: manifest,
            scripts: try contents.takeScripts(of: manifest))
    }
}
