package import PatchCrypto

package struct Publication: Sendable {
    /// The envelope, which the caller has verified.
    let envelope: FeedFile.Contents
    /// The list's entry, without its path.
    package let entry: PatchEntryDraft

    package init(_ envelope: FeedFile.Contents, entry: PatchEntryDraft) {
        self.envelope = envelope
        self.entry = entry
    }

    /// Lists a patch under its name and version.
    package init(
        _ envelope: FeedFile.Contents, _ manifest: Manifest,
        _ body: (inout PatchEntryDraft) throws(PatchError) -> Void = { _ throws(PatchError) in }
    ) throws(PatchError) {
        var entry = PatchEntryDraft(manifest)
        try body(&entry)
        self.init(envelope, entry: entry)
    }

    package enum Listing: Sendable {
        case added
        case unchanged
        /// It is already listed in another way, which stays: offered to others, paused or withdrawn.
        case differs(PatchEntryDraft)
    }
}
