/// How a feed is read. The defaults are for a device with a network that comes and goes.
public struct HTTPSettings: Sendable {
    /// Whether the feed's own URL may be http. Everything is still verified, but anyone on the network path can see it
    /// and withhold it.
    public var allowsHTTP = false
    /// The path of a file with the certificates to trust (PEM); nil for the system's certificates.
    public var authoritiesFile: String?
    /// The name of `authoritiesFile` in a hint, if a user names the file in another way.
    package var authoritiesName = "HTTPSettings.authoritiesFile"
    /// The name of `allowsHTTP` in a hint, if a user allows http in another way.
    package var allowsHTTPName = "HTTPSettings(allowsHTTP: true)"
    /// The maximum time to connect, in whole seconds, at least one.
    public var connectTime = Duration.seconds(10)
    /// The maximum time without any data, in whole seconds, at least one.
    public var stallTime = Duration.seconds(30)
    /// The maximum time for one file, in whole seconds, at least one.
    public var fileTime = Duration.seconds(300)
    /// How many times a transfer is tried again.
    public var retries = 2

    /// The defaults, except the given values.
    ///
    /// - Parameters:
    ///   - allowsHTTP: Whether the feed's own URL may be http.
    ///   - authoritiesFile: The path of a file with the certificates to trust (PEM); nil for the system's certificates.
    public init(allowsHTTP: Bool = false, authoritiesFile: String? = nil) {
        self.allowsHTTP = allowsHTTP
        self.authoritiesFile = authoritiesFile
    }
}
