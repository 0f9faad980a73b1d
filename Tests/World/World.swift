import FeedTestSupport
import Foundation
import PatchDevice
import PatchPublishing
import world_faults

/// A feed with its operators, and devices that take it: all parts are real, except for time, networks, and what fails.
///
/// What overlaps is nested: while a signature or a download is waited for, other events happen.
@MainActor final class World {
    let folder: String
    private(set) var copies: [Copy] = [], operators: [Operator] = [], hosts: [Host] = []
    /// What copies are exchanged through.
    private(set) lazy var origin = Copy("origin", self)
    var truths: [PatchID: Truth] = [:]
    /// The feed's first root file, as the app has it.
    var root: [UInt8] = []
    /// Each state of the feed that was written, by its timestamp, and those that were put in place, in this order.
    var records: [[UInt8]: Record] = [:], deployed: [Record?] = []
    /// What was in place when a repair began, which the repair gives up, by its own timestamp.
    var givenUp: [[UInt8]: [UInt8]] = [:]
    /// The states of each file that is in place.
    private(set) var files: [String: [(time: Int, bytes: [UInt8])]] = [:]
    /// After so many more writes, the process that deploys is killed; nil if it is not.
    var writesLeft: Int?
    /// What happens while actions of operators wait for a passphrase, a card or an upload, the innermost action last.
    var waiting: [[Event]] = []
    var hasWrongClocks = false, hasFaultyDisks = false
    private(set) var counts: [String: Int] = [:]
    /// How many installations lie in what they report, and how many holders of release keys sign a change.
    let liars: Int, releaseThreshold: Int
    /// The ways in which the hosts' disks fail: none, at the end of a process, or in all ways.
    let diskFaults: [DiskFault?]
    /// After how many seconds a job renews the feed and takes steps of rollouts; nil for none. And when it did so last.
    private let cronPause: Int?
    private var lastCron = 0
    private let faultsBefore = Int(world_faults_count())
    /// The first invariant that does not hold: its name is the same in all sequences that fail in the same way.
    private(set) var failure: (invariant: String, details: String)?
    private let traces: Bool
    /// The time, which devices read from any thread. Their tasks that wait may keep it for ever, but not the world.
    let clock = ManualClock()
    var now: Int { clock.now }

    init(seed: Int, in folder: String, traces: Bool) throws {
        self.folder = folder
        self.traces = traces
        cronPause = seed % 8 > 0 ? [6 * 3600, 3 * 86_400][seed / 8 % 2] : nil
        liars = seed / 9 % 3
        releaseThreshold = 1 + seed / 5 % 2
        diskFaults = [[nil], [.killed], DiskFault.all, DiskFault.all][seed / 7 % 4]
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        copies = ["one", "two"].map { Copy($0, self) }
        operators = (0..<3).map { Operator($0, self) }
        hosts = (0..<1 + seed % 3).map { Host($0, workers: 1 + seed / 3 % 3, self) }
        try operators[0].makeFeed(in: copies[0])
        try copies[1].take(copies[0])
    }

    /// Lets events happen as long as all invariants hold, and ends the world.
    func run(_ events: [Event]) async {
        for event in events where failure == nil {
            await perform(event)
            for host in hosts where failure == nil { host.look() }
        }
        for life in hosts.flatMap({ $0.lives }) { life.drop() }
        if failure == nil { checkReport() }
        count("failed-writes", Int(world_faults_count()) - faultsBefore)
        try? FileManager.default.removeItem(atPath: folder)
    }

    func perform(_ event: Event) async {
        clock.advance(event.gap)
        count("seconds of time", event.gap)
        count("events")
        if traces { print(now - ManualClock.start, event) }
        for host in hosts { host.pass() }
        if let cronPause, now - lastCron > cronPause {
            lastCron = now
            operators[0].runJob(in: copies[0])
        }
        guard event.verb.isOfHost else { return operate(event) }
        await hosts[event.who % hosts.count].perform(event)
    }

    private func operate(_ event: Event) {
        guard event.verb != .wait else { return }
        // Most work is done in one copy.
        let copy = copies[event.what / 100 % 4 == 3 ? 1 : 0]
        _ = operators[event.who % operators.count].perform(event, in: copy)
    }

    /// An action of an operator waits. Only other operators act then.
    func wait() {
        guard let index = waiting.indices.last, !waiting[index].isEmpty else { return }
        DiskFault.arm(nil)
        let event = waiting[index].removeFirst()
        clock.advance(event.gap)
        trace("meanwhile \(event)")
        if !event.verb.isOfHost { operate(event) }
    }

    func expect(_ isTrue: Bool, _ invariant: String, _ details: @autoclosure () -> String) {
        guard !isTrue else { return }
        trace("FAILS \(invariant) \(details())")
        failure = failure ?? (invariant, details())
    }

    func count(_ name: String, _ count: Int = 1) { counts[name, default: 0] += count }
    func trace(_ text: @autoclosure () -> String) { if traces { print("   ", text()) } }
}

// The place that the feed is served from, and what caches remember of it.
extension World: DeployTarget {
    nonisolated var name: String { "www" }

    /// A file as it was some seconds ago; nil if there was none.
    func read(_ path: String, age: Int) -> [UInt8]? { files[path]?.last { $0.time <= now - age }?.bytes }
    nonisolated func read(_ path: String) -> [UInt8]? { MainActor.assumeIsolated { read(path, age: 0) } }

    nonisolated func create(_ file: FeedFile) throws(PatchError) -> Bool { try replace(file, of: nil) }
    nonisolated func replace(_ file: FeedFile, of old: [UInt8]?) throws(PatchError) -> Bool {
        let bytes = try file.bytes
        return try MainActor.assumeIsolated { () -> Result<Bool, PatchError> in
            // Only this process is killed, and not those that write meanwhile.
            let left = exchange(&writesLeft, with: nil)
            wait()
            writesLeft = left
            guard read(file.path) == old else { return .success(false) }
            guard left != 0 else { return .failure(PatchError(.io, "the process was killed")) }
            writesLeft = left.map { $0 - 1 }
            files[file.path, default: []].append((now, bytes))
            if file.path == FeedLayout.timestamp { noteDeployment(of: bytes) }
            return .success(true)
        }.get()
    }
}

/// What makes the disk fail: after some calls, one of them fails, or it and all that follow.
struct DiskFault: Equatable {
    private let error: Int32, stays: Int32

    static let full = DiskFault(error: ENOSPC, stays: 0), broken = DiskFault(error: EIO, stays: 0)
    static let readOnly = DiskFault(error: EROFS, stays: 1), killed = DiskFault(error: EIO, stays: 1)
    static let all: [DiskFault?] = [.full, .broken, .readOnly, .killed, .killed, .killed]

    static func arm(_ fault: DiskFault?, after calls: Int = 0) {
        world_faults_set(fault == nil ? -1 : Int32(calls), fault?.error ?? 0, fault?.stays ?? 0)
    }
}
