/// How often something may fail before a device reacts.
public struct CrashLimits: Sendable {
    /// The number of failed launches after which patches on trial are rolled back.
    public var trialFailures = 2
    /// The number of consecutive failed launches without a patch on trial after which the app runs without its patches.
    public var safeModeFailures = 3
    /// How long a crash counts: the uptime since the launch, or since the activation of a patch that was activated
    /// later. During this time, a crash counts against a new patch whether or not the app has confirmed. Against a
    /// patch that has proved itself, it counts only until the confirmation.
    public var watchDuration = Duration.seconds(600)

    /// The defaults.
    public init() {}

    /// The pause before a closed patch is tried again. It is as long as the watch, and doubles each time, to a day.
    ///
    /// - Parameter tries: How often it was tried again.
    func pause(after tries: Int) -> Duration {
        min(Uptime.bounded(watchDuration) * (1 << max(0, min(tries, Self.mostTries))), .seconds(86_400))
    }

    /// The number of tries after which pauses no longer become longer.
    static let mostTries = 20
}
