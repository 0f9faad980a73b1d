package import PatchCrypto

/// A reason why devices refuse a feed.
package enum FeedFault: Sendable, Equatable {
    /// The metadata of a role have expired.
    case ended(FeedRole, at: Timestamp)
    /// The list was signed with a clock that is ahead of this one.
    case signedAhead(Timestamp)
}

extension FeedRepository {
    /// The reasons why devices refuse the current feed.
    package func faults(at now: Timestamp) -> [FeedFault] {
        let ended = FeedRole.allCases.filter { state(of: $0).expires < now }
        let faults = ended.map { FeedFault.ended($0, at: state(of: $0).expires) }
        guard let published, published.isAhead(of: now) else { return faults }
        return faults + [.signedAhead(published)]
    }
}
