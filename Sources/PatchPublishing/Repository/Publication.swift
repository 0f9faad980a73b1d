package import PatchCrypto

/// An envelope to publish, and how it is listed.
package struct Publication: Sendable {
    /// The envelope, which the caller has verified.
    let envelope: FeedFile.Contents
    /// The list's entry, without its path.
    package let entry: PatchEntryDraft

    package init(_ envelope: FeedFile.Contents, entry: PatchEntryDraft) {
        self.envelope = envelope
        self.entry = entry
    }

    /// Lists a patch as its manifest describes it, for all devices.
    ///
    /// - Parameter body: Changes the entry, such as for whom it is.
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
