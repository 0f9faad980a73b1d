public import PatchCrypto
internal import PatchFiles
public import PatchRunner
internal import Synchronization

/// Runs patches against real closures, for tests in Swift Testing or XCTest.
///
///     let host = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
///     let shop = try Shop(registry: host.registry)
///     try host.install(scriptAt: "patches/cart-total.lua")
///     #expect(shop.total(9.5, -2) == 0)
///     #expect(host.failures.isEmpty)
///
/// It accepts unsigned scripts, which a `PatchRunner` never does. Do not use it in an app.
public final class PatchTestHost: Sendable {
    /// The functions that patches replace.
    public let registry = PatchRegistry()
    /// The runner that activates the patches.
    public let runner: PatchRunner
    private let recorder = Recorder()

    private final class Recorder: Sendable {
        let events = Mutex<[RunnerEvent]>([])
    }

    /// Makes an empty test host.
    ///
    /// - Parameters:
    ///   - app: The app's reverse-DNS name. Patches must be for this app.
    ///   - version: The app's version. Patches must be for this version.
    ///   - time: The current time, for patches that expire. If it is nil, a patch that expires is refused.
    ///   - limits: The limits of each patch.
    /// - Throws: `config` if `app` or `version` is malformed.
    public init(app: String, version: String, time: Timestamp? = nil, limits: PatchLimits = PatchLimits())
        throws(PatchError)
    {
        let recorder = recorder
        runner = PatchRunner(
            registry: registry, host: try HostInfo(app: app, version: version), limits: limits, clock: { time },
            onEvent: { event in recorder.events.locked { $0.append(event) } }, checksHost: true, onLine: nil)
    }

    /// All events, in order.
    public var events: [RunnerEvent] { recorder.events.locked { $0 } }

    /// The calls in which a patch failed, in order.
    public var failures: [RunnerEvent.FailedCall] {
        events.compactMap { if case .failed(let call) = $0.kind { call } else { nil } }
    }

    /// The lines that patches wrote to the log, in order.
    public var logs: [RunnerEvent.LogLine] {
        events.compactMap { if case .logged(let line) = $0.kind { line } else { nil } }
    }

    /// How often the active patch of a function was called.
    ///
    /// - Parameter name: The function's name, such as `Cart.total`.
    /// - Returns: The calls of the topmost patch; 0 if no patch is active.
    public func calls(of name: String) -> Int {
        registry.state.first { $0.name == name }?.patches.last?.calls ?? 0
    }

    /// What the patch in shadow of a function would have changed so far.
    ///
    /// - Parameter name: The function's name, such as `Cart.total`.
    /// - Returns: nil if no patch is in shadow of it.
    public func comparison(of name: String) -> RunnerEvent.Comparison? {
        registry.state.first { $0.name == name }?.shadows.last?.comparison
    }

    /// Installs a patch from scripts on disk. The tags of the entry describe the patch.
    ///
    /// - Parameters:
    ///   - path: The entry's path.
    ///   - others: The other scripts of a bundle: their names in the envelope, such as `lib/tax.lua`, and their paths.
    ///   - inShadow: Whether it runs in shadow, and never answers.
    /// - Throws: `no-input` if a file is missing, `malformed` if a tag is missing or wrong, and the errors of
    ///   `PatchRunner.load`.
    @discardableResult
    public func install(
        scriptAt path: String, others: [String: String] = [:], inShadow: Bool = false
    ) throws(PatchError) -> LoadedPatch {
        let path = Path(path)
        var scripts = [PatchScript(name: path.name.description, bytes: try Self.contents(of: path))]
        for (name, file) in others.sorted(by: { $0.key < $1.key }) {
            scripts.append(PatchScript(name: name, bytes: try Self.contents(of: Path(file))))
        }
        return try install(scripts, inShadow)
    }

    /// Installs a patch from a script's text. The tags of the script describe the patch.
    ///
    /// - Parameters:
    ///   - source: The Lua source, which begins with the tags.
    ///   - inShadow: Whether it runs in shadow, and never answers.
    /// - Throws: `malformed` if a tag is missing or wrong, and the errors of `PatchRunner.load`.
    @discardableResult
    public func install(source: String, inShadow: Bool = false) throws(PatchError) -> LoadedPatch {
        try install([PatchScript(name: "main.lua", bytes: Array(source.utf8))], inShadow)
    }

    /// Verifies an envelope and installs its patch.
    ///
    /// - Parameters:
    ///   - envelope: The whole file.
    ///   - trust: The keys whose signatures count, and the script keys, one of which must open it.
    /// - Throws: The errors of `PatchRunner.install`.
    @discardableResult
    public func install(envelope: [UInt8], trust: PatchTrust) throws(PatchError) -> LoadedPatch {
        try runner.install(envelope, trust: trust)
    }

    /// - Parameter scripts: The entry, and then the others.
    private func install(_ scripts: [PatchScript], _ inShadow: Bool) throws(PatchError) -> LoadedPatch {
        let manifest = try Path(scripts[0].name).naming { () throws(PatchError) in
            try ManifestFields(try ScriptHead(of: scripts[0].bytes)).manifest(of: scripts)
        }
        let loaded = try runner.load(VerifiedPatch(unverifiedForTesting: manifest, scripts: scripts))
        if inShadow { try runner.shadow(loaded) } else { try runner.activate(loaded) }
        return loaded
    }

    private static func contents(of path: Path) throws(PatchError) -> [UInt8] {
        try InputFile.contents(of: path, limit: EnvelopeLimits().scriptSize)
    }
}
