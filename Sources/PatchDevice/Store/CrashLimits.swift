/// How often something may fail before a device reacts.
public struct CrashLimits: Sendable {
    /// After how many failed launches patches on trial are taken back.
    public var trialFailures = 2
    /// After how many failed launches in a row without a patch on trial the app runs without patches.
    public var failures = 3

    /// The defaults.
    public init() {}
}
