public import PatchCrypto

/// The program that patches run in.
public struct HostInfo: Sendable {
    /// The app's reverse-DNS name. Patches for other apps are refused.
    public let app: String
    /// The app's version. Patches for other versions are refused.
    public let version: AppVersion

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - app: The app's reverse-DNS name, such as `com.example.shop`.
    ///   - version: One to four dotted numbers, such as `2.3.1`.
    /// - Throws: `config` if one of them has another form.
    public init(app: String, version: String) throws(PatchError) {
        guard NameForm.isReverseDNS(app) else {
            throw PatchError(
                .config, "the app's name `\(app)` is not a reverse-DNS name",
                hint: "use one such as com.example.shop, as the manifests of its patches do")
        }
        guard let version = AppVersion(version) else {
            throw PatchError(
                .config, "the app version `\(version)` \(AppVersion.fault(in: version) ?? "is wrong")",
                hint: "use one to four numbers joined by dots, such as 2.3.1")
        }
        self.init(app: app, version: version)
    }

    /// Describes the program that a device's folder is of.
    package init(app: String, version: AppVersion) {
        self.app = app
        self.version = version
    }
}
