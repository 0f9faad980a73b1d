/// Finds a smaller list of events that fails in the same way.
@MainActor struct Minimizer {
    /// Runs events, and returns the invariant that does not hold; nil if all hold.
    let run: ([Event]) async -> String?
    private var runs = 0

    init(run: @escaping ([Event]) async -> String?) { self.run = run }

    mutating func smallest(_ events: [Event], _ invariant: String) async -> [Event] {
        var events = events
        var size = max(1, events.count / 2)
        while true {
            var start = 0
            var isSmaller = false
            while start < events.count {
                var fewer = events
                fewer.removeSubrange(start..<min(start + size, events.count))
                // The time that has passed stays.
                let gap = events[start..<min(start + size, events.count)].reduce(0) { $0 + $1.gap }
                if start < fewer.count { fewer[start].gap += gap }
                if await fails(fewer, invariant) {
                    events = fewer
                    isSmaller = true
                } else {
                    start += size
                }
            }
            if size == 1, !isSmaller { break }
            size = max(1, size / 2)
        }
        for index in events.indices {
            for number in events[index].inner.indices.reversed() {
                var fewer = events
                fewer[index].inner.remove(at: number)
                if await fails(fewer, invariant) { events = fewer }
            }
        }
        return events
    }

    private mutating func fails(_ events: [Event], _ invariant: String) async -> Bool {
        runs += 1
        return await run(events) == invariant
    }
}
