/// Finds a smaller list of events that fails in the same way.
@MainActor struct Minimizer {
    /// Runs events, and returns the invariant that does not hold; nil if all hold.
    let run: ([Event]) async -> String?

    func smallest(_ events: [Event], _ invariant: String) async -> [Event] {
        var events = events
        var size = max(1, events.count / 2)
        while true {
            var start = 0
            let count = events.count
            while start < events.count {
                let part = start..<min(start + size, events.count)
                var fewer = events
                fewer.removeSubrange(part)
                // The time that has passed stays.
                if start < fewer.count { fewer[start].gap += events[part].reduce(0) { $0 + $1.gap } }
                if await run(fewer) == invariant { events = fewer } else { start += size }
            }
            if size == 1, events.count == count { break }
            size = max(1, size / 2)
        }
        for index in events.indices {
            for number in events[index].inner.indices.reversed() {
                var fewer = events
                fewer[index].inner.remove(at: number)
                if await run(fewer) == invariant { events = fewer }
            }
        }
        return events
    }
}
