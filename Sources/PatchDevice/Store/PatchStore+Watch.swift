internal import PatchRunner
internal import Synchronization

// How long crashes count: the watch of the patches that a launch began with, and of patches that were activated later.
extension PatchStore {
    /// When watches end, as uptimes.
    struct Watches {
        /// The end for the patches that the launch began with; nil if this process has not begun a launch.
        var launch: Duration?
        /// The ends for patches that were activated later, by hash.
        var late: [String: Duration] = [:]
        /// Wakes the store when the next watch ends.
        var alarm: (end: Duration, task: Task<Void, Never>)?

        /// Begins the watches of the patches that a change of the state has activated.
        mutating func follow(_ old: StoreState.Launch?, _ new: StoreState.Launch?, until end: Duration) {
            guard launch != nil, let new else { return }
            if !Set(new.patches).isSubset(of: old?.patches ?? []) { launch = end }
            late = new.late.reduce(into: [:]) { $0[$1] = late[$1] ?? end }
        }
    }

    /// Notes which watches are over, unless the state is still about the last launch, which another process has
    /// watched.
    func passWatches(_ state: inout StoreState, _ memory: Memory) -> [StoreState.Event] {
        let watches = memory.watches
        guard memory.launch.hasBegun, let launch = watches.launch, state.launch != nil else { return [] }
        let now = uptime.now()
        // An app that had confirmed before this process took over need not do so again.
        let isConfirmed = launch <= now && memory.launch.hasConfirmed && state.launch?.isConfirmed == false
        let events = isConfirmed ? state.confirm(limits: limits, at: clock()) : []
        return events
            + state.pass(began: launch <= now, late: Set(watches.late.filter { $0.value <= now }.keys))
    }

    /// When a watch that begins now ends.
    var endOfWatch: Duration { uptime.now() + Uptime.bounded(limits.watchDuration) }

    /// Ends the watches that are over.
    package func endWatches() {
        let isDue = memory.locked { memory in
            if let alarm = memory.watches.alarm, alarm.end <= uptime.now() {
                alarm.task.cancel()
                memory.watches.alarm = nil
            }
            return memory.writer.canWrite && memory.watches.launch != nil
        }
        guard isDue else { return }
        writePending()
    }

    /// Tries a suspect or a closed patch alone, in a process that is confirmed and whose watches are over.
    package func tryAlone() {
        endWatches()
        let (runner, trust, tried) = memory.locked { ($0.launch.runner, $0.launch.trust, $0.launch.triedAlone) }
        guard !isReadOnly, let runner else { return }
        guard let next = state.nextAlone(limits: limits, at: clock(), without: tried) else {
            // All have had their turn, so the first ones have the next one.
            memory.locked { $0.launch.triedAlone = [] }
            return
        }
        memory.locked { _ = $0.launch.triedAlone.insert(next.hash) }
        guard let trust = trust?(), let patch = verify(next.hash, on: runner, trust: trust),
            (try? change { $0.tryAlone(next.hash) }) != nil
        else { return }
        endShadows()
        activate(patch, next.hash, on: runner)
    }

    /// Sets an alarm that wakes the store when the next watch ends.
    func setAlarm(_ memory: inout Memory) {
        guard let launch = memory.writer.state.launch, launch.isWatched, !memory.writer.state.stored.isEmpty,
            let began = memory.watches.launch
        else { return }
        var ends = Array(memory.watches.late.values)
        if !launch.isFirstWatchOver { ends.append(began) }
        guard let end = ends.min(), memory.watches.alarm?.end != end else { return }
        memory.watches.alarm?.task.cancel()
        // Detached, so that it does not keep the values of the task that happened to change the state.
        let task = Task.detached { [weak self, uptime] in
            guard (try? await uptime.sleep(end)) != nil else { return }
            self?.endWatches()
        }
        memory.watches.alarm = (end, task)
    }
}
