/// The rules that a sound patch must fit before it may run. A rule that is nil is not checked.
public struct VerificationPolicy: Sendable {
    /// The app's reverse-DNS name.
    public var app: String?
    /// The app's version.
    public var appVersion: AppVersion?
    /// The engine level that would run the patch.
    public var engine: Int?
    /// The lowest patch version that is accepted.
    public var minimumVersion: Int?
    /// The moment at which the patch must not have expired.
    public var time: Timestamp?

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - time: The moment at which neither the patch nor the keys that signed it may have expired. The library reads no
    ///     clock itself. To check no time, give nil; there is no default, so that a clock cannot be forgotten.
    ///   - app: The app's reverse-DNS name.
    ///   - appVersion: The app's version.
    ///   - engine: The engine level that would run the patch.
    ///   - minimumVersion: The lowest patch version that is accepted.
    public init(
        time: Timestamp?, app: String? = nil, appVersion: AppVersion? = nil, engine: Int? = nil,
        minimumVersion: Int? = nil
    ) {
        self.app = app
        self.appVersion = appVersion
        self.engine = engine
        self.minimumVersion = minimumVersion
        self.time = time
    }

    /// No rules. Use it to look at a patch, never to run one.
    public static let none = VerificationPolicy(time: nil)

    /// Checks a manifest against every rule that is set.
    ///
    /// - Throws: `policy`, naming the first rule that the patch does not fit.
    package func check(_ manifest: Manifest) throws(PatchError) {
        if let app, !app.isByteEqual(to: manifest.app) {
            throw PatchError(
                .policy,
                "the patch is for the app \(manifest.app), but \(app.isEmpty ? "no app is named" : "this is \(app)")")
        }
        if let appVersion, !manifest.appVersions.contains(appVersion) {
            throw PatchError(
                .policy, "the patch is for app versions \(manifest.appVersions), but this is \(appVersion)")
        }
        if let engine, manifest.engine > engine {
            throw PatchError(
                .policy, "the patch needs engine level \(manifest.engine), but this is \(engine)",
                hint: "update the app first")
        }
        if let minimumVersion, manifest.version < minimumVersion {
            throw PatchError(
                .policy, "the patch is version \(manifest.version), below the minimum of \(minimumVersion)",
                hint: "a newer version of the patch was accepted before")
        }
        if let time, let expires = manifest.expires, manifest.hasExpired(at: time) {
            throw PatchError(
                .policy, "the patch expired at \(expires); the time is \(time)",
                hint: "pack it again with a later expiry")
        }
    }
}
