/// A patch whose envelope passed every check, so that a runner may run it.
///
/// Only a verification makes one. It holds exactly the bytes that were verified.
public struct VerifiedPatch: Sendable {
    /// The patch's manifest.
    public let manifest: Manifest
    /// The scripts, the entry first.
    public let scripts: [PatchScript]
    /// The scripts' digests in the envelope, in hex digits.
    package let digests: [[UInt8]]
    /// The ids of the trusted keys whose signatures were valid.
    public let signers: [KeyID]

    /// For `EnvelopeVerifier` only.
    init(manifest: Manifest, scripts: [PatchScript], digests: [[UInt8]], signers: [KeyID]) {
        self.manifest = manifest
        self.scripts = scripts
        self.digests = digests
        self.signers = signers
    }

    /// Makes a patch from unsigned scripts for tests, without any check.
    package init(unverifiedForTesting manifest: Manifest, scripts: [PatchScript]) {
        self.init(manifest: manifest, scripts: scripts, digests: [], signers: [])
    }
}
