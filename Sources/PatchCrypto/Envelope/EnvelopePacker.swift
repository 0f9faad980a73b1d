/// Makes envelopes: seals scripts, puts them in a zip, seals the zip and signs it.
///
/// The same scripts, manifest and keys always produce the same bytes.
public struct EnvelopePacker: Sendable {
    package let scriptKey: ScriptKey
    /// The keys that sign the payload, in this order.
    private let signingKeys: [SigningKey]
    package let limits: EnvelopeLimits

    /// Makes a packer.
    ///
    /// - Parameters:
    ///   - scriptKey: Seals the scripts. The envelope has its suite.
    ///   - signingKeys: At least one, and each key once.
    /// - Throws: `config` if there is no key, or one is given twice; `limit` if there are too many keys.
    public init(scriptKey: ScriptKey, signingKeys: [SigningKey]) throws(PatchError) {
        guard !signingKeys.isEmpty else { throw PatchError(.config, "no signing key", hint: "give at least one") }
        try self.init(scriptKey: scriptKey, signingKeys: signingKeys, limits: EnvelopeLimits())
    }

    /// Makes a packer of envelopes of another size than the format's, or without a key if all signatures are made
    /// elsewhere.
    ///
    /// - Throws: `config` if a key is given twice, `limit` if there are too many keys.
    package init(scriptKey: ScriptKey, signingKeys: [SigningKey], limits: EnvelopeLimits) throws(PatchError) {
        guard signingKeys.count <= limits.signatureCount else {
            throw PatchError(.limit, "more than \(limits.signatureCount) signing keys")
        }
        guard Set(signingKeys.map(\.verifyingKey.id)).count == signingKeys.count else {
            throw PatchError(.config, "a signing key is given twice", hint: "give each key once")
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
    /// - Throws: `malformed` if manifest and scripts differ, `limit` if the manifest or the envelope is too large,
    ///   `unavailable` if OpenSSL refuses an algorithm or memory is missing, `config` if a key cannot sign, `internal`
    ///   if libzip fails.
    public func pack(_ manifest: Manifest, _ scripts: [PatchScript]) throws(PatchError) -> [UInt8] {
        try seal(manifest, scripts).encoded()
    }

    /// Does what ``pack(_:_:)`` does, for an envelope that can get more signatures, such as those made elsewhere.
    ///
    /// - Throws: As `pack` does, but the envelope's size is not checked.
    package func seal(_ manifest: Manifest, _ scripts: [PatchScript]) throws(PatchError) -> SignableEnvelope {
        let suite = scriptKey.suite
        guard manifest.scripts == scripts.map({ Manifest.Script(name: $0.name, byteCount: $0.bytes.count) }) else {
            throw PatchError(.malformed, "the manifest does not list the scripts that are packed")
        }
        let json = manifest.encoded()
        guard json.count <= limits.manifestSize else { throw .manifest(of: json.count, above: limits) }
        var contents = [json]
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
