/// Finds a smaller list of events that fails in the same way.
@MainActor func smallest(_ events: [Event], thatFails fails: @MainActor ([Event]) async -> Bool) async -> [Event] {
    var events = events
    var (size, count) = (events.count, 0)
    repeat {
        size = max(1, size / 2)
        count = events.count
        var start = 0
        while start < events.count {
            let part = start..<min(start + size, events.count)
            var fewer = events
            fewer.removeSubrange(part)
            // The time that has passed stays.
            if start < fewer.count { fewer[start].gap += events[part].reduce(0) { $0 + $1.gap } }
            if await fails(fewer) { events = fewer } else { start += size }
        }
    } while size > 1 || events.count < count
    for index in events.indices {
        for number in events[index].inner.indices.reversed() {
            var fewer = events
            fewer[index].inner.remove(at: number)
            if await fails(fewer) { events = fewer }
        }
    }
    return events
}
