#if canImport(Glibc)
    import Glibc
#endif
import Dispatch
import Foundation
import PatchCrypto
import PatchRunner
import Synchronization
import TestSupport

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
        let now = time.flatMap(Timestamp.init)
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

    /// Registers a function whose original stays in the patch until it may leave.
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
        let envelope = try envelope(
            source, id: id, version: version, replaces: replaces, others: others, app: app, appVersions: appVersions,
            engine: engine, expires: expires)
        return try EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
            .verify(envelope, scriptKeys: TestKeys.script)
    }

    static func verified(bytes: [UInt8], replaces: [String], others: [String: String] = [:]) throws -> VerifiedPatch {
        let scripts =
            [PatchScript(name: "main.lua", bytes: bytes)]
            + others.sorted { $0.key < $1.key }.map { PatchScript(name: $0.key, bytes: Array($0.value.utf8)) }
        let manifest = try Manifest(
            id: "com.example.shop.fix", version: 1, app: "com.example.shop", replaces: replaces,
            scripts: scripts.map { .init(name: $0.name, byteCount: $0.bytes.count) })
        let envelope = try EnvelopePacker(scriptKey: TestKeys.script, signingKeys: [TestKeys.signing])
            .pack(manifest, scripts)
        return try EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
            .verify(envelope, scriptKeys: TestKeys.script)
    }

    static func envelope(
        _ source: String, id: String = "com.example.shop.fix", version: Int = 1, replaces: [String],
        others: [String: String] = [:], app: String = "com.example.shop", appVersions: String = "*", engine: Int = 1,
        expires: String? = nil
    ) throws -> [UInt8] {
        let scripts =
            [PatchScript(name: "main.lua", bytes: Array(source.utf8))]
            + others.sorted { $0.key < $1.key }.map { PatchScript(name: $0.key, bytes: Array($0.value.utf8)) }
        let manifest = try Manifest(
            id: id, version: version, app: app, appVersions: VersionRange(appVersions) ?? .all, engineLevel: engine,
            replaces: replaces, scripts: scripts.map { .init(name: $0.name, byteCount: $0.bytes.count) },
            expires: expires.flatMap(Timestamp.init))
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

/// An uptime that is only advanced.
final class ManualUptime: Sendable {
    private struct State {
        var now = Duration.zero
        var sleepers: [(end: Duration, waiter: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var uptime: Uptime {
        Uptime(now: { self.state.locked { $0.now } }, sleep: { end in await self.sleep(until: end) })
    }

    /// How many tasks wait for an uptime.
    var sleepers: Int { state.locked { $0.sleepers.count } }

    func advance(by time: Duration) {
        let due = state.locked { state in
            state.now += time
            let due = state.sleepers.filter { $0.end <= state.now }
            state.sleepers.removeAll { $0.end <= state.now }
            return due
        }
        for sleeper in due { sleeper.waiter.resume() }
    }

    private func sleep(until end: Duration) async {
        await withCheckedContinuation { waiter in
            let waits = state.locked { state in
                if end > state.now { state.sleepers.append((end, waiter)) }
                return end > state.now
            }
            if !waits { waiter.resume() }
        }
    }
}

/// Runs jobs at once, as the executors of some apps do.
final class AtOnce: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// `T.slow`, whose original waits until the original of `T.outer` is called, and then continues within that call and on
/// its thread.
final class CallWithinCall: Sendable {
    private let waiting: Waiting
    private let slow: Replaceable<nonisolated(nonsending) @Sendable (Int) async -> Int>
    let outer: Replaceable<@Sendable (Int) -> Int>

    private final class Waiting: Sendable {
        let continuation = Mutex<CheckedContinuation<Void, Never>?>(nil)
    }

    init(in registry: PatchRegistry) throws {
        let waiting = Waiting()
        self.waiting = waiting
        slow = try registry.replaceable("T.slow") { (x: Int) async -> Int in
            await withCheckedContinuation { continuation in waiting.continuation.locked { $0 = continuation } }
            return x
        }
        outer = try registry.replaceable("T.outer") { (x: Int) -> Int in
            waiting.continuation.locked { $0.take() }?.resume()
            return x
        }
    }

    /// Calls `T.slow`, and returns when it waits.
    func begin(_ x: Int) async throws -> Task<Int, Never> {
        let task = Task(executorPreference: AtOnce()) { [slow] in await slow(x) }
        while waiting.continuation.locked({ $0 == nil }) { try await Task.sleep(for: .milliseconds(1)) }
        return task
    }
}

/// Counts calls from any thread.
final class Counter: Sendable {
    private let value = Atomic(0)
    func add() { value.add(1, ordering: .relaxed) }
    var count: Int { value.load(ordering: .relaxed) }
}

/// Runs a body on a new thread, and returns its result.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in
        Thread.detachNewThread { done.resume(returning: body()) }
    }
}

/// Runs a body on new threads, with the number of each, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    await withTaskGroup(of: Void.self) { group in
        for thread in 0..<count { group.addTask { await onThread { body(thread) } } }
    }
}

private final class ThreadWork {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
}

/// Runs a body on a thread with a stack of exactly this many kilobytes. A `Thread` may get the stack of an earlier
/// thread.
func onStack<Value>(ofKilobytes kilobytes: Int, _ body: @escaping () -> Value) -> Value? {
    var value: Value?
    let size = kilobytes * 1024
    let stack = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1 << 16)
    defer { unsafe stack.deallocate() }
    let work = unsafe Unmanaged.passRetained(ThreadWork { value = body() }).toOpaque()
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    guard unsafe pthread_attr_setstack(&attributes, stack, size) == 0 else { return nil }
    var thread = pthread_t()
    let started = unsafe pthread_create(
        &thread, &attributes,
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue().body()
            }
            return nil
        }, work)
    guard started == 0 else { return nil }
    pthread_join(thread, nil)
    return value
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
