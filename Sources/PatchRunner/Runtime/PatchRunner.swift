// An app that has a runner needs no other import.
@_exported public import PatchCrypto
internal import Synchronization

/// Loads verified patches, and activates and deactivates them on the functions of a registry.
///
///     let runner = PatchRunner(registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"))
///     let patch = try runner.install(envelope, trust: PatchTrust(trustStore, scriptKeys: scriptKey))
///     …
///     runner.deactivate(patch)
///
/// Several patches may be active on a name. They are ordered by the bytes of their ids: the greatest is called first,
/// and the next smaller one is its `original`. A new version has the place of the old one. Patches are active only
/// while their runner exists. Keep a strong reference to it for the life of the process.
public final class PatchRunner: Sendable {
    /// The engine level of this library, on which a script may rely. A patch that needs a higher level is refused.
    public static let engineLevel = 1

    package let registry: PatchRegistry
    package let host: HostInfo
    let limits: PatchLimits
    private let clock: @Sendable () -> Timestamp?
    private let uptime: Uptime
    private let listener: EventListener?
    /// It is held only while the lists are read or written. Whoever changes what is active holds the lock of the
    /// registry's changes, too.
    let state = Mutex(State())
    private let identity = Identity()
    private let checksHost: Bool
    private let onLine: (@Sendable (_ patch: String, _ script: String, _ line: Int) -> Void)?

    /// Identifies the runner to its patches.
    final class Identity: Sendable {}

    struct State {
        var active: [LoadedPatch] = []
        /// The patches of which only the `otherwise` answers.
        var closed: [LoadedPatch] = []
        var shadows: [LoadedPatch] = []
        var minimumVersions: [String: Int] = [:]
        /// The clock cannot be before this.
        var earliestTime: Timestamp?
    }

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - registry: The functions that patches replace.
    ///   - host: The program that patches run in.
    ///   - limits: The limits of each patch.
    ///   - minimumVersions: The lowest version that is accepted for each patch id: the ``minimumVersions`` of an
    ///     earlier runner.
    ///   - onEvent: Called for each event, on the thread on which it happens, or by a task if that thread has little
    ///     stack left; also on several threads at once. A script's log lines and failures are reported while a call
    ///     waits, so it must be quick. Failures, fallbacks, refusals and equal log lines of one patch, function and
    ///     code are reported at most once a second, with their ``RunnerEvent/count``. If it is nil, no messages are
    ///     made.
    public convenience init(
        registry: PatchRegistry, host: HostInfo, limits: PatchLimits = PatchLimits(),
        minimumVersions: [String: Int] = [:], onEvent: (@Sendable (RunnerEvent) -> Void)? = nil
    ) {
        let throttled = onEvent.map { listener -> @Sendable (RunnerEvent) -> Void in
            let throttle = EventThrottle(listener: listener)
            return { throttle.emit($0) }
        }
        self.init(
            registry: registry, host: host, limits: limits, minimumVersions: minimumVersions,
            clock: { Timestamp.system }, onEvent: throttled, checksHost: true, onLine: nil)
    }

    /// Makes a runner for tests, and for a device. It reports each event.
    ///
    /// - Parameters:
    ///   - clock: Returns the current time, for patches that expire.
    ///   - uptime: The clock by which failures add up, and by which a minute of the log ends.
    ///   - checksHost: Whether a patch must be for the host's app and version, and must not have expired.
    package init(
        registry: PatchRegistry, host: HostInfo, limits: PatchLimits, minimumVersions: [String: Int] = [:],
        clock: @escaping @Sendable () -> Timestamp?, uptime: Uptime = .system,
        onEvent: (@Sendable (RunnerEvent) -> Void)?, checksHost: Bool,
        onLine: (@Sendable (_ patch: String, _ script: String, _ line: Int) -> Void)?
    ) {
        self.checksHost = checksHost
        self.onLine = onLine
        self.registry = registry
        self.host = host
        self.limits = limits
        self.clock = clock
        self.uptime = uptime
        listener = onEvent.map(EventListener.init)
        state.locked { $0.minimumVersions = minimumVersions }
    }

    func tell(_ kind: RunnerEvent.Kind) { listener?.hear(kind) }

    /// Deactivates all patches. That is not reported, because the end of a process is not a deactivation.
    deinit {
        while let last = active.last { remove { $0 === last } }
        endOtherwise { _ in true }
        endShadows { _ in true }
    }

    /// The active patches, in the order in which they were activated.
    public var active: [LoadedPatch] { state.locked { $0.active } }

    /// The same. They are read without a reference to a patch, which may be the last one.
    package var activePatches: [PatchID] { state.locked { $0.active.map(\.id) } }

    /// The highest version that was activated for each patch id. An app that keeps them cannot be downgraded to an
    /// older version of a patch.
    public var minimumVersions: [String: Int] { state.locked { $0.minimumVersions } }

    /// Verifies an envelope, loads the patch in it, and activates it.
    ///
    /// - Parameters:
    ///   - envelope: The whole file.
    ///   - trust: The keys whose signatures count, and the script keys, one of which must open it.
    /// - Returns: The active patch.
    /// - Throws: The errors of verification, ``load(_:)`` and ``activate(_:)``. The command line reports the same
    ///   codes.
    @discardableResult
    public func install(
        _ envelope: consuming [UInt8], trust: PatchTrust
    ) throws(PatchError) -> LoadedPatch {
        var manifest: Manifest?
        let patch: VerifiedPatch
        do throws(PatchError) {
            let report = try report(on: envelope, trust: trust)
            manifest = report.manifest
            patch = try report.result.get()
        } catch {
            tell(.refused(.init(manifest?.patch, error)))
            throw error
        }
        let loaded = try load(patch)
        try activate(loaded)
        return loaded
    }

    /// Verifies an envelope for this app and this time.
    ///
    /// - Throws: `config` if the trust allows no verification.
    package func report(
        on envelope: consuming [UInt8], trust: PatchTrust
    ) throws(PatchError) -> VerificationReport {
        let verifier = try EnvelopeVerifier(trustStore: trust.store, threshold: trust.threshold, policy: policy)
        return verifier.report(on: envelope, scriptKeys: trust.scriptKeys)
    }

    /// Loads a patch: runs its script, which declares its replacements. The patch is not active yet.
    ///
    /// - Parameter patch: A patch that was verified.
    /// - Returns: The loaded patch, for ``activate(_:)``.
    /// - Throws: `policy` if the patch is not for this app, version, engine or time, or its version is lower than
    ///   ``minimumVersions`` allows. `script` if the script does not parse, fails, replaces nothing, replaces a
    ///   function that the app does not have, or replaces other names than its manifest lists. `script-limit` if the
    ///   script runs past a limit, or the thread has too little stack left. `unavailable` if there is not enough
    ///   memory, or another Lua in the program takes the place of the right one.
    public func load(_ patch: VerifiedPatch) throws(PatchError) -> LoadedPatch { try load(patch, countingWith: nil) }

    /// Loads a patch whose failures count together with the failures of an earlier script, for tests.
    package func load(_ patch: VerifiedPatch, countingWith earlier: ScriptState?) throws(PatchError) -> LoadedPatch {
        let manifest = patch.manifest
        let identity = manifest.patch
        do throws(PatchError) {
            var policy = try policy(for: manifest)
            policy.minimumVersion = minimumVersions[manifest.id]
            try policy.check(manifest)
            let breaker =
                earlier?.reports.breaker
                ?? Breaker(limits: limits, functions: manifest.replaces, uptime: uptime) { [weak self] in
                    self?.follow($0, $1, of: identity)
                }
            var limits = limits
            if let most = manifest.instances { limits.instances = min(limits.instances, most) }
            let reports = PatchEventSink(
                on: identity, limits: limits, breaker: breaker, uptime: uptime, listener: listener)
            let lineCounter = onLine.map { onLine in
                { @Sendable (script: String, line: Int) in onLine(manifest.id, script, line) }
            }
            let script = try ScriptState(
                patch.scripts, limits: limits, host: host, names: registry.names, reports: reports,
                seed: .random(in: .min ... .max), onLine: lineCounter)
            let loaded = try LoadedPatch(manifest, script: script, owner: self.identity)
            breaker.owner = loaded
            tell(.loaded(.init(identity, replaces: loaded.replaces)))
            return loaded
        } catch {
            tell(.refused(.init(identity, error)))
            throw error
        }
    }

    /// Activates a patch. All of its replacements become active at once: a caller that has seen one of them also sees
    /// the others.
    ///
    /// An active patch with the same id is deactivated.
    ///
    /// - Parameter patch: A patch that this runner has loaded.
    /// - Throws: `policy` if a higher version with the same id was activated before, or if the patch is no longer for
    ///   this app or this time. `config` if the patch was already activated, or was loaded by another runner.
    public func activate(_ patch: LoadedPatch) throws(PatchError) {
        let replaced = try begin(patch) { leftovers in
            let (old, closed) = state.locked { state in
                let old = state.active.take { $0.name == patch.name }
                let closed = state.closed.take { $0.name == patch.name && $0.version <= patch.version }
                state.active.append(patch)
                state.minimumVersions[patch.name] = max(patch.version, state.minimumVersions[patch.name] ?? 0)
                return (old, closed)
            }
            patch.script.activate(replacing: old?.script, &leftovers)
            closed?.script.deactivate(&leftovers)
            leftovers.keep(closed)
            return old
        }
        endShadows { $0.name == patch.name && $0.version <= patch.version }
        if let replaced { tell(.deactivated(.init(replaced.id))) }
        tell(.activated(.init(patch.id)))
        if let why = patch.script.whyAlone { patch.script.reports.reportTurns(because: why) }
    }

    /// Checks that a loaded patch may begin now, and begins it. If not, that is reported.
    func begin<Value>(
        _ patch: LoadedPatch, _ body: (inout Leftovers) throws(PatchError) -> Value
    ) throws(PatchError) -> Value {
        var leftovers = Leftovers()
        defer { leftovers.end() }
        do throws(PatchError) {
            guard patch.owner === identity else {
                throw PatchError(
                    .config, "\(patch.name) was loaded by another runner", hint: "load it with this runner")
            }
            var policy = try policy(for: patch.manifest)
            return try registry.names.whileChanging { () throws(PatchError) in
                // Another thread may have raised it since the policy was made.
                policy.minimumVersion = minimumVersions[patch.name]
                try policy.check(patch.manifest)
                guard patch.script.use() else {
                    throw PatchError(.config, "\(patch.name) was already activated", hint: "load it again")
                }
                return try body(&leftovers)
            }
        } catch {
            tell(.refused(.init(patch.id, error)))
            throw error
        }
    }

    /// Deactivates a version of a patch, or ends its `otherwise` or its shadow.
    package func deactivate(_ patch: PatchID) {
        func isMeant(_ other: LoadedPatch) -> Bool { other.id == patch }
        deactivate(isMeant)
        endOtherwise(isMeant)
        endShadows(isMeant)
    }

    /// Deactivates a patch. Calls that run in it end normally.
    ///
    /// - Parameter patch: A patch that this runner has activated.
    /// - Returns: Whether it was active.
    @discardableResult
    public func deactivate(_ patch: LoadedPatch) -> Bool { deactivate { $0 === patch } }

    /// Deactivates the active version of a patch. Returns whether there was one.
    @discardableResult
    package func deactivate(_ id: String) -> Bool { deactivate { $0.name == id } }

    /// Deactivates all patches, and ends all shadows.
    public func deactivateAll() {
        while let last = active.last { deactivate { $0 === last } }
        endOtherwise { _ in true }
        endShadows { _ in true }
    }

    /// Lets an older version of a patch be activated again, after a signed feed has withdrawn newer ones.
    package func lowerMinimumVersion(of id: String, to version: Int) {
        state.locked { state in
            if let minimum = state.minimumVersions[id], minimum > version { state.minimumVersions[id] = version }
        }
    }

    /// Sets the time that signed data have shown, so that no patch becomes valid again when the clock is set back.
    package func setEarliestTime(_ time: Timestamp?) { state.locked { $0.earliestTime = time } }

    /// The policy for a patch without the minimum version, which depends on the patch's id.
    private var policy: VerificationPolicy {
        VerificationPolicy(app: host.app, appVersion: host.version, engineLevel: Self.engineLevel, time: time)
    }

    /// The clock's time, but not before the time that signed data have shown.
    package var time: Timestamp? {
        let earliest = state.locked { $0.earliestTime }
        return clock().map { max($0, earliest ?? $0) }
    }

    private func policy(for manifest: Manifest) throws(PatchError) -> VerificationPolicy {
        guard checksHost else { return .unchecked }
        let policy = policy
        if policy.time == nil, let expires = manifest.expires {
            throw PatchError(
                .policy, "the patch expires at \(expires), but this runner's clock returned no time",
                hint: "set the system's clock, or give the test host a time")
        }
        return policy
    }

    @discardableResult
    private func deactivate(_ isMeant: (LoadedPatch) -> Bool) -> Bool {
        guard let removed = remove(isMeant) else { return false }
        tell(.deactivated(.init(removed.script.patch)))
        return true
    }

    @discardableResult
    private func remove(_ isMeant: (LoadedPatch) -> Bool) -> LoadedPatch? {
        var leftovers = Leftovers()
        defer { leftovers.end() }
        return registry.names.whileChanging {
            let removed = state.locked { $0.active.take(isMeant) }
            removed?.script.deactivate(&leftovers)
            return removed
        }
    }

    private func follow(_ breaker: Breaker, _ change: Breaker.Change, of patch: PatchID) {
        // The lists are not asked: who changes them may wait for this very call.
        guard let active = breaker.owner as? LoadedPatch, !active.script.isClosed else { return }
        switch change {
        case .opened(let functions, let failures):
            for function in functions { active.script.followBreaker(function) }
            let otherwise = functions.filter(active.protects.contains)
            tell(.breakerOpened(.init(patch, functions: functions, failures: failures, otherwise: otherwise)))
        case .pauses(let function): active.script.followBreaker(function)
        case .closed(let function):
            active.script.followBreaker(function)
            tell(.breakerClosed(.init(patch, function: function)))
        }
    }
}

extension [LoadedPatch] {
    /// Removes the first patch that is meant, and returns it; nil if there is none.
    fileprivate mutating func take(_ isMeant: (LoadedPatch) -> Bool) -> LoadedPatch? {
        guard let place = firstIndex(where: isMeant) else { return nil }
        return remove(at: place)
    }

    /// Removes all patches that are meant, and returns them.
    mutating func takeAll(_ isMeant: (LoadedPatch) -> Bool) -> [LoadedPatch] {
        let taken = filter(isMeant)
        removeAll(where: isMeant)
        return taken
    }
}
