import PatchCrypto
import PatchFeed
import PatchPublishing

extension FeedRepository {
    /// The list's entries of a patch.
    func entries(of id: String) -> [JSONValue] {
        (list["patches"]?.elements ?? []).filter { $0["id"]?.text == id }
    }

    /// One entry: of a version, or of the highest one.
    func entry(_ id: String, version: Int?) throws(PatchError) -> JSONValue {
        let all = entries(of: id).filter { version == nil || $0.version == version }
        guard let entry = all.max(by: { ($0.version ?? 0) < ($1.version ?? 0) }) else { throw .unlisted(id, self) }
        return entry
    }
}

extension JSONValue {
    /// The version of a list's entry.
    var version: Int? {
        guard case .integer(let version) = self["version"] else { return nil }
        return version
    }
}

extension PatchError {
    static func unlisted(_ id: String, _ feed: FeedRepository) -> PatchError {
        let known = (feed.list["patches"]?.elements ?? []).compactMap { $0["id"]?.text }
        let guess = nearest(id, among: Set(known)).map { "did you mean \($0)?" }
        return PatchError(
            .usage, "\(id): no such patch in this feed", hint: guess ?? "patchpack feed preview DIR lists them")
    }
}
