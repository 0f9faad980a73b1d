package import PatchCrypto
internal import PatchFeed

// The status of a feed, for its signers.
extension FeedRepository {
    package struct RoleStatus: Sendable {
        package let role: FeedRole
        package let version: Int
        package let expires: Timestamp
        /// The whole days until it expires; negative afterwards.
        package let days: Int
        package let keyIDs: [String]
        package let threshold: Int
    }

    /// The roles, starting with the one that all others depend on.
    package func roles(at now: Timestamp) -> [RoleStatus] {
        [FeedRole.root, .targets, .rollout, .snapshot, .timestamp].map { role in
            let (version, expires) = state(of: role)
            let (ids, threshold) = keys(of: role)
            return RoleStatus(
                role: role, version: version, expires: expires, days: now.wholeDays(until: expires), keyIDs: ids,
                threshold: threshold)
        }
    }

    /// The reason why a signer has to act; nil if there is none.
    ///
    /// - Parameter days: How many whole days each role must still last.
    /// - Returns: `feed-expired` if a role ends before that, `clock` if the list or an online role was signed with a
    ///   clock that is ahead.
    package func alarm(lasting days: Int, at now: Timestamp) -> PatchError? {
        let late = roles(at: now).filter { $0.days < days }.map { status in
            status.days < 0 ? "\(status.role) has ended" : "\(status.role) ends in \(status.days) days"
        }
        guard late.isEmpty else {
            return PatchError(.feedExpired, late.joined(separator: "; "), remedy: .refresh)
        }
        let ends = [FeedRole.rollout, .snapshot, .timestamp].map { ($0, state(of: $0).expires) }
        return PatchError.signedAhead(published, ends, of: now)
    }

    /// The files that the release keys have signed, each with its state in the list.
    package var signedFiles: [(path: String, words: String)] {
        let listed = list.entries(by: \.path)
        return targets.map { target in
            guard target.path != PatchList.trustPath(for: app) else { return (target.path, "the trust store") }
            return (target.path, listed[target.path]?.words ?? "in no entry")
        }
    }
}

extension PatchError {
    /// The error `clock` if a feed was signed with a clock that is ahead; nil otherwise.
    ///
    /// - Parameters:
    ///   - published: When the list was signed, if that is known.
    ///   - ends: When roles end, which are renewed without a new list.
    package static func signedAhead(
        _ published: Timestamp?, _ ends: [(FeedRole, Timestamp)], of now: Timestamp
    ) -> PatchError? {
        var times = ends.map { role, end in (name: role.rawValue, signed: end.adding(days: -role.days)) }
        if let published { times.insert((name: "list", signed: published), at: 0) }
        guard let (name, signed) = times.first(where: { $0.signed.isAhead(of: now) }) else { return nil }
        return PatchError(
            .clock, "its \(name) was signed at \(signed), but this machine's clock shows \(now)",
            remedy: .signWithThisClock)
    }
}
