/// The rules that a sound patch must fit before it may run. A rule that is nil is not checked.
public struct VerificationPolicy: Sendable {
    /// The app's reverse-DNS name.
    public var app: String?
    /// The app's version.
    public var appVersion: AppVersion?
    /// The engine level that would run the patch.
    public var engineLevel: Int?
    /// The lowest patch version that is accepted.
    public var minimumVersion: Int?
    /// The moment at which neither the patch nor the keys that have signed it may have expired.
    public var time: Timestamp?

    /// Makes the policy of an app that runs patches.
    ///
    /// - Parameters:
    ///   - app: The app's reverse-DNS name.
    ///   - appVersion: The app's version.
    ///   - engineLevel: The engine level that would run the patch: `PatchRunner.engineLevel`.
    ///   - minimumVersion: The lowest patch version that is accepted.
    ///   - time: The moment at which neither the patch nor the keys that signed it may have expired. The library reads
    ///     no clock itself. To check no time, give nil.
    public init(app: String, appVersion: AppVersion, engineLevel: Int, minimumVersion: Int? = nil, time: Timestamp?) {
        self.app = app
        self.appVersion = appVersion
        self.engineLevel = engineLevel
        self.minimumVersion = minimumVersion
        self.time = time
    }

    private init() {}

    /// No rules, to look at a patch and never to run one. Rules can be set one by one.
    public static let unchecked = VerificationPolicy()

    /// Checks a manifest against every rule that is set.
    ///
    /// - Throws: `policy`, naming the first rule that the patch does not fit.
    package func check(_ manifest: Manifest) throws(PatchError) {
        if let app, !app.isByteEqual(to: manifest.app) {
            let own = app.isEmpty ? "no app is named" : "this is \(app)"
            throw PatchError(.policy, "the patch is for the app \(manifest.app), but \(own)")
        }
        if let appVersion, !manifest.appVersions.contains(appVersion) {
            throw PatchError(
                .policy, "the patch is for app versions \(manifest.appVersions), but this is \(appVersion)")
        }
        if let engineLevel, manifest.engineLevel > engineLevel {
            throw PatchError(
                .policy, "the patch needs engine level \(manifest.engineLevel), but this is \(engineLevel)",
                hint: "update the app first")
        }
        if let minimumVersion, manifest.version < minimumVersion {
            throw PatchError(
                .policy, "the patch is version \(manifest.version), below the minimum of \(minimumVersion)",
                hint: "a higher version was accepted before, or is asked for")
        }
        if let time, let expires = manifest.expires, manifest.hasExpired(at: time) {
            throw PatchError(
                .policy, "the patch expired at \(expires); the time is \(time)",
                hint: "pack it again with a later expiry")
        }
    }
}
