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
        var envelope = self
        let scriptKey = try scriptKey(from: scriptKeys)
        let archive = try envelope.openPayload(with: scriptKey)
        let directory = try ZipDirectory(in: envelope.bytes, at: archive, limits: limits)
        var contents = try ZipArchive.read(directory, in: envelope.bytes, at: archive)
        let manifest = try EnvelopeContents.manifest(of: directory, contents: contents, suite: suite, limits: limits)
        let members = directory.members.map { member in
            UnverifiedContents.Member(
                name: member.name, offset: member.data.lowerBound - archive.lowerBound, storedSize: member.data.count,
                size: member.size)
        }
        return UnverifiedContents(
            zipSize: archive.count, members: members, manifest: manifest,
            scripts: try EnvelopeContents.scripts(of: manifest, contents: &contents, key: scriptKey))
    }
}

/// A stretch of an envelope's file.
public struct EnvelopeLayer: Sendable {
    /// What it is, such as `ciphertext`.
    public let name: String
    /// Where it lies in the file.
    public let range: Range<Int>
}

extension UnverifiedEnvelope {
    /// The file's layers, without a gap from its first byte to its last.
    public var layers: [EnvelopeLayer] {
        var layers: [EnvelopeLayer] = []
        if suite.cipher.canHaveSealed(length: payloadRange.count) {
            let ciphertext = suite.cipher.ivLength..<payloadRange.upperBound - suite.cipher.tagLength
            layers.append(EnvelopeLayer(name: "iv", range: 0..<ciphertext.lowerBound))
            layers.append(EnvelopeLayer(name: "ciphertext", range: ciphertext))
            if suite.cipher.tagLength > 0 {
                layers.append(EnvelopeLayer(name: "tag", range: ciphertext.upperBound..<payloadRange.upperBound))
            }
        } else {
            layers.append(EnvelopeLayer(name: "payload", range: payloadRange))
        }
        layers.append(EnvelopeLayer(name: "delimiter", range: delimiterRange))
        return layers + signatures.map { EnvelopeLayer(name: "signature", range: $0.range) }
    }
}
