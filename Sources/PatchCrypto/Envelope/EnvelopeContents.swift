/// An envelope's zip, decrypted in place of the payload.
struct DecryptedPayload {
    fileprivate let bytes: [UInt8]
    fileprivate let archive: Range<Int>
    fileprivate let key: ScriptKey

    /// Decrypts a payload in place, so that it is not in memory twice.
    ///
    /// - Parameter keys: Must have the key that the delimiter names.
    /// - Throws: `decryptFailed` if the key is missing, or the payload cannot be decrypted with it.
    init(takenFrom envelope: inout UnverifiedEnvelope, keys: some ScriptKeyProvider) throws(PatchError) {
        key = try envelope.scriptKey(from: keys)
        let (suite, range) = (key.suite, envelope.payloadRange)
        guard suite.cipher.canHaveSealed(length: range.count) else {
            throw PatchError(
                .decryptFailed, "a payload of \(range.count) bytes cannot be sealed with \(suite.rawValue)")
        }
        var bytes = envelope.takeBytes()
        guard
            let archive = try suite.cipher.open(range, of: &bytes, key: key.bytes, label: EnvelopeSuite.envelopeLabel)
        else {
            throw PatchError(
                .decryptFailed, "the payload cannot be decrypted with the script key that it names",
                hint: "before it was signed, it was sealed with another key or damaged; pack it again")
        }
        self.archive = archive
        self.bytes = bytes
    }
}

/// The members of an envelope's zip, read and checked stage by stage.
struct EnvelopeContents {
    private let directory: ZipDirectory
    /// Where the zip is in the buffer that the directory is about.
    private let archive: Range<Int>
    /// The members' bytes. Those of stored members are slices of the payload.
    private let data: [ArraySlice<UInt8>]
    private let key: ScriptKey
    private let limits: EnvelopeLimits

    /// Runs the stage `zip`: reads every member.
    init(of payload: DecryptedPayload, limits: EnvelopeLimits) throws(PatchError) {
        archive = payload.archive
        directory = try ZipDirectory(in: payload.bytes, at: archive, limits: limits)
        data = try ZipArchive.read(directory, in: payload.bytes, at: archive)
        key = payload.key
        self.limits = limits
    }

    /// The zip's size in bytes.
    var zipSize: Int { archive.count }

    /// The zip's members, in the zip's order.
    var members: [UnverifiedContents.Member] {
        directory.members.map { member in
            UnverifiedContents.Member(
                name: member.name, offset: member.data.lowerBound - archive.lowerBound, storedSize: member.data.count,
                size: member.size)
        }
    }

    /// The names of the zip's members for a manifest's scripts, in the order that the zip must have.
    static func memberNames(for scripts: [Manifest.Script], suite: EnvelopeSuite) -> [String] {
        [ZipDirectory.manifestName]
            + scripts.flatMap { [$0.name + suite.digestSuffix, $0.name + EnvelopeSuite.sealedSuffix] }
    }

    /// Runs the stage `manifest`: reads the manifest, and checks that the zip holds what it lists, in that order.
    func manifest() throws(PatchError) -> Manifest {
        // The directory is known to have a member with this name.
        let index = directory.members.firstIndex { $0.name == ZipDirectory.manifestName } ?? 0
        let manifest = try Manifest(decoding: Array(data[index]), limits: limits)
        guard directory.members.map(\.name) == Self.memberNames(for: manifest.scripts, suite: key.suite) else {
            throw .manifest(.malformed, "the zip's members are not exactly those that it lists, in that order")
        }
        return manifest
    }

    /// Runs the stage `scripts`: decrypts each script, and checks its size and its digest.
    ///
    /// - Parameter manifest: The manifest of these contents.
    func scripts(of manifest: Manifest) throws(PatchError) -> [PatchScript] {
        let suite = key.suite
        var scripts: [PatchScript] = []
        for (index, script) in manifest.scripts.enumerated() {
            // The members are the manifest, and for each script its digest and its sealed bytes.
            let sealed = data[2 + 2 * index]
            guard suite.cipher.canHaveSealed(length: sealed.count),
                let bytes = try suite.cipher.opened(sealed, key: key.bytes, label: script.name)
            else {
                throw PatchError(
                    .decryptFailed, "\(script.name) cannot be decrypted with the script key", hint: "pack it again")
            }
            guard bytes.count == script.size else {
                throw PatchError(
                    .digestMismatch, "\(script.name) has \(bytes.count) bytes, but the manifest says \(script.size)",
                    hint: "pack it again")
            }
            guard try suite.digest.hexadecimal(of: bytes).elementsEqual(data[1 + 2 * index]) else {
                throw PatchError(
                    .digestMismatch, "\(script.name) does not match its \(suite.digest.rawValue)",
                    hint: "pack it again")
            }
            scripts.append(PatchScript(name: script.name, bytes: bytes))
        }
        return scripts
    }

    /// The digests of a manifest's scripts, which `scripts(of:)` has compared with the scripts.
    func digests(of manifest: Manifest) -> [ArraySlice<UInt8>] { manifest.scripts.indices.map { data[1 + 2 * $0] } }
}
