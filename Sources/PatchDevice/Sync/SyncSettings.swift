internal import PatchCrypto
internal import PatchText

/// A device's settings for the feed, and how often it syncs. All of them may change while the app runs.
public struct SyncSettings: Sendable {
    /// The user's id; nil if no user is signed in.
    public var user: String?
    /// The groups that the device is in, such as `qa`.
    public var groups: Set<String>
    /// The installation's name in rollouts and reports, such as the name of a host or of a pod in a StatefulSet.
    ///
    /// If it is nil or empty, the random name that the folder keeps is used. Each process with its own folder needs its
    /// own name, and the same one at each start.
    public var installation: String?
    /// The minimum time between two syncs on return to the foreground, in whole seconds.
    public var minimumInterval = Duration.seconds(900)
    /// The largest part of the interval that is randomly added to it, so that devices do not all sync at the same time.
    public var jitter = 0.2
    /// How long a whole sync may take, at most a year. After that it fails, and patches that were downloaded by then
    /// are kept.
    public var timeLimit = Duration.seconds(600)
    /// The largest envelope to download, in bytes.
    public var envelopeBytes = 1 << 20

    /// Describes a device.
    ///
    /// - Parameters:
    ///   - user: The user's id.
    ///   - groups: The groups that the device is in.
    ///   - installation: The installation's name; nil for the random name that the folder keeps.
    public init(user: String? = nil, groups: Set<String> = [], installation: String? = nil) {
        self.user = user
        self.groups = groups
        self.installation = installation
    }

    /// - Parameter kept: The random name that the folder keeps.
    func installation(or kept: String) -> String { givenName ?? kept }

    /// The name that the app gives the installation; nil if it gives none.
    var givenName: String? { installation.flatMap { $0.isEmpty ? nil : $0 } }

    /// A part of an interval that is added to it at random.
    ///
    /// - Parameter jitter: The largest part. It counts as 0 if it is lower, and as 1 if it is higher.
    static func randomPart(upTo jitter: Double) -> Double { .random(in: 0...max(0, min(jitter, 1))) }

    /// The earliest next sync on return to the foreground; nil if it is out of the range of timestamps.
    func nextSync(after now: Timestamp) -> Timestamp? {
        // More than a year is as good as never.
        let interval = min(minimumInterval.seconds, 366 * 86_400)
        let extra = Double(interval) * Self.randomPart(upTo: jitter)
        return Timestamp(secondsSince1970: now.secondsSince1970 + interval + Int(extra))
    }
}
