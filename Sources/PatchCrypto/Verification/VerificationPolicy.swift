/// What a sound patch must fit before it may run; a rule that is nil is not checked.
public struct VerificationPolicy: Sendable {
    /// The app's reverse-DNS name.
    public var app: String?
    /// The app's version.
    public var appVersion: AppVersion?
    /// The engine level that would run the patch.
    public var engine: Int?
    /// The lowest patch version that is accepted.
    public var floor: Int?
    /// The moment at which the patch must not have expired.
    public var time: Timestamp?

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - time: The moment at which the patch, and the keys that signed it, must not have ended. This library takes no time
    ///     by itself, and a forgotten clock must not pass for a choice: nil has to be said.
    ///   - app: The app's reverse-DNS name.
    ///   - appVersion: The app's version.
    ///   - engine: The engine level that would run the patch.
    ///   - floor: The lowest patch version that is accepted.
    public init(
        time: Timestamp?, app: String? = nil, appVersion: AppVersion? = nil, engine: Int? = nil, floor: Int? = nil
    ) {
        self.app = app
        self.appVersion = appVersion
        self.engine = engine
        self.floor = floor
        self.time = time
    }

    /// No rule at all: for looking at a patch, and not for running it.
    public static let none = VerificationPolicy(time: nil)

    /// Checks a manifest against every rule that is set.
    ///
    /// - Throws: `policy`, naming the first rule that the patch does not fit.
    package func check(_ manifest: Manifest) throws(PatchError) {
        if let app, !app.hasBytes(of: manifest.app) {
            throw PatchError(
                .policy, "the patch is for the app \(manifest.app), and this is \(app.isEmpty ? "no app" : app)")
        }
        if let appVersion, !manifest.appVersions.contains(appVersion) {
            throw PatchError(
                .policy, "the patch is for app versions \(manifest.appVersions), and this is \(appVersion)")
        }
        if let engine, manifest.engine > engine {
            throw PatchError(
                .policy, "the patch needs engine level \(manifest.engine), and this is \(engine)",
                hint: "update the app before it takes this patch")
        }
        if let floor, manifest.version < floor {
            throw PatchError(
                .policy, "the patch is version \(manifest.version), below the floor of \(floor)",
                hint: "a newer version of it was accepted before")
        }
        if let time, let expires = manifest.expires, expires <= time {
            throw PatchError(.policy, "the patch expired at \(expires), and it is \(time)", hint: "pack it again")
        }
    }
}
