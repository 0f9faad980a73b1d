import PatchCrypto
import PatchFeed
import PatchPublishing

extension FeedRepository {
    /// The list's entries of a patch.
    func entries(of id: String) -> [PatchEntryDraft] { list.entries.filter { $0.id == id } }

    /// Why devices refuse the feed as it is.
    func faults(at now: Timestamp) -> [String] {
        var faults: [String] = []
        for role in Role.allCases {
            let expires = state(of: role).expires
            guard expires < now else { continue }
            faults.append("\(role) ended at \(expires): patchpack feed refresh DIR, with the key of that role")
        }
        if let published, published.secondsSince1970 - now.secondsSince1970 > 300 {
            faults.append("its list was signed by a clock that says \(published), and this one says \(now)")
        }
        return faults
    }

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
            .usage, "\(id): no such patch in this feed", hint: guess ?? "patchpack feed status DIR lists them")
    }

    /// An error if a place has a change that this folder has not.
    static func otherCopy(_ place: String, _ position: FeedRepository.Position) -> PatchError {
        PatchError(
            .feedConflict,
            "\(place): has snapshot \(position.snapshot), timestamp \(position.version), of another copy of this feed",
            hint:
                "take that copy, and make this change again in it; docs/operations.md says how, and how to give it up")
    }
}
