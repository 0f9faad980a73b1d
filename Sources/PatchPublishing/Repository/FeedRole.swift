internal import PatchFeed

/// A role of a feed, in the order in which changes are signed.
package enum FeedRole: String, CaseIterable, Sendable {
    case targets, rollout, snapshot, root, timestamp

    package var days: Int {
        switch self {
        case .root, .targets: 365
        case .rollout, .snapshot: 30
        case .timestamp: 7
        }
    }

    package var keyName: String {
        switch self {
        case .root: "the root key"
        case .targets: "the release key"
        case .rollout, .snapshot, .timestamp: "the online key"
        }
    }

    /// The roles whose changes may wait for signatures. The other two are made last, from these.
    static let drafted: [FeedRole] = [.targets, .rollout, .root]

    var type: String { self == .rollout ? TargetsMetadata.type : rawValue }

    /// The place of its keys in the root file; nil for the role that is delegated to.
    var rootKeys: WritableKeyPath<RootMetadata, RoleKeys>? {
        switch self {
        case .root: \.root
        case .targets: \.targets
        case .snapshot: \.snapshot
        case .timestamp: \.timestamp
        case .rollout: nil
        }
    }
}
