public import PatchCrypto
internal import PatchFiles
public import PatchRunner
internal import Synchronization

/// A place to try patches against real closures, for tests in Swift Testing or XCTest.
///
///     let bench = try PatchBench(app: "com.example.shop", version: "2.3.1")
///     let shop = try Shop(registry: bench.registry)
///     try bench.install(script: "patches/cart-total.lua")
///     #expect(shop.total(9.5, -2) == 0)
///     #expect(bench.failures.isEmpty)
///
/// It takes scripts that nobody has signed, which a `PatchRunner` never does; it has no place in an app.
public final class PatchBench: Sendable {
    /// The functions that patches replace.
    public let registry = PatchRegistry()
    /// What puts patches on them.
    public let runner: PatchRunner
    private let recorder = Recorder()

    private final class Recorder: Sendable {
        let events = Mutex<[PatchEvent]>([])
    }

    /// Makes an empty bench.
    ///
    /// - Parameters:
    ///   - app: The app's reverse-DNS name, which patches must be for.
    ///   - version: The app's version, which patches must fit.
    ///   - time: When it is, for patches that expire; one that expires is refused where nil is said.
    ///   - limits: What each patch may use.
    /// - Throws: `config` for a version of another form.
    public init(app: String, version: String, time: Timestamp? = nil, limits: PatchLimits = PatchLimits())
        throws(PatchError)
    {
        let recorder = recorder
        runner = PatchRunner(
            registry: registry, host: try HostInfo(app: app, version: version), limits: limits, clock: { time },
            events: { event in recorder.events.withLock { $0.append(event) } })
    }

    /// Everything that happened, in its order.
    public var events: [PatchEvent] { recorder.events.withLock { $0 } }

    /// The failures of all patches, in their order.
    public var failures: [PatchEvent.Failure] {
        events.compactMap { if case .failed(_, _, let failure) = $0 { failure } else { nil } }
    }

    /// What patches wrote to the log.
    public var logs: [String] {
        events.compactMap { if case .log(_, _, let text) = $0 { text } else { nil } }
    }

    /// How often the patches that are active on a name were called.
    ///
    /// - Parameter name: Such as `Cart.total`.
    /// - Returns: The calls of the topmost one; 0 where none stands.
    public func calls(of name: String) -> Int {
        registry.state.first { $0.name == name }?.patches.last?.calls ?? 0
    }

    /// Installs a patch from scripts on disk, as their tags describe it.
    ///
    /// - Parameters:
    ///   - script: The entry's path.
    ///   - others: Further scripts of a bundle: their names in the envelope, such as `lib/tax.lua`, and their paths.
    /// - Throws: `no-input` for a file that is missing, `malformed` for tags that are, and what
    ///   `PatchRunner.load` throws.
    @discardableResult
    public func install(script: String, others: [String: String] = [:]) throws(PatchError) -> LoadedPatch {
        let path = Path(script)
        var scripts = [PatchScript(name: path.name.description, bytes: try Self.contents(of: path))]
        for (name, file) in others.sorted(by: { $0.key < $1.key }) {
            scripts.append(PatchScript(name: name, bytes: try Self.contents(of: Path(file))))
        }
        return try install(scripts)
    }

    /// Installs a patch from a script's text, as its tags describe it.
    ///
    /// - Parameter source: Lua with a head of tags.
    /// - Throws: `malformed` for tags that are missing or wrong, and what `PatchRunner.load` throws.
    @discardableResult
    public func install(source: String) throws(PatchError) -> LoadedPatch {
        try install([PatchScript(name: "main.lua", bytes: Array(source.utf8))])
    }

    /// Installs a patch from an envelope, once it is verified.
    ///
    /// - Parameters:
    ///   - envelope: The whole file.
    ///   - trust: The keys whose signatures count.
    ///   - keys: One of them opens the envelope.
    /// - Throws: What `PatchRunner.install` throws.
    @discardableResult
    public func install(
        envelope: [UInt8], trust: TrustStore, keys: some ScriptKeyProvider
    ) throws(PatchError) -> LoadedPatch {
        try runner.install(envelope, trust: trust, keys: keys)
    }

    private func install(_ scripts: [PatchScript]) throws(PatchError) -> LoadedPatch {
        let manifest = try Path(scripts[0].name).naming { () throws(PatchError) in
            try ManifestFields(try ScriptHead(of: scripts[0].bytes)).manifest(of: scripts)
        }
        let loaded = try runner.load(VerifiedPatch(unverifiedForTesting: manifest, scripts: scripts))
        try runner.activate(loaded)
        return loaded
    }

    private static func contents(of path: Path) throws(PatchError) -> [UInt8] {
        try InputFile.contents(of: path, limit: EnvelopeLimits().scriptSize)
    }
}
