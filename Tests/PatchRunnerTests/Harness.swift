import Dispatch
import PatchCrypto
import PatchRunner
import Synchronization
import TestSupport
import Testing

/// A registry with a runner, and the reported events.
final class Harness: Sendable {
    let registry: PatchRegistry
    let runner: PatchRunner
    private let recorded: Recorder

    private final class Recorder: Sendable {
        private let recorded = Mutex<[RunnerEvent]>([])

        func record(_ event: RunnerEvent) { recorded.locked { $0.append(event) } }
        var events: [RunnerEvent] { recorded.locked { $0 } }
    }

    init(
        limits: PatchLimits = .patient, floors: [String: Int] = [:], time: String? = "2026-11-20T12:00:00Z",
        instrument: (any PatchInstrument)? = nil, uptime: Uptime = .system
    ) throws {
        registry = PatchRegistry(instrument: instrument)
        let recorder = Recorder()
        recorded = recorder
        let now = try time.map { try #require(Timestamp($0)) }
        runner = PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"), limits: limits,
            minimumVersions: floors, clock: { now }, uptime: uptime, onEvent: { recorder.record($0) }, checksHost: true,
            onLine: nil)
    }

    /// A harness with `T.f`, which returns its argument.
    static func identity(
        limits: PatchLimits = .patient, uptime: Uptime = .system
    ) throws -> (Harness, Replaceable<@Sendable (Int) -> Int>) {
        let harness = try Harness(limits: limits, uptime: uptime)
        return (harness, try harness.registry.replaceable("T.f") { (x: Int) -> Int in x })
    }

    /// Registers a function whose original signals `isIn` when it is entered, and returns `answer` when `mayLeave` is
    /// signalled.
    func holding(
        _ name: String, answer: Int = 0
    ) throws -> (function: Replaceable<@Sendable () -> Int>, isIn: Rendezvous, mayLeave: DispatchSemaphore) {
        let (isIn, mayLeave) = (Rendezvous(), DispatchSemaphore(value: 0))
        let function = try registry.replaceable(name) { () -> Int in
            isIn.release()
            mayLeave.wait()
            return answer
        }
        return (function, isIn, mayLeave)
    }

    var events: [RunnerEvent] { recorded.events }
    var failures: [RunnerEvent.Failure] {
        events.compactMap { if case .failed(let failed) = $0.kind { failed.failure } else { nil } }
    }
    /// Why calls were answered without their patch.
    var fallbacks: [RunnerEvent.Fallback.Reason] {
        events.compactMap { if case .fellBack(let fallback) = $0.kind { fallback.reason } else { nil } }
    }
    var logged: [String] {
        events.compactMap { if case .logged(let line) = $0.kind { line.text } else { nil } }
    }

    /// A verified patch, as a packer would make it.
    static func verified(
        _ source: String, id: String = "com.example.shop.fix", version: Int = 1, replaces: [String],
        others: [String: String] = [:], app: String = "com.example.shop", appVersions: String = "*", engine: Int = 1,
        expires: String? = nil
    ) throws -> VerifiedPatch {
        try verify(
            envelope(
                source, id: id, version: version, replaces: replaces, others: others, app: app,
                appVersions: appVersions, engine: engine, expires: expires))
    }

    static func verified(bytes: [UInt8], replaces: [String], others: [String: String] = [:]) throws -> VerifiedPatch {
        try verify(envelope(bytes: bytes, replaces: replaces, others: others))
    }

    private static func verify(_ envelope: [UInt8]) throws -> VerifiedPatch {
        try EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
            .verify(envelope, scriptKeys: TestKeys.script)
    }

    static func envelope(
        _ source: String, id: String = "com.example.shop.fix", version: Int = 1, replaces: [String],
        others: [String: String] = [:], app: String = "com.example.shop", appVersions: String = "*", engine: Int = 1,
        expires: String? = nil
    ) throws -> [UInt8] {
        try envelope(
            bytes: Array(source.utf8), id: id, version: version, replaces: replaces, others: others, app: app,
            appVersions: appVersions, engine: engine, expires: expires)
    }

    private static func envelope(
        bytes: [UInt8], id: String = "com.example.shop.fix", version: Int = 1, replaces: [String],
        others: [String: String], app: String = "com.example.shop", appVersions: String = "*", engine: Int = 1,
        expires: String? = nil
    ) throws -> [UInt8] {
        let scripts =
            [PatchScript(name: "main.lua", bytes: bytes)]
            + others.sorted { $0.key < $1.key }.map { PatchScript(name: $0.key, bytes: Array($0.value.utf8)) }
        let manifest = try Manifest(
            id: id, version: version, app: app, appVersions: try #require(VersionRange(appVersions)),
            engineLevel: engine, replaces: replaces,
            scripts: scripts.map { .init(name: $0.name, byteCount: $0.bytes.count) },
            expires: try expires.map { try #require(Timestamp($0)) })
        return try EnvelopePacker(scriptKey: TestKeys.script, signingKeys: [TestKeys.signing]).pack(manifest, scripts)
    }

    /// Loads and activates a script.
    ///
    /// - Parameter replaces: What it replaces. By default, the names that it gives to `patch.replace` as literals.
    @discardableResult
    func apply(
        _ source: String, id: String = "com.example.shop.fix", version: Int = 1, replaces: [String]? = nil,
        others: [String: String] = [:]
    ) throws -> LoadedPatch {
        let replaces = replaces ?? source.matches(of: /patch\.replace\('([\w.]+)'/).map { String($0.1) }
        let patch = try runner.load(
            try Self.verified(source, id: id, version: version, replaces: replaces, others: others))
        try runner.activate(patch)
        return patch
    }
}

extension PatchLimits {
    /// The default limits with long times, so that only tests about time can fail on a busy machine.
    static let patient = PatchLimits().with(\.callTime, .seconds(20)).with(\.loadTime, .seconds(20))
        .with(\.lockTime, .seconds(20))

    /// The same for a patch whose calls run one at a time.
    static let oneInstance = patient.with(\.instances, 1)

    /// The same, except for one of them.
    func with<Value>(_ limit: WritableKeyPath<PatchLimits, Value>, _ value: Value) -> PatchLimits {
        var limits = self
        limits[keyPath: limit] = value
        return limits
    }
}
