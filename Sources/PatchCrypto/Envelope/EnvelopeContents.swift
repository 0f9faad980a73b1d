/// An envelope's zip, decrypted where its payload was.
struct DecryptedPayload {
    fileprivate var bytes: [UInt8]
    fileprivate let archive: Range<Int>
    fileprivate let key: ScriptKey

    /// Decrypts a payload in place, so that it is not held twice.
    ///
    /// - Parameter keys: One of them is the key that the delimiter names.
    /// - Throws: `decryptFailed` if none is, or the payload does not open with it.
    init(of envelope: consuming UnverifiedEnvelope, keys: some ScriptKeyProvider) throws(PatchError) {
        key = try envelope.scriptKey(from: keys)
        let (suite, range) = (key.suite, envelope.payloadRange)
        guard suite.cipher.canHaveSealed(length: range.count) else {
            throw PatchError(.decryptFailed, "a payload of \(range.count) bytes cannot be \(suite.rawValue)")
        }
        bytes = envelope.takeBytes()
        guard
            let archive = try suite.cipher.open(range, of: &bytes, key: key.bytes, label: EnvelopeSuite.envelopeLabel)
        else {
            throw PatchError(
                .decryptFailed, "the payload does not open with the script key that it names",
                hint: "it was sealed with another key before it was signed, or was damaged before that")
        }
        self.archive = archive
    }
}

/// What an envelope holds: the members of its zip, read and checked one stage after the other.
struct EnvelopeContents {
    /// Bytes of the zip.
    let zipSize: Int
    /// The zip's members, in their order.
    let members: [UnverifiedContents.Member]
    private var data: [[UInt8]]
    private let key: ScriptKey
    private let limits: EnvelopeLimits

    /// The stage `zip`: reads every member.
    init(of payload: consuming DecryptedPayload, limits: EnvelopeLimits) throws(PatchError) {
        let archive = payload.archive
        let directory = try ZipDirectory(in: payload.bytes, at: archive, limits: limits)
        data = try ZipArchive.read(directory, in: payload.bytes, at: archive)
        members = directory.members.map { member in
            UnverifiedContents.Member(
                name: member.name, offset: member.data.lowerBound - archive.lowerBound, storedSize: member.data.count,
                size: member.size)
        }
        zipSize = archive.count
        key = payload.key
        self.limits = limits
    }

    /// The zip's members in their order for a manifest's scripts.
    static func memberNames(for scripts: [Manifest.Script], suite: EnvelopeSuite) -> [String] {
        [ZipDirectory.manifestName]
            + scripts.flatMap { [$0.name + suite.digestSuffix, $0.name + EnvelopeSuite.sealedSuffix] }
    }

    /// The stage `manifest`: reads it, and checks that the zip holds what it lists, in that order.
    func manifest() throws(PatchError) -> Manifest {
        // The directory has a member of this name.
        let index = members.firstIndex { $0.name == ZipDirectory.manifestName } ?? 0
        let manifest = try Manifest(decoding: data[index], limits: limits)
        guard members.map(\.name) == Self.memberNames(for: manifest.scripts, suite: key.suite) else {
            throw .manifest(.malformed, "the zip's members are not those that it lists, in its order")
        }
        return manifest
    }

    /// The stage `scripts`: opens each and checks its size and its digest.
    ///
    /// - Parameter manifest: These contents' own.
    consuming func scripts(of manifest: Manifest) throws(PatchError) -> [PatchScript] {
        let suite = key.suite
        var scripts: [PatchScript] = []
        // The members are the manifest, and for each script its digest and its sealed bytes.
        var rest = data[1...]
        for script in manifest.scripts {
            let digest = rest.removeFirst()
            var bytes = rest.removeFirst()
            guard suite.cipher.canHaveSealed(length: bytes.count),
                let plaintext = try suite.cipher.open(0..<bytes.count, of: &bytes, key: key.bytes, label: script.name)
            else {
                throw PatchError(
                    .decryptFailed, "\(script.name) does not open with the script key", hint: "pack it again")
            }
            bytes.removeSubrange(plaintext.upperBound...)
            bytes.removeSubrange(..<plaintext.lowerBound)
            guard bytes.count == script.size else {
                throw PatchError(
                    .digestMismatch, "\(script.name) has \(bytes.count) bytes, but the manifest says \(script.size)",
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
}
