import PatchCrypto
import PatchFeed
import PatchPublishing

extension FeedRepository {
    /// The list's entries of a patch.
    func entries(of id: String) -> [PatchEntryDraft] { list.entries.filter { $0.id == id } }

    /// One entry: of a version, or of the highest one.
    func entry(_ id: String, version: Int?) throws(PatchError) -> PatchEntryDraft {
        let all = entries(of: id).filter { version == nil || $0.version == version }
        guard let entry = all.max(by: { $0.version < $1.version }) else {
            throw .unlisted(id, version: version, in: self)
        }
        return entry
    }
}

extension PatchError {
    static func unlisted(_ id: String, version: Int? = nil, in feed: FeedRepository) -> PatchError {
        let versions = feed.entries(of: id).map(\.version).sorted()
        if let version, !versions.isEmpty {
            return PatchError(
                .usage, "\(id): the feed has no version \(version) of it",
                hint: "it has \(versions.map(String.init).joined(separator: ", "))")
        }
        let known = feed.list.entries.map(\.id)
        let guess = nearest(id, among: Set(known)).map { "did you mean \($0)?" }
        return PatchError(
            .usage, "\(id): no such patch in this feed", hint: guess ?? "patchpack feed preview DIR lists them")
    }
}
