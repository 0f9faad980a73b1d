/// Makes envelopes: seals scripts, puts them in a zip, seals that and signs it.
///
/// The same scripts, manifest and keys always give the same bytes.
public struct EnvelopePacker: Sendable {
    /// Seals the scripts and the zip.
    public let scriptKey: ScriptKey
    /// Sign the payload, in this order.
    public let signingKeys: [SigningKey]
    /// How large the scripts and the envelope may be.
    public let limits: Limits

    /// Makes a packer.
    ///
    /// - Parameters:
    ///   - scriptKey: Seals the scripts; its length chooses the suite.
    ///   - signingKeys: One or more, no key twice.
    ///   - limits: How large the scripts and the envelope may be.
    /// - Throws: `config` for no signing key, or one given twice.
    public init(scriptKey: ScriptKey, signingKeys: [SigningKey], limits: Limits = Limits()) throws(PatchError) {
        guard !signingKeys.isEmpty else { throw PatchError(.config, "no signing key") }
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
    /// - Throws: `malformed` where manifest and scripts differ, `limit` where the envelope becomes too large,
    ///   `unavailable` where OpenSSL refuses an algorithm.
    public func pack(_ manifest: Manifest, _ scripts: [Script]) throws(PatchError) -> [UInt8] {
        let suite = scriptKey.suite
        guard manifest.scripts == scripts.map({ Manifest.Script(name: $0.name, size: $0.bytes.count) }) else {
            throw PatchError(.malformed, "the manifest does not list the scripts that are packed")
        }
        var contents = [manifest.encoded()]
        for script in scripts {
            contents.append(Hex.encode(try suite.digest.hash(script.bytes)))
            contents.append(try suite.seal(script.bytes, with: scriptKey, label: script.name))
        }
        let names = EnvelopeContents.memberNames(for: manifest.scripts, suite: suite)
        let archive = try ZipArchive.write(Array(zip(names, contents)))
        var envelope = try suite.seal(archive, with: scriptKey, label: Suite.envelopeLabel)
        let payload = envelope.indices
        var lines = EnvelopeFormat.delimiter(suite: suite, scriptKeyID: scriptKey.id)
        for key in signingKeys {
            let (algorithm, keyID) = (key.verifyingKey.algorithm, key.verifyingKey.id)
            lines += EnvelopeFormat.signatureLine(
                algorithm: algorithm, keyID: keyID, signature: try key.sign(envelope[payload]))
        }
        envelope += lines
        guard envelope.count <= limits.envelopeSize else {
            throw PatchError(
                .limit, "the envelope would have \(envelope.count) bytes, and \(limits.envelopeSize) are allowed",
                hint: "make fewer or smaller scripts of it")
        }
        return envelope
    }
}
