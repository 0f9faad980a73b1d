/// An envelope's zip, decrypted in place of the payload.
struct DecryptedPayload {
    fileprivate var bytes: [UInt8]
    fileprivate let archive: Range<Int>
    fileprivate let key: ScriptKey

    /// Decrypts a payload in place, so that it is not in memory twice.
    ///
    /// - Throws: `decryptFailed` if the key is missing or for another suite, or the payload cannot be decrypted with
    ///   it; `config` if the provider returns another key; `unavailable` if OpenSSL refuses the cipher; what the
    ///   provider throws.
    init(takenFrom envelope: inout UnverifiedEnvelope, keys: some ScriptKeyProvider) throws(PatchError) {
        key = try envelope.scriptKey(from: keys)
        let (suite, range) = (key.suite, envelope.payloadRange)
        guard suite.cipher.canHaveSealed(length: range.count) else {
            throw PatchError(
                .decryptFailed, "a payload of \(range.count) bytes cannot be sealed with \(suite.rawValue)")
        }
        bytes = envelope.takeBytes()
        guard
            let archive = try suite.cipher.open(range, of: &bytes, key: key.bytes, label: EnvelopeSuite.envelopeLabel)
        else {
            throw PatchError(
                .decryptFailed, "the payload cannot be decrypted with the script key that it names",
                hint: "before it was signed, it was sealed with another key or damaged; pack it again")
        }
        self.archive = archive
    }
}

/// The members of an envelope's zip, read and checked stage by stage.
struct EnvelopeContents {
    private let directory: ZipDirectory
    private var bytes: [UInt8] = []
    /// Where the zip is in the buffer.
    private let archive: Range<Int>
    /// The bytes of deflated members.
    private let inflated: [[UInt8]?]
    private let key: ScriptKey
    private let limits: EnvelopeLimits
    /// The members that were read and are not sealed: the manifest, then each script's digest.
    private(set) var unsealed: [[UInt8]] = []

    /// Runs the stage `zip`: reads every member. The payload's bytes are taken, and not copied.
    ///
    /// - Throws: `malformed` if the zip is outside the profile, `limit` if a limit is exceeded, `unavailable` if libzip
    ///   or zlib is out of memory.
    init(takenFrom payload: inout DecryptedPayload, limits: EnvelopeLimits) throws(PatchError) {
        archive = payload.archive
        directory = try ZipDirectory(in: payload.bytes, at: archive, limits: limits)
        inflated = try ZipArchive.inflated(directory, in: payload.bytes, at: archive)
        key = payload.key
        self.limits = limits
        swap(&bytes, &payload.bytes)
    }

    /// The bytes of a member. One that is stored is not copied.
    private func data(of index: Int) -> ArraySlice<UInt8> {
        inflated[index]?[...] ?? bytes[directory.members[index].data]
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

    /// Runs the stage `manifest`: reads the manifest, and checks that the zip holds the members for its scripts, in
    /// that order.
    ///
    /// - Throws: `malformed` if it is not, or they are not, `limit` if a limit is exceeded.
    mutating func manifest() throws(PatchError) -> Manifest {
        // The directory is known to have a member with this name.
        let index = directory.members.firstIndex { $0.name == ZipDirectory.manifestName } ?? 0
        unsealed = [Array(data(of: index))]
        let manifest = try Manifest(decoding: unsealed[0], limits: limits)
        guard directory.members.map(\.name) == Self.memberNames(for: manifest.scripts, suite: key.suite) else {
            throw .manifest(.malformed, "the zip's members are not exactly those that it lists, in that order")
        }
        return manifest
    }

    /// Runs the stage `scripts`: decrypts each script, and checks its size and its digest.
    ///
    /// - Throws: `decryptFailed` if a script cannot be decrypted, `digestMismatch` if its size or its digest is wrong,
    ///   `unavailable` if OpenSSL refuses the cipher or the hash function.
    mutating func takeScripts(of manifest: Manifest) throws(PatchError) -> [PatchScript] {
        let suite = key.suite
        var scripts: [PatchScript] = []
        for (index, script) in manifest.scripts.enumerated() {
            // The members are the manifest, and for each script its digest and its sealed bytes.
            let digest = Array(data(of: 1 + 2 * index))
            unsealed.append(digest)
            guard let bytes = try open(member: 2 + 2 * index, script.name) else {
                throw PatchError(
                    .decryptFailed, "\(script.name) cannot be decrypted with the script key", hint: "pack it again")
            }
            guard bytes.count == script.byteCount else {
                throw PatchError(
                    .digestMismatch, "\(script.name) has \(bytes.count) bytes, but \(script.byteCount) in the manifest",
                    hint: "pack it again")
            }
            guard try suite.digest.hexadecimal(of: bytes) == digest else {
                throw PatchError(
                    .digestMismatch, "\(script.name) does not match its \(suite.digest.rawValue)",
                    hint: "pack it again")
            }
            scripts.append(PatchScript(name: script.name, bytes: bytes))
        }
        return scripts
    }

    /// Decrypts a sealed script; nil if it cannot be decrypted.
    ///
    /// The last member is decrypted in place and takes over the payload's memory, if it is stored and is more than half
    /// of the payload. No member is read after it.
    private mutating func open(member index: Int, _ name: String) throws(PatchError) -> [UInt8]? {
        let cipher = key.suite.cipher
        let range = inflated[index]?.indices ?? directory.members[index].data
        guard cipher.canHaveSealed(length: range.count) else { return nil }
        let isLast = index == inflated.count - 1
        guard isLast, inflated[index] == nil, range.count > bytes.count / 2 else {
            return try cipher.opened(data(of: index), key: key.bytes, label: name)
        }
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        guard let plaintext = try cipher.open(range, of: &taken, key: key.bytes, label: name) else { return nil }
        taken.removeSubrange(plaintext.upperBound...)
        taken.removeSubrange(..<plaintext.lowerBound)
        return taken
    }
}
