/// Makes envelopes: seals scripts, puts them in a zip, seals that and signs it.
///
/// The same scripts, manifest and keys always give the same bytes.
public struct EnvelopePacker: Sendable {
    /// Seals the scripts and the zip.
    public let scriptKey: ScriptKey
    /// Sign the payload, in this order.
    public let signingKeys: [SigningKey]
    /// How large the scripts and the envelope may be.
    public let limits: EnvelopeLimits

    /// Makes a packer.
    ///
    /// - Parameters:
    ///   - scriptKey: Seals the scripts; its length chooses the suite.
    ///   - signingKeys: No key twice; none where all signatures are made somewhere else.
    ///   - limits: How large the scripts and the envelope may be.
    /// - Throws: `config` for a key given twice, `limit` for too many.
    public init(scriptKey: ScriptKey, signingKeys: [SigningKey], limits: EnvelopeLimits = EnvelopeLimits())
        throws(PatchError)
    {
        guard signingKeys.count <= limits.signatureCount else {
            throw PatchError(.limit, "more than \(limits.signatureCount) signing keys")
        }
        guard Set(signingKeys.map(\.verifyingKey.id)).count == signingKeys.count else {
            throw PatchError(.config, "a signing key is given twice", hint: "name each key once")
        }
        self.scriptKey = scriptKey
        self.signingKeys = signingKeys
        self.limits = limits
    }

    /// Packs scripts.
    ///
    /// - Parameters:
    ///   - manifest: Lists exactly these scripts, in this order.
    ///   - scripts: The entry first.
    /// - Returns: The envelope's bytes.
    /// - Throws: `malformed` where manifest and scripts differ, `limit` where the envelope becomes too large, `config` without
    ///   a signing key, `unavailable` where OpenSSL refuses an algorithm.
    public func pack(_ manifest: Manifest, _ scripts: [PatchScript]) throws(PatchError) -> [UInt8] {
        try seal(manifest, scripts).encoded()
    }

    /// Packs scripts and leaves room for signatures that are made somewhere else.
    ///
    /// - Parameters:
    ///   - manifest: Lists exactly these scripts, in this order.
    ///   - scripts: The entry first.
    /// - Returns: The payload, signed with the packer's own keys.
    /// - Throws: `malformed` where manifest and scripts differ, `unavailable` where OpenSSL refuses an algorithm.
    public func seal(_ manifest: Manifest, _ scripts: [PatchScript]) throws(PatchError) -> SignableEnvelope {
        let suite = scriptKey.suite
        guard manifest.scripts == scripts.map({ Manifest.Script(name: $0.name, size: $0.bytes.count) }) else {
            throw PatchError(.malformed, "the manifest does not list the scripts that are packed")
        }
        var contents = [manifest.encoded()]
        for script in scripts {
            contents.append(try suite.digest.hexadecimal(of: script.bytes))
            contents.append(try suite.seal(script.bytes, with: scriptKey, label: script.name))
        }
        let names = EnvelopeContents.memberNames(for: manifest.scripts, suite: suite)
        let archive = try ZipArchive.write(Array(zip(names, contents)))
        var envelope = SignableEnvelope(
            payload: try suite.seal(archive, with: scriptKey, label: EnvelopeSuite.envelopeLabel), suite: suite,
            scriptKeyID: scriptKey.id, limits: limits)
        for key in signingKeys { try envelope.sign(with: key) }
        return envelope
    }
}
