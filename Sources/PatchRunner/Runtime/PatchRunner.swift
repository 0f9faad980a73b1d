public import PatchCrypto
internal import Synchronization

/// Puts verified patches on the functions of a registry, and takes them off.
///
///     let runner = PatchRunner(registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"), clock: clock)
///     let patch = try runner.install(envelope, trust: trustStore, keys: scriptKey)
///     …
///     runner.deactivate(patch.id)
///
/// Several patches may stand on a name: the one that was applied last is asked first, and reaches the one below it as its
/// `original`. Patches stand as long as the runner lives.
public final class PatchRunner: Sendable {
    /// The engine level of this library: what a script may rely on. A patch that needs a higher one is refused.
    public static let engine = 1

    /// The functions that patches replace.
    public let registry: PatchRegistry
    /// The program.
    public let host: HostInfo
    /// What each patch may use.
    public let limits: PatchLimits
    private let clock: @Sendable () -> Timestamp?
    private let events: @Sendable (PatchEvent) -> Void
    private let changing = Mutex(State())
    private let identity = Identity()
    private let checksHost: Bool
    private let onLine: (@Sendable (_ patch: String, _ script: String, _ line: Int) -> Void)?

    /// What a runner's patches know it by.
    final class Identity: Sendable {}

    private struct State {
        var active: [LoadedPatch] = []
        var floors: [String: Int] = [:]
    }

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - registry: The functions that patches replace.
    ///   - host: The program.
    ///   - limits: What each patch may use.
    ///   - floors: For a patch's id, the lowest version that is accepted, as ``floors`` gave them the last time.
    ///   - clock: What time it is, for patches that expire. This library takes no time by itself; where nil is said, a patch
    ///     that expires is refused.
    ///   - events: Told of everything that happens, on the thread on which it happens; a script's log lines and failures come while
    ///     a call waits, so it must be quick.
    public convenience init(
        registry: PatchRegistry, host: HostInfo, limits: PatchLimits = PatchLimits(), floors: [String: Int] = [:],
        clock: @escaping @Sendable () -> Timestamp?, events: @escaping @Sendable (PatchEvent) -> Void = { _ in }
    ) {
        self.init(
            registry: registry, host: host, limits: limits, floors: floors, clock: clock, events: events,
            checksHost: true, onLine: nil)
    }

    /// Makes a runner for tests.
    ///
    /// - Parameters:
    ///   - checksHost: Whether a patch must be for the host's app and version, and for the time.
    package init(
        registry: PatchRegistry, host: HostInfo, limits: PatchLimits, floors: [String: Int] = [:],
        clock: @escaping @Sendable () -> Timestamp?, events: @escaping @Sendable (PatchEvent) -> Void,
        checksHost: Bool, onLine: (@Sendable (_ patch: String, _ script: String, _ line: Int) -> Void)?
    ) {
        self.checksHost = checksHost
        self.onLine = onLine
        self.registry = registry
        self.host = host
        self.limits = limits
        self.clock = clock
        self.events = events
        changing.locked { $0.floors = floors }
    }

    deinit { deactivateAll() }

    /// The patches that stand, in the order in which they were applied.
    public var active: [LoadedPatch] { changing.locked { $0.active } }

    /// For each id, the highest version that was applied: an app that keeps them is not led back to an older patch.
    public var floors: [String: Int] { changing.locked { $0.floors } }

    /// Verifies an envelope, loads the patch in it, and applies it.
    ///
    /// - Parameters:
    ///   - envelope: The whole file.
    ///   - trust: The keys whose signatures count.
    ///   - keys: One of them opens the envelope; a `ScriptKey` will do.
    ///   - threshold: How many distinct trusted keys must have signed.
    /// - Returns: The patch, which stands.
    /// - Throws: What verification, ``load(_:)`` and ``activate(_:)`` throw; the codes are those that the command line exits with.
    @discardableResult
    public func install(
        _ envelope: consuming [UInt8], trust: TrustStore, keys: some ScriptKeyProvider, threshold: Int = 1
    ) throws(PatchError) -> LoadedPatch {
        let patch: VerifiedPatch
        var report = VerificationReport()
        do throws(PatchError) {
            let verifier = try EnvelopeVerifier(trustStore: trust, threshold: threshold, policy: policy)
            patch = try verifier.verify(envelope, scriptKeys: keys, report: &report)
        } catch {
            events(.refused(error, report.manifest.map { .init(id: $0.id, version: $0.version) }))
            throw error
        }
        let loaded = try load(patch)
        try activate(loaded)
        return loaded
    }

    /// Runs a patch's script, which says what it replaces; nothing is replaced yet.
    ///
    /// - Parameter patch: A patch that was verified.
    /// - Returns: The patch, ready to be applied.
    /// - Throws: `policy` for a patch that is not for this app, version, engine or time; `script` for a script that does not parse, fails,
    ///   or replaces nothing, what the app does not have, or other names than its manifest's; `script-limit` for one that
    ///   is past a limit.
    public func load(_ patch: VerifiedPatch) throws(PatchError) -> LoadedPatch {
        let manifest = patch.manifest
        let identity = PatchID(id: manifest.id, version: manifest.version)
        do throws(PatchError) {
            try check(manifest)
            let breaker = Breaker(limits: limits) { [weak self] breaker, failures in
                self?.takeOut(identity, breaker, after: failures)
            }
            let reports = PatchReports(on: identity, limits: limits, breaker: breaker, events: events)
            let script = try ScriptState(
                patch.scripts, limits: limits, host: host, names: registry.names, reports: reports,
                seed: .random(in: .min ... .max),
                onLine: lineCounter(of: manifest.id))
            let loaded = try LoadedPatch(manifest, script: script, owner: self.identity)
            events(.loaded(identity, replaces: loaded.replaces))
            return loaded
        } catch {
            events(.refused(error, identity))
            throw error
        }
    }

    /// Puts a patch's replacements on their names, all of them at once: who has seen one of them sees the others.
    ///
    /// A patch of the same id that stands is taken off.
    ///
    /// - Parameter patch: A patch that this runner has loaded.
    /// - Throws: `policy` for a version below one of the same id that was applied before, or a patch that is not for this app or
    ///   this time any more; `config` for a patch that was applied already, or was loaded by another runner.
    public func activate(_ patch: LoadedPatch) throws(PatchError) {
        let identity = patch.script.patch
        var replaced: LoadedPatch?
        do throws(PatchError) {
            guard patch.owner === self.identity else {
                throw PatchError(
                    .config, "\(patch.id) was loaded by another runner", hint: "load it with this runner")
            }
            var policy = try policy(for: patch.manifest)
            replaced = try changing.locked { (state) throws(PatchError) in
                policy.floor = state.floors[patch.id]  // here, or another thread raises it meanwhile
                try policy.check(patch.manifest)
                guard patch.script.use() else {
                    throw PatchError(.config, "\(patch.id) was applied already", hint: "load it again")
                }
                let old = state.active.firstIndex { $0.id == patch.id }.map { state.active.remove(at: $0) }
                state.active.append(patch)
                state.floors[patch.id] = max(patch.version, state.floors[patch.id] ?? 0)
                registry.names.whileChanging { patch.script.activate(replacing: old?.script) }
                return old
            }
        } catch {
            events(.refused(error, identity))
            throw error
        }
        if let replaced { events(.deactivated(replaced.script.patch)) }
        events(.activated(identity))
    }

    /// Takes a patch off; calls that run in it end as they would.
    ///
    /// - Parameter id: The patch's reverse-DNS name.
    /// - Returns: Whether it stood.
    @discardableResult
    public func deactivate(_ id: String) -> Bool { deactivate { $0.id == id } }

    /// Takes all patches off.
    public func deactivateAll() { while let last = active.last { deactivate { $0 === last } } }

    /// The patch's policy but for the floor, which depends on its id.
    private var policy: VerificationPolicy {
        VerificationPolicy(time: clock(), app: host.app, appVersion: host.version, engine: Self.engine)
    }

    private func lineCounter(of patch: String) -> (@Sendable (_ script: String, _ line: Int) -> Void)? {
        guard let onLine else { return nil }
        return { onLine(patch, $0, $1) }
    }

    private func check(_ manifest: Manifest) throws(PatchError) {
        var policy = try policy(for: manifest)
        policy.floor = changing.locked { $0.floors[manifest.id] }
        try policy.check(manifest)
    }

    private func policy(for manifest: Manifest) throws(PatchError) -> VerificationPolicy {
        guard checksHost else { return .none }
        let policy = policy
        if policy.time == nil, let expires = manifest.expires {
            throw PatchError(
                .policy, "the patch expires at \(expires), and this runner was given no time", hint: "give it a clock")
        }
        return policy
    }

    @discardableResult
    private func deactivate(_ isMeant: (LoadedPatch) -> Bool) -> Bool {
        let removed = changing.locked { state -> LoadedPatch? in
            guard let index = state.active.firstIndex(where: isMeant) else { return nil }
            let patch = state.active.remove(at: index)
            registry.names.whileChanging { patch.script.deactivate() }
            return patch
        }
        guard let removed else { return false }
        events(.deactivated(removed.script.patch))
        return true
    }

    private func takeOut(_ patch: PatchID, _ breaker: Breaker, after failures: Int) {
        guard deactivate({ $0.script.values.reports.breaker === breaker }) else { return }
        events(.breakerOpened(patch, failures: failures))
    }
}
