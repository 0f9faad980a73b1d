import Foundation
import PatchCrypto
import PatchPublishing
import PatchRunner
import Synchronization
import world_faults

/// A feed with its operators, and devices that take it: all parts are real, except for time, networks, and what fails.
///
/// Nothing happens at the same time. What overlaps is nested: while a signature or a download is waited for, other
/// events happen.
@MainActor final class World {
    let folder: String
    private(set) var copies: [Copy] = []
    private(set) var operators: [Operator] = []
    private(set) var hosts: [Host] = []
    private(set) lazy var place = Place(self)
    /// What each published version really does.
    var truths: [PatchID: Truth] = [:]
    /// Each state of the feed that was written, by its timestamp.
    var records: [[UInt8]: Record] = [:]
    /// The feed's first root file, as the app has it.
    var root: [UInt8] = []
    /// What copies are exchanged through.
    private(set) lazy var origin = Copy("origin", self)
    /// A device that could not sync although its network, its clock and its disk were right.
    var refused: (name: String, error: PatchError)?
    /// How many installations lie in what they report.
    let liars: Int
    /// The calls of each version: of processes that have ended in an orderly way, and of all.
    var calls: [PatchID: (written: Int, all: Int)] = [:]
    /// The hosts on which each version has failed, and those that have rolled it back.
    var failing: [PatchID: Set<String>] = [:]
    var rolledBack: [PatchID: Set<String>] = [:]
    /// When each version has failed in a process that has ended in an orderly way.
    var reportedFailures: [PatchID: [Int]] = [:]
    var hasWrongClocks = false, hasFaultyDisks = false
    var counts = Counts()
    /// How many holders of release keys sign a change.
    let releaseThreshold: Int
    /// The ways in which the hosts' disks fail: none, at the end of a process, or in all ways.
    let diskFaults: [Disk.Fault]
    /// The first invariant that does not hold.
    private(set) var failure: Failure?
    let clock = Clock()
    let traces: Bool

    struct Failure {
        /// The same in all sequences that fail in the same way.
        let invariant: String
        let details: String
    }

    /// The time of the world, which its devices read from any thread.
    final class Clock: Sendable {
        static let start = 1_790_000_000
        private let seconds = Atomic(Clock.start)
        var now: Int { seconds.load(ordering: .relaxed) }
        func advance(_ count: Int) { seconds.add(count, ordering: .relaxed) }
    }

    var now: Int { clock.now }

    init(seed: Int, in folder: String, traces: Bool = false) throws {
        self.folder = folder
        self.traces = traces
        hasCron = seed % 8 > 0
        cronPause = [6 * 3600, 3 * 86_400][seed / 8 % 2]
        liars = seed / 9 % 3
        releaseThreshold = 1 + abs(seed) / 5 % 2
        diskFaults = [[], [.killed], Disk.allFaults, Disk.allFaults][abs(seed) / 7 % 4]
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        copies = ["one", "two"].map { Copy($0, self) }
        operators = (0..<3).map { Operator($0, self) }
        // As many hosts as the seed says, each with its workers.
        hosts = (0..<1 + abs(seed) % 3).map { Host($0, workers: 1 + abs(seed) / 3 % 3, self) }
        try operators[0].makeFeed(in: copies[0])
        try copies[1].take(copies[0])
    }

    func end() {
        for host in hosts { host.end() }
        counts.add("failed-writes", Int(world_faults_count()) - faultsBefore)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Whether a job renews and deploys the feed, and takes the steps of rollouts every few hours or days, and when it
    /// did so last.
    private let hasCron: Bool, cronPause: Int
    private var lastCron = 0
    private let faultsBefore = Int(world_faults_count())

    func run(_ events: [Event]) async {
        for event in events {
            await perform(event)
            if failure == nil { await check() }
            guard failure == nil else { return }
        }
        for host in hosts { host.end() }
        checkReport()
    }

    func perform(_ event: Event) async {
        clock.advance(event.gap)
        counts.seconds += event.gap
        counts.add("events")
        if traces { print(now - Clock.start, event) }
        for host in hosts { host.pass() }
        if hasCron, now - lastCron > cronPause {
            lastCron = now
            operators[0].runJob(in: copies[0])
        }
        if event.verb.isOfHost {
            await hosts[event.who % hosts.count].perform(event)
        } else {
            operate(event)
        }
    }

    /// An action of an operator, which may happen while another one waits for a signature.
    func operate(_ event: Event) {
        guard event.verb != .wait else { return }
        // Most work is done in one copy.
        let copy = copies[event.what / 100 % 4 == 3 ? 1 : 0]
        operators[event.who % operators.count].perform(event, in: copy)
    }

    func fail(_ invariant: String, _ details: String) {
        if traces { print("  FAILS", invariant, details) }
        failure = failure ?? Failure(invariant: invariant, details: details)
    }

    func expect(_ isTrue: Bool, _ invariant: String, _ details: @autoclosure () -> String) {
        if !isTrue { fail(invariant, details()) }
    }

    func trace(_ text: @autoclosure () -> String) {
        if traces { print("   ", text()) }
    }
}

/// What has happened in a world, and how often.
struct Counts: CustomStringConvertible {
    var seconds = 0
    /// How the actions of operators and the syncs have ended has two words.
    private(set) var numbers: [String: Int] = [:]

    mutating func add(_ name: String, _ count: Int = 1) { numbers[name, default: 0] += count }

    mutating func add(_ other: Counts) {
        seconds += other.seconds
        numbers.merge(other.numbers) { $0 + $1 }
    }

    var description: String {
        let words = numbers.filter { !$0.key.contains(" ") }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return ([String(format: "%.1f years", Double(seconds) / (365.25 * 86_400))] + words).joined(separator: ", ")
    }
}

/// What makes the disk fail: after some calls, one or all of them fail.
enum Disk {
    enum Fault { case full, broken, readOnly, killed }

    static let allFaults: [Fault] = [.full, .broken, .readOnly, .killed, .killed, .killed]

    static func arm(_ fault: Fault?, after calls: Int) {
        switch fault {
        case .full: world_faults_set(Int32(calls), ENOSPC, 0)
        case .broken: world_faults_set(Int32(calls), EIO, 0)
        case .readOnly: world_faults_set(Int32(calls), EROFS, 1)
        case .killed: world_faults_set(Int32(calls), EIO, 1)
        case nil: disarm()
        }
    }

    static func disarm() { world_faults_set(-1, 0, 0) }
}
