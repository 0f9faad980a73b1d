internal import PatchText

/// The calls of a live patch.
package struct CallCounts: Sendable, Equatable {
    /// All calls, those in which the patch failed, and those that something else than the patch answered.
    package var calls = 0, failures = 0, fallbacks = 0
    /// The calls whose time was measured, and the sum of their nanoseconds.
    package var measured = 0, nanoseconds = 0
    /// The longest measured call, in nanoseconds.
    package var longest = 0
    /// The measured calls by their time: below each of `EventRecord.timeBounds`, and below none.
    package var times = [Int](repeating: 0, count: EventRecord.timeBounds.count + 1)

    package init() {}

    package mutating func add(_ other: CallCounts) {
        calls.addOrMost(other.calls)
        failures.addOrMost(other.failures)
        fallbacks.addOrMost(other.fallbacks)
        measured.addOrMost(other.measured)
        nanoseconds.addOrMost(other.nanoseconds)
        longest = max(longest, other.longest)
        for index in times.indices { times[index].addOrMost(other.times[index]) }
    }

    package var failureRate: Share { Share(failures, of: calls) }
    /// The mean time of a call, in nanoseconds; nil if none was measured.
    package var meanTime: Int? { measured > 0 ? nanoseconds / measured : nil }
    /// The lowest time bound that at least 95 percent of the measured calls are below, in nanoseconds; nil if there is
    /// none.
    package var time95: Int? {
        let all = times.reduce(0) { $0.addingOrMost($1) }
        var slower = all
        for (bound, count) in zip(EventRecord.timeBounds, times) {
            slower -= min(slower, count)
            if let part = Share(slower, of: all).value, part <= 0.05 { return bound }
        }
        return nil
    }
}

/// The runs of a patch in shadow, compared with the calls that were answered.
package struct ComparisonCounts: Sendable, Equatable {
    /// Runs that ended as the call, and that ended otherwise.
    package var agreed = 0, differed = 0
    /// Runs that failed, and calls that could not be compared.
    package var failed = 0, incomparable = 0
    /// The time of the script in all runs, in nanoseconds.
    package var nanoseconds = 0

    package mutating func add(_ other: ComparisonCounts) {
        agreed.addOrMost(other.agreed)
        differed.addOrMost(other.differed)
        failed.addOrMost(other.failed)
        incomparable.addOrMost(other.incomparable)
        nanoseconds.addOrMost(other.nanoseconds)
    }

    /// The part of the compared calls that would have been answered otherwise.
    package var differing: Share { Share(differed, of: agreed.addingOrMost(differed)) }
    /// The mean time of the script in a call of the sample, in nanoseconds; nil if there was none.
    package var meanTime: Int? {
        let runs = differing.total.addingOrMost(failed).addingOrMost(incomparable)
        return runs > 0 ? nanoseconds / runs : nil
    }
}
