/// A patch whose envelope passed every check: what a runner may run.
///
/// Only a verification makes one, and it holds the very bytes that were verified.
public struct VerifiedPatch: Sendable {
    /// What the patch says of itself.
    public let manifest: Manifest
    /// The scripts, the entry first.
    public let scripts: [PatchScript]
    /// The trusted keys whose signatures held.
    public let signers: [KeyID]

    /// For `EnvelopeVerifier` alone.
    init(manifest: Manifest, scripts: [PatchScript], signers: [KeyID]) {
        self.manifest = manifest
        self.scripts = scripts
        self.signers = signers
    }

    /// For tests of scripts that nobody has signed: none of the checks was made.
    package init(unverifiedForTesting manifest: Manifest, scripts: [PatchScript]) {
        self.init(manifest: manifest, scripts: scripts, signers: [])
    }
}
