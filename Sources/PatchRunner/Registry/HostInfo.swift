public import PatchCrypto

/// The program that patches run in.
public struct HostInfo: Sendable {
    /// The app's reverse-DNS name, which a patch must be for.
    public let app: String
    /// The app's version, which a patch must fit.
    public let version: AppVersion

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - app: Its reverse-DNS name, such as `com.example.shop`.
    ///   - version: One to four dotted numbers, such as `2.3.1`.
    /// - Throws: `config` for a version of another form.
    public init(app: String, version: String) throws(PatchError) {
        guard let version = AppVersion(version) else {
            throw PatchError(
                .config, "`\(version)` is not an app version", hint: "use one to four numbers joined by dots")
        }
        self.app = app
        self.version = version
    }
}
