/// How often something may fail before a device reacts.
public struct CrashLimits: Sendable {
    /// After how many failed launches patches on trial are rolled back.
    public var trialFailures = 2
    /// After how many failed launches in a row without a patch on trial the app runs without patches.
    public var failures = 3
    /// How long a crash counts: the uptime from the launch on, and for what is activated later, from its activation on. In that time
    /// it counts for a new patch whether the app has confirmed or not; for one that has proved itself, only until the confirmation.
    public var watch = Duration.seconds(600)

    /// The defaults.
    public init() {}
}
