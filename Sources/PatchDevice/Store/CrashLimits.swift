/// How often something may fail before a device reacts.
public struct CrashLimits: Sendable {
    /// The number of failures after which a patch is rolled back: failed launches on trial or in shadow, launches that
    /// ended while its script loaded, scripts that do not load, and openings of its breaker. A number below 1 counts
    /// as 1.
    public var trialFailures = 2 { didSet { trialFailures = max(1, trialFailures) } }
    /// The number of consecutive failed launches without a patch on trial after which the app runs without its patches,
    /// and of crashes after which a closed patch is banned. A number below 1 counts as 1.
    public var safeModeFailures = 3 { didSet { safeModeFailures = max(1, safeModeFailures) } }
    /// How long a crash counts: the uptime since the launch, or since the activation of a patch that was activated
    /// later. During this time, a crash counts against a new patch whether or not the app has confirmed. Against a
    /// patch that has proved itself, it counts only until the confirmation, unless the patch was activated in the
    /// middle of this launch. A negative duration counts as zero, and one of more than 366 days as 366 days.
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
