/// A patch whose envelope passed every check, so that a runner may run it.
///
/// Only a verification makes one. It holds exactly the bytes that were verified.
public struct VerifiedPatch: Sendable {
    /// The patch's manifest.
    public let manifest: Manifest
    /// The scripts, the entry first.
    public let scripts: [PatchScript]
    /// The manifest's bytes in the envelope, then each script's digest.
    ///
    /// In envelopes of one suite, they are the same if the contents are the same.
    package let unsealed: [[UInt8]]
    /// The ids of the trusted keys whose signatures were valid.
    public let signers: [KeyID]

    /// For `EnvelopeVerifier` only.
    init(manifest: Manifest, scripts: [PatchScript], unsealed: [[UInt8]], signers: [KeyID]) {
        self.manifest = manifest
        self.scripts = scripts
        self.unsealed = unsealed
        self.signers = signers
    }

    /// Makes a patch from unsigned scripts for tests, without any check.
    package init(unverifiedForTesting manifest: Manifest, scripts: [PatchScript]) {
        self.init(manifest: manifest, scripts: scripts, unsealed: [], signers: [])
    }
}
