/// How a feed is read. The defaults are for a device with a network that comes and goes.
public struct HTTPSettings: Sendable {
    /// Whether the feed's own URL may be http. Everything is still verified, but anybody on the way sees it and can
    /// withhold it.
    public var allowsHTTP = false
    /// The path of a file with the certificates to trust (PEM); nil for those of the system.
    public var authorities: String?
    /// What a hint calls `authorities`, where a user names the file in another way.
    package var authoritiesName = "HTTPSettings.authorities"
    /// What a hint calls the permission to use http, where a user gives it in another way.
    package var allowsHTTPName = "HTTPSettings(allowsHTTP: true)"
    /// How long a connection may take to be made, in whole seconds.
    public var connectTime = Duration.seconds(10)
    /// How long nothing may come, in whole seconds.
    public var stallTime = Duration.seconds(30)
    /// How long one file may take, in whole seconds.
    public var fileTime = Duration.seconds(300)
    /// How often a transfer is tried again.
    public var retries = 2

    /// The defaults, but for what is given.
    ///
    /// - Parameters:
    ///   - allowsHTTP: Whether the feed's own URL may be http.
    ///   - authorities: The path of a file with the certificates to trust (PEM); nil for those of the system.
    public init(allowsHTTP: Bool = false, authorities: String? = nil) {
        self.allowsHTTP = allowsHTTP
        self.authorities = authorities
    }
}
