internal import PatchCrypto

/// What a device is, for the feed, and how often it looks. All of it may change while the app runs.
public struct SyncSettings: Sendable {
    /// The app's environment, such as `release`. A feed of another one is refused.
    public var environment: String
    /// The user's id; nil if no user is signed in.
    public var user: String?
    /// The groups that the device is in, such as `qa`.
    public var groups: Set<String>
    /// The installation's name in rollouts and reports, such as that of a host or of a place in a StatefulSet; nil or empty for the random
    /// one that the folder keeps. Each process that has a folder of its own needs another name, and the same one at each start.
    public var installation: String?
    /// The least time between two syncs on return to the foreground, in whole seconds.
    public var smallestInterval = Duration.seconds(900)
    /// Up to which part of the interval is added to it by chance, so that devices do not come all at once.
    public var jitter = 0.2
    /// How long a sync may take as a whole. What was downloaded until then is kept.
    public var longest = Duration.seconds(600)
    /// The largest envelope to download, in bytes.
    public var envelopeLimit = 1 << 20

    /// Describes a device.
    ///
    /// - Parameters:
    ///   - environment: The app's environment, such as `release`.
    ///   - user: The user's id.
    ///   - groups: The groups that the device is in.
    ///   - installation: The installation's name; nil for the random one that the folder keeps.
    public init(
        environment: String = "release", user: String? = nil, groups: Set<String> = [], installation: String? = nil
    ) {
        self.environment = environment
        self.user = user
        self.groups = groups
        self.installation = installation
    }

    /// The name that counts.
    ///
    /// - Parameter kept: The random one that the folder keeps.
    func installation(or kept: String) -> String {
        if let installation, !installation.isEmpty { installation } else { kept }
    }

    /// The earliest next sync on return to the foreground; nil if there is no minimum interval.
    func nextSync(after now: Timestamp) -> Timestamp? {
        // More than a year is as good as never.
        let interval = min(smallestInterval.seconds, 366 * 86_400)
        let extra = Double(interval) * Double.random(in: 0...max(0, min(jitter, 1)))
        return Timestamp(secondsSince1970: now.secondsSince1970 + interval + Int(extra))
    }
}
