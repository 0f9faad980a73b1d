internal import PatchCrypto

/// Tells how the active patches of a registry were called since it was last asked.
package struct CallCounter: Sendable {
    private struct Key: Hashable {
        let patch: PatchID
        let name: String
    }

    private var seen: [Key: RunnerEvent.Calls] = [:]

    package init() {}

    /// An event for each patch that was called since the last time. Calls of a patch that was deactivated meanwhile are
    /// lost.
    package mutating func next(of registry: PatchRegistry) -> [RunnerEvent] {
        var now: [Key: RunnerEvent.Calls] = [:]
        var new: [PatchID: RunnerEvent.Calls] = [:]
        for slot in registry.names.slots {
            for (patch, total) in slot.totals {
                let key = Key(patch: patch, name: slot.name)
                now[key] = total
                // A patch that was activated again counts from 0.
                let before = seen[key].flatMap { $0.calls <= total.calls ? $0 : nil } ?? RunnerEvent.Calls()
                if total != before { new[patch, default: RunnerEvent.Calls()].add(total, since: before) }
            }
        }
        seen = now
        return new.sorted { $0.key.id < $1.key.id }.map { .called($0.key, $0.value) }
    }
}

extension RunnerEvent.Calls {
    fileprivate mutating func add(_ total: RunnerEvent.Calls, since before: RunnerEvent.Calls) {
        calls.addOrMost(total.calls - before.calls)
        failures.addOrMost(max(0, total.failures - before.failures))
        fallbacks.addOrMost(max(0, total.fallbacks - before.fallbacks))
        measured.addOrMost(max(0, total.measured - before.measured))
        nanoseconds.addOrMost(max(0, total.nanoseconds - before.nanoseconds))
        longest = max(longest, total.longest)
    }
}
