package import PatchCrypto
internal import PatchFeed
internal import PatchText

extension FeedRepository {
    package func entries(of id: String) -> [PatchEntryDraft] { list.entries.filter { $0.id == id } }

    /// The entry of a version, or of the highest version.
    ///
    /// - Parameter listed: The entries of the patch; nil to look for them.
    /// - Throws: `usage` if there is none.
    package func entry(
        _ id: String, version: Int?, of listed: [PatchEntryDraft]? = nil
    ) throws(PatchError) -> PatchEntryDraft {
        let all = (listed ?? entries(of: id)).filter { version == nil || $0.version == version }
        guard let entry = all.max(by: { $0.version < $1.version }) else {
            throw .unlisted(id, version: version, in: self)
        }
        return entry
    }

    /// The entry that a user means: the one of the given version, or else of the highest version.
    ///
    /// - Parameters:
    ///   - listed: The entries of the patch.
    ///   - isStopped: Whether it is to be withdrawn, paused, or put into shadow.
    /// - Throws: `usage` if there is none, or if no version is given and another one may be meant: a lower one that was
    ///   offered later, or a lower one that is active while the highest, which is to be stopped, is only in shadow.
    package func meantEntry(
        _ id: String, version: Int?, of listed: [PatchEntryDraft], isStopped: Bool = false
    ) throws(PatchError) -> PatchEntryDraft {
        let highest = try entry(id, version: version, of: listed)
        if version == nil, isStopped, highest.state == .shadow, let live = highest.fallback(among: listed) {
            throw PatchError(
                .usage,
                "\(id): version \(highest.version) is \(highest.words), and version \(live.version) is \(live.words)",
                remedy: .giveVersion)
        }
        guard version == nil, highest.state == .active, let offered = highest.offered else { return highest }
        let later = listed.first {
            $0.state == .active && $0.version != highest.version && ($0.offered ?? offered) > offered
        }
        guard let later else { return highest }
        throw PatchError(
            .usage,
            "\(id): version \(later.version) is \(later.words), later than version \(highest.version), which is \(highest.words)",
            remedy: .giveVersion)
    }
}

extension PatchError {
    /// An error for a patch, or a version of it, that a feed does not list.
    package static func unlisted(_ id: String, version: Int? = nil, in feed: FeedRepository) -> PatchError {
        let versions = feed.entries(of: id).map(\.version).sorted()
        if let version, !versions.isEmpty {
            return PatchError(
                .usage, "\(id): the feed has no version \(version) of it",
                hint: "it has \(versions.map(String.init).joined(separator: ", "))")
        }
        let known = Set(feed.list.entries.map(\.id))
        let longer = known.filter { $0.hasSuffix(".\(id)") }.sorted().prefix(4).joined(separator: " or ")
        let message = "\(id): no such patch in this feed"
        let meant = longer.isEmpty ? nearest(id, among: known) : longer
        guard let meant else {
            return PatchError(.usage, message, remedy: .lookAtPatches)
        }
        return PatchError(.usage, message, hint: "did you mean \(meant)?")
    }
}
