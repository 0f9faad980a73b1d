import PatchCrypto
import PatchDevice
import PatchRunner
import RandomSupport
import Synchronization

/// Writes the events of a fleet's devices, with the event log that apps use.
final class FleetLog: Sendable {
    private let folder: String
    /// The time of the current device, in milliseconds since 1970.
    private let now = Atomic(0)
    /// 2026-11-01T00:00:00Z.
    private static let start = 1_793_491_200_000

    init(folder: String) { self.folder = folder }

    /// The log of a device.
    func device(_ number: Int, _ version: AppVersion) throws -> PatchEventLog {
        var limits = PatchEventLog.Limits()
        limits.fileBytes = 256 << 20
        limits.files = .max
        limits.fileAge = .seconds(Int64.max)
        limits.age = .seconds(Int64.max)
        var random = SeededRandom(number)
        // With the highest bit, each number has 16 digits.
        let name = [random.next(), random.next()].map { String($0 | 1 << 63, radix: 16) }.joined()
        var resource = EventResource(
            host: try HostInfo(app: "com.example.shop", version: version.description), installation: name,
            environment: "release")
        let isDebian = number % 3 > 0
        resource.system = isDebian ? "Debian" : "Ubuntu"
        resource.systemVersion = isDebian ? "\(12 + number % 2)" : "\(22 + number % 2 * 2).04"
        return PatchEventLog(
            folder: folder, resource: resource, limits: limits,
            milliseconds: { [self] in
                let time = now.load(ordering: .relaxed)
                return time < Self.start + 60 * 3_600_000 ? time + Self.error(number) : time
            })
    }

    /// The error of a device's clock in the first 60 hours, in milliseconds. A few clocks are wrong by three or eight
    /// years.
    private static func error(_ number: Int) -> Int {
        let year = 365 * 86_400_000
        if number % 97 == 5 { return 3 * year }
        return number % 89 == 5 ? -8 * year : 0
    }

    /// Sets the time of the events that follow, in hours since the beginning.
    func set(_ hour: Double) { now.store(Self.start + Int(hour * 3_600_000), ordering: .relaxed) }

    func emit(_ outcomes: [StoreState.Event], at hour: Double, _ log: PatchEventLog?) {
        guard let log else { return }
        set(hour)
        for outcome in outcomes {
            switch outcome {
            case .trial(let patch): log.record(.beganTrial(.init(patch)))
            case .good(let patch): log.record(.confirmed(.init(patch)))
            case .suspect(let held):
                log.record(.rolledBack(.init(held.patch, reason: "launches failed", hash: Self.hash)))
            case .closed(let held):
                log.record(.closed(.init(held.patch, reason: "launches failed", hash: Self.hash)))
            case .banned(let ban): log.record(.rolledBack(.init(ban.patch, reason: ban.reason, hash: Self.hash)))
            case .safeMode(let failures): log.record(.safeMode(.init(failures: failures)))
            case .neverConfirmed(let launches): log.record(.neverConfirmed(.init(launches: launches)))
            }
        }
    }

    func launch(_ versions: [String], at hour: Double, _ log: PatchEventLog?) {
        guard let log else { return }
        set(hour)
        let patches = versions.compactMap(Self.patch)
        for patch in patches { log.record(.runner(.activated(.init(patch)))) }
        // A launch is logged after its patches, some milliseconds later.
        now.wrappingAdd(7, ordering: .relaxed)
        log.record(.launched(.init(patches, isSafeMode: false)))
    }

    /// An activation after a sync.
    func activate(_ version: String, at hour: Double, _ log: PatchEventLog?) {
        guard let log, let patch = Self.patch(version) else { return }
        set(hour)
        log.record(.runner(.activated(.init(patch))))
    }

    /// A launch in which the app is used. A few of its calls fail.
    func use(_ versions: [String], at hour: Double, _ log: PatchEventLog, _ random: inout SeededRandom) {
        for patch in versions.compactMap(Self.patch) {
            var calls = CallStatistics()
            calls.count = Int(random.unit() * 400)
            calls.failures = calls.count > 0 && random.unit() < 0.000_02 ? 1 : 0
            calls.fallbacks = calls.failures
            calls.measured = (calls.count + 63) / 64
            calls.nanoseconds = calls.measured * Int(300 + 900 * random.unit())
            calls.longest = calls.measured > 0 ? Int(1000 + 5000 * random.unit()) : 0
            calls.times = CallStatistics.timeBounds.map { _ in 0 } + [0]
            calls.times[0] = calls.measured
            if calls.measured > 0, random.unit() < 0.1 {
                // A slow call, as on a busy device.
                calls.times[0] -= 1
                calls.times[Int(random.unit() * Double(calls.times.count))] += 1
            }
            if calls.failures > 0 {
                let failure = RunnerEvent.Failure(
                    code: .script, message: "attempt to index a nil value", script: "main.lua", line: 7)
                log.record(.runner(.failed(.init(PatchedCall(patch, "Home.title"), failure))))
            }
            if calls.count > 0 { log.record(CallCounter.Entry(patch, calls)) }
        }
    }

    /// Stands for the SHA-256 of each envelope.
    private static let hash = String(repeating: "0", count: 64)

    private static func patch(_ version: String) -> PatchID? { Int(version).map { PatchID(id: Main.id, version: $0) } }
}
