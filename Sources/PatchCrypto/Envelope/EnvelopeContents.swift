/// The stages of the reading order that lie behind the payload's encryption.
enum EnvelopeContents {
    /// The zip's members in their order for a manifest's scripts.
    static func memberNames(for scripts: [Manifest.Script], suite: EnvelopeSuite) -> [String] {
        [ZipDirectory.manifestName]
            + scripts.flatMap { [$0.name + suite.digestSuffix, $0.name + EnvelopeSuite.sealedSuffix] }
    }

    /// The stage `manifest`: reads it, and checks that the zip holds what it lists, in that order.
    static func manifest(
        of directory: ZipDirectory, contents: [[UInt8]], suite: EnvelopeSuite, limits: EnvelopeLimits
    ) throws(PatchError) -> Manifest {
        guard let index = directory.members.firstIndex(where: { $0.name == ZipDirectory.manifestName }) else {
            throw PatchError(.malformed, "zip: no \(ZipDirectory.manifestName) in it")
        }
        let manifest = try Manifest(decoding: contents[index], limits: limits)
        guard directory.members.map(\.name) == memberNames(for: manifest.scripts, suite: suite) else {
            throw PatchError(.malformed, "manifest: the zip's members are not those that it lists, in its order")
        }
        return manifest
    }

    /// The stage `scripts`: opens each where it lies and checks its size and its digest.
    ///
    /// - Parameter contents: The zip's members in the manifest's order; the scripts are taken out, so that none is held twice.
    static func scripts(
        of manifest: Manifest, contents: inout [[UInt8]], key: ScriptKey
    ) throws(PatchError) -> [PatchScript] {
        let suite = key.suite
        var scripts: [PatchScript] = []
        for (index, script) in manifest.scripts.enumerated() {
            let digest = contents[1 + 2 * index]
            var bytes: [UInt8] = []
            swap(&bytes, &contents[2 + 2 * index])
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
                    .digestMismatch, "\(script.name) has \(bytes.count) bytes, and the manifest says \(script.size)",
                    hint: "pack it again")
            }
            guard try suite.digest.hexadecimal(of: bytes) == digest else {
                throw PatchError(
                    .digestMismatch, "\(script.name) is not what its \(suite.digest.rawValue) says",
                    hint: "pack it again")
            }
            scripts.append(PatchScript(name: script.name, bytes: bytes))
        }
        return scripts
    }
}
