import PatchCrypto
import PatchFiles

// The files that envelopes may replace.
extension PackJob {
    /// The paths of the files that the envelopes replace.
    ///
    /// - Throws: `exists` if an envelope must not replace an existing file, `io` if that is not a regular file.
    func replaced(by results: [Result]) throws(PatchError) -> Set<Path> {
        var paths: Set<Path> = []
        for result in results {
            guard let file = result.file, let manifest = result.manifest else { continue }
            let isReplaced = try replaces(file.path, manifest)
            try file.checkPlace(force: isReplaced)
            if isReplaced { paths.insert(file.path) }
        }
        return paths
    }

    /// Whether an envelope may replace the existing file: any file with `--force`, a lower version of the same patch
    /// with `--upgrade`. False if there is no file.
    ///
    /// - Throws: `exists` if it may not.
    private func replaces(_ path: Path, _ manifest: Manifest) throws(PatchError) -> Bool {
        guard !forces else { return true }
        guard FileInfo(path, following: false) != nil else { return false }
        guard upgrades else {
            throw PatchError(
                .exists, "already exists",
                hint: "give --upgrade to replace a lower version, or --force to replace anything"
            ).about(path)
        }
        if let refusal = refusal(of: manifest, at: path) { throw refusal }
        return true
    }

    /// The reason why an envelope is not an upgrade of the file at a path; nil if it is, or if there is no regular
    /// file.
    func refusal(of manifest: Manifest, at path: Path) -> PatchError? {
        guard FileInfo(path, following: false)?.isRegular == true else { return nil }
        func refusal(_ what: String, _ hint: String) -> PatchError { PatchError(.exists, what, hint: hint).about(path) }
        let old: Manifest
        do throws(PatchError) {
            let bytes = try InputFile.contents(of: path, limit: packer.limits.envelopeSize)
            old = try EnvelopeVerifier(trustStore: trustStore, policy: .unchecked)
                .verify(bytes, scriptKeys: packer.scriptKey).manifest
        } catch {
            return refusal(
                "already exists, and is not a patch that these keys verify: \(error.message)", Self.forceHint)
        }
        guard old.id == manifest.id else { return refusal("already exists, and is \(old.id)", Self.forceHint) }
        guard old.version >= manifest.version else { return nil }
        let version =
            old.version == manifest.version
            ? "same version \(old.version), and other bytes" : "higher version \(old.version)"
        return refusal("already exists with the \(version)", "a changed patch needs a higher version")
    }

    private static let forceHint = "name another output, or give --force to replace it"
}
