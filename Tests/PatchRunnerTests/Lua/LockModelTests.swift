import TestSupport
import Testing

/// Every sequence of steps of threads and tasks that share one state, by the table of `owner` in lock.c.
///
/// A step is what no other thread can interrupt: one atomic operation, or all that is done under the `queues_mutex`.
/// Time is left out: whatever depends on it may happen at any time.
@Suite(.ownThreads) struct LockModelTests {
    /// A part of the lock without which it would be wrong.
    enum Omission: CaseIterable {
        /// A waiting thread looks again only when it is woken.
        case threadsLookAgain
        /// The clock serves waiting tasks.
        case clock
        /// A waiter that joins tells the thread that holds the lock.
        case tellsOfWaiters
        /// A waiter that loses its turn joins the queue again.
        case queuesAgain
        /// A turn that is not taken is passed on when its waiter stops waiting.
        case returnsTurns
    }

    private enum Owner: Hashable {
        case free
        case taken(Int)
        case reserved(Int)
    }

    private enum Phase: Hashable {
        case away, inside
        /// It has read whether there is work for who leaves.
        case leaving(hasWork: Bool)
        /// It is in the queue, or has a turn. `isWoken`: a thread that was signalled.
        case waiting(isWoken: Bool)
        /// A task that has seen its turn.
        case coming
        /// A task that no longer waits.
        case stopping
    }

    private struct Lock: Hashable {
        var owner = Owner.free
        var hasLeavingWork = false
        var queue: [Int] = []
        var given: Set<Int> = []
        var phases: [Phase]
    }

    /// The actors below this number are threads, and the others are tasks.
    private static let threads = 2
    private static let actors = 4

    private let omission: Omission?
    /// Whether actors arrive and give up. Otherwise those that are there go on.
    private let isOpen: Bool

    init() { self.init(omission: nil, isOpen: true) }
    private init(omission: Omission?, isOpen: Bool) {
        self.omission = omission
        self.isOpen = isOpen
    }

    private func isTask(_ actor: Int) -> Bool { actor >= Self.threads }

    /// Hands over, or releases. The lock is taken by an actor that leaves, or reserved for one that stops waiting.
    private func handOver(_ lock: Lock) -> [Lock] {
        var released = lock
        released.owner = .free
        released.hasLeavingWork = false
        guard let first = lock.queue.first else { return [released] }
        // A task is always given the lock. Of threads, one that has waited for long may be given it, and the first is
        // woken.
        let candidates = isTask(first) ? [first] : lock.queue.filter { !isTask($0) }
        var next = candidates.map { waiter in
            var lock = lock
            lock.queue.removeAll { $0 == waiter }
            lock.given.insert(waiter)
            lock.owner = .reserved(waiter)
            if !lock.queue.isEmpty { lock.hasLeavingWork = true }
            if !isTask(waiter) { lock.phases[waiter] = .waiting(isWoken: true) }
            return lock
        }
        if !isTask(first) {
            released.phases[first] = .waiting(isWoken: true)
            next.append(released)
        }
        return next
    }

    private func joins(_ actor: Int, _ lock: Lock) -> Lock {
        var lock = lock
        lock.queue.append(actor)
        if omission != .tellsOfWaiters { lock.hasLeavingWork = true }
        lock.phases[actor] = .waiting(isWoken: false)
        return lock
    }

    private func loses(_ actor: Int, _ lock: inout Lock) {
        lock.given.remove(actor)
        guard omission != .queuesAgain else { return }
        lock.queue.insert(actor, at: 0)
        lock.hasLeavingWork = true
    }

    /// Takes the lock: come, take or expel. nil if it cannot.
    private func takes(_ actor: Int, _ lock: Lock) -> Lock? {
        var lock = lock
        switch lock.owner {
        case .taken: return nil
        case .reserved(actor): lock.given.remove(actor)
        case .reserved(let late):
            guard !isTask(actor) else { return nil }
            loses(late, &lock)
        case .free: break
        }
        lock.queue.removeAll { $0 == actor }
        if !lock.queue.isEmpty { lock.hasLeavingWork = true }
        lock.owner = .taken(actor)
        lock.phases[actor] = .inside
        return lock
    }

    private func steps(of actor: Int, in lock: Lock) -> [Lock] {
        var next = lock
        switch lock.phases[actor] {
        case .away:
            guard isOpen else { return [] }
            if lock.owner == .free {
                next.owner = .taken(actor)
                next.phases[actor] = .inside
                return [next]
            }
            guard isTask(actor) else { return [joins(actor, lock)] }
            // The lock may have become free since.
            return [joins(actor, lock)] + handsOverIfFree(joins(actor, lock))
        case .inside:
            next.phases[actor] = .leaving(hasWork: lock.hasLeavingWork)
            return [next]
        case .leaving(let hasWork):
            next.phases[actor] = .away
            if hasWork { return handOver(next) }
            next.owner = .free
            return [next]
        case .waiting(let isWoken) where !isTask(actor):
            guard isWoken || omission != .threadsLookAgain else { return [] }
            next.phases[actor] = .waiting(isWoken: false)
            if let taken = takes(actor, next) { return [taken] }
            var gaveUp = next
            gaveUp.queue.removeAll { $0 == actor }
            gaveUp.phases[actor] = .away
            if !gaveUp.queue.isEmpty { gaveUp.hasLeavingWork = true }
            next.hasLeavingWork = next.hasLeavingWork || lock.queue.contains(actor)
            return isOpen ? [next, gaveUp] : [next]
        case .waiting:
            var stopped = lock
            stopped.phases[actor] = .stopping
            if lock.owner == .reserved(actor) { next.phases[actor] = .coming }
            return isOpen ? [next, stopped] : [next]
        case .coming:
            var stopped = lock
            stopped.phases[actor] = .stopping
            next.phases[actor] = .waiting(isWoken: false)
            next = takes(actor, lock) ?? next
            return isOpen ? [next, stopped] : [next]
        case .stopping:
            next.queue.removeAll { $0 == actor }
            next.given.remove(actor)
            next.phases[actor] = .away
            return lock.owner == .reserved(actor) && omission != .returnsTurns ? handOver(next) : [next]
        }
    }

    private func handsOverIfFree(_ lock: Lock) -> [Lock] { lock.owner == .free ? handOver(lock) : [] }

    /// The clock: gives a free lock, passes an unused turn of a task on, or lets the first task give up.
    private func ticks(_ lock: Lock) -> [Lock] {
        guard omission != .clock, lock.phases.indices.contains(where: { isTask($0) && lock.phases[$0] != .away })
        else { return [] }
        var next = lock.queue.isEmpty ? [] : handsOverIfFree(lock)
        if case .reserved(let late) = lock.owner, isTask(late), !lock.queue.isEmpty {
            next += handOver(lock).map { given in
                var given = given
                loses(late, &given)
                return given
            }
        }
        if isOpen, let first = lock.queue.first(where: isTask) {
            var gaveUp = lock
            gaveUp.queue.removeAll { $0 == first }
            gaveUp.phases[first] = .stopping
            next.append(gaveUp)
        }
        return next
    }

    private func steps(in lock: Lock) -> [Lock] {
        lock.phases.indices.flatMap { steps(of: $0, in: lock) } + ticks(lock)
    }

    /// What is wrong with a state of the lock, by the rules at the top of lock.c; nil if nothing is.
    private func fault(of lock: Lock) -> String? {
        let inside = lock.phases.indices.filter { actor in
            if case .leaving = lock.phases[actor] { return true }
            return lock.phases[actor] == .inside
        }
        switch lock.owner {
        case .free, .reserved: if !inside.isEmpty { return "\(inside) are in a state that is not taken" }
        case .taken(let owner): if inside != [owner] { return "\(owner) has the lock, but \(inside) are in the state" }
        }
        if let both = lock.queue.first(where: lock.given.contains) { return "\(both) is queued and has a turn" }
        if Set(lock.queue).count < lock.queue.count { return "a waiter is queued twice" }
        // A waiter that was woken looks again, and then tells the thread that has the lock by now.
        let isWoken = lock.queue.contains { lock.phases[$0] == .waiting(isWoken: true) }
        if case .taken(let owner) = lock.owner, lock.phases[owner] == .inside, !lock.queue.isEmpty, !isWoken,
            !lock.hasLeavingWork
        {
            return "\(owner) does not know of \(lock.queue)"
        }
        return nil
    }

    /// All states of the lock that can be reached from some of them, each with those that it was reached from.
    private func reach(from first: some Sequence<Lock>) -> [Lock: [Lock]] {
        var found = Dictionary(first.map { ($0, [Lock]()) }) { old, _ in old }
        var open = Array(found.keys)
        while let lock = open.popLast() {
            for next in steps(in: lock) {
                if found[next] == nil { open.append(next) }
                found[next, default: []].append(lock)
            }
        }
        return found
    }

    /// The states of the lock that break a rule, or from which a waiter would wait forever.
    private static func search(without omission: Omission?) -> (states: Int, faults: [String]) {
        let open = LockModelTests(omission: omission, isOpen: true)
        let all = open.reach(from: [Lock(phases: Array(repeating: .away, count: actors))])
        var faults = all.keys.compactMap(open.fault)
        // Without arrivals, and if no one gives up, all get in and leave.
        let closed = LockModelTests(omission: omission, isOpen: false)
        let arrows = closed.reach(from: all.keys)
        var served = arrows.keys.filter { $0.phases.allSatisfy { $0 == .away } }
        var isServed = Set(served)
        while let lock = served.popLast() {
            for before in arrows[lock, default: []] where isServed.insert(before).inserted { served.append(before) }
        }
        faults += arrows.keys.filter { !isServed.contains($0) }.map { "waits forever: \($0)" }
        return (all.count, faults)
    }

    @Test func theLockIsHeldByOneAndServesAll() {
        let (states, faults) = Self.search(without: nil)
        #expect(faults.isEmpty, "\(faults.count): \(faults.prefix(3))")
        #expect(states > 1000)
    }

    @Test(arguments: Omission.allCases)
    func lockModelWithoutOnePartHasFaults(_ omission: Omission) {
        #expect(!Self.search(without: omission).faults.isEmpty)
    }
}
