package import PatchCrypto
package import PatchText

/// Reports how the patches of a registry were called since the last report.
package struct CallCounter: Sendable {
    private struct Key: Hashable {
        let name: String
        /// A patch that is activated again counts from 0.
        let activation: Int
    }

    private var seen: [Key: CallStatistics] = [:]

    package init() {}

    /// The calls of a patch since the last time.
    package struct Entry: Sendable {
        package let patch: PatchID
        package let calls: CallStatistics

        package init(_ patch: PatchID, _ calls: CallStatistics) {
            self.patch = patch
            self.calls = calls
        }

        package var record: EventRecord { EventRecord(.called, patch: patch.pair, calls.attributes) }
    }

    /// The patches that were called since the last time. If more than a few were deactivated meanwhile on the same
    /// name, the calls of the earliest are lost.
    package mutating func next(of registry: PatchRegistry) -> [Entry] {
        var now: [Key: CallStatistics] = [:]
        var new: [PatchID: CallStatistics] = [:]
        for slot in registry.names.slots {
            for (patch, activation, total) in slot.layers.locked({ $0.totals }) {
                let key = Key(name: slot.name, activation: activation)
                now[key] = total
                let before = seen[key] ?? CallStatistics()
                if total != before { new[patch, default: CallStatistics()].add(total, since: before) }
            }
        }
        seen = now
        return new.sorted { $0.key.pair < $1.key.pair }.map { Entry($0, $1) }
    }
}

extension CallStatistics {
    /// Adds the calls of a patch, without those that it had at an earlier time.
    mutating func add(_ total: CallStatistics, since before: CallStatistics = .init()) {
        let counts: [WritableKeyPath<Self, Int>] = [\.count, \.failures, \.fallbacks, \.measured, \.nanoseconds]
        for count in counts { self[keyPath: count].addOrMost(max(0, total[keyPath: count] - before[keyPath: count])) }
        longest = max(longest, total.longest)
        let zeros = total.times.map { _ in 0 }
        if times.isEmpty { times = zeros }
        let earlier = before.times.isEmpty ? zeros : before.times
        for place in total.times.indices { times[place].addOrMost(max(0, total.times[place] - earlier[place])) }
    }
}
