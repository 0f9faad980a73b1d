package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// The list's entries of a patch.
    package func entries(of id: String) -> [PatchEntryDraft] { list.entries.filter { $0.id == id } }

    /// A reason why devices refuse a feed.
    package enum Fault: Sendable, Equatable {
        /// The metadata of a role have ended.
        case ended(Role, at: Timestamp)
        /// The list was signed by a clock that is ahead of this one.
        case signedAhead(Timestamp)
    }

    /// Why devices refuse the feed as it is.
    package func faults(at now: Timestamp) -> [Fault] {
        let ended = Role.allCases.filter { state(of: $0).expires < now }
        let faults = ended.map { Fault.ended($0, at: state(of: $0).expires) }
        guard let published, Self.isAhead(published, of: now) else { return faults }
        return faults + [.signedAhead(published)]
    }

    /// Whether a list was signed by a clock that is further ahead than clocks may differ: five minutes.
    package static func isAhead(_ published: Timestamp, of now: Timestamp) -> Bool {
        published.secondsSince1970 - now.secondsSince1970 > 300
    }

    /// One entry: of a version, or of the highest one.
    package func entry(_ id: String, version: Int?) throws(PatchError) -> PatchEntryDraft {
        let all = entries(of: id).filter { version == nil || $0.version == version }
        guard let entry = all.max(by: { $0.version < $1.version }) else {
            throw .unlisted(id, version: version, in: self)
        }
        return entry
    }
}

extension PatchError {
    package static func unlisted(_ id: String, version: Int? = nil, in feed: FeedRepository) -> PatchError {
        let versions = feed.entries(of: id).map(\.version).sorted()
        if let version, !versions.isEmpty {
            return PatchError(
                .usage, "\(id): the feed has no version \(version) of it",
                hint: "it has \(versions.map(String.init).joined(separator: ", "))")
        }
        let known = feed.list.entries.map(\.id)
        if let guess = nearest(id, among: Set(known)) {
            return PatchError(.usage, "\(id): no such patch in this feed", hint: "did you mean \(guess)?")
        }
        return PatchError(.usage, "\(id): no such patch in this feed", remedy: PublishingRemedy.lookAtPatches)
    }
}
