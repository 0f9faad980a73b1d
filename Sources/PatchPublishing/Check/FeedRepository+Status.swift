package import PatchCrypto
internal import PatchFeed

// What a signer has to know of a feed as it is.
extension FeedRepository {
    /// Who signs a role, and how long its metadata last.
    package struct RoleStatus: Sendable {
        package let role: Role
        package let version: Int
        package let expires: Timestamp
        /// The whole days until then; negative after it.
        package let days: Int
        package let keyIDs: [String]
        package let threshold: Int
    }

    /// The roles, from the one that all others depend on.
    package func roles(at now: Timestamp) -> [RoleStatus] {
        [Role.root, .targets, .rollout, .snapshot, .timestamp].map { role in
            let (version, expires) = state(of: role)
            let (ids, threshold) = keys(of: role)
            return RoleStatus(
                role: role, version: version, expires: expires, days: now.wholeDays(until: expires), keyIDs: ids,
                threshold: threshold)
        }
    }

    /// Why a signer has to act; nil if there is no reason.
    ///
    /// - Parameter days: How many whole days the metadata of each role must last.
    /// - Returns: `feed-expired` if they do not, `clock` if the list was signed by a clock that is ahead.
    package func alarm(lasting days: Int, at now: Timestamp) -> PatchError? {
        let late = roles(at: now).filter { $0.days < days }.map { status in
            status.days < 0 ? "\(status.role) has ended" : "\(status.role) ends in \(status.days) days"
        }
        guard late.isEmpty else {
            return PatchError(.feedExpired, late.joined(separator: "; "), remedy: PublishingRemedy.refresh)
        }
        return published.flatMap { PatchError.signedAhead($0, of: now) }
    }

    /// The files that the release keys have signed, and what the list says of each.
    package var signedFiles: [(path: String, words: String)] {
        targets.map { target in
            guard target.path != PatchList.trustPath(for: app) else { return (target.path, "the trust store") }
            return (target.path, list.entries.first { $0.path == target.path }?.words ?? "in no entry")
        }
    }
}

extension PatchError {
    /// An error if a list was signed by a clock that is ahead; nil if not.
    package static func signedAhead(_ published: Timestamp, of now: Timestamp) -> PatchError? {
        guard FeedRepository.isAhead(published, of: now) else { return nil }
        return PatchError(
            .clock, "its list was signed at \(published), but this machine's clock shows \(now)",
            remedy: PublishingRemedy.signWithThisClock)
    }
}
