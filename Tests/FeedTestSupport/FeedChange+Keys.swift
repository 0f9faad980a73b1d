package import PatchFiles
package import PatchPublishing

extension FeedChange {
    /// A change by who trusts the root file beside a key, or one that is given.
    package init(
        of folder: FeedFolder, _ settings: Settings, signers: [FeedSigner], root: Path? = nil, keys: [Path] = [],
        warn: @escaping (Warning) -> Void = { _ in }
    ) {
        let pin = PinnedRoot(of: folder, given: root, keys: keys, hasKey: true)
        self.init(of: folder, settings, signers: signers, pin: pin, warn: warn)
    }
}
