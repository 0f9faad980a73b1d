internal import PatchCrypto

/// An event of which many that are the same may come in a short time.
package protocol RepeatedEvent: Sendable {
    /// What makes two events the same; nil for an event that is always told.
    var sameness: EventSameness? { get }

    /// The event by itself, and how often it happened.
    var single: (event: Self, count: Int) { get }

    /// The event, as having happened so often again.
    func repeated(_ count: Int) -> Self
}

/// What makes two events the same. The message of a failure may contain values, so it does not count.
package struct EventSameness: Hashable, Sendable {
    let name: String
    let patch: PatchID?
    let detail: String

    /// - Parameter detail: The function and the code, or a script's line; empty for all events of the name.
    package init(_ name: String, _ patch: PatchID?, _ detail: String = "") {
        self.name = name
        self.patch = patch
        self.detail = detail
    }
}

/// Counts events that were told a short time ago.
package struct EventDeduplicator<Event: RepeatedEvent>: Sendable {
    private struct Repeat {
        /// When the event was last told, in milliseconds.
        let told: Int
        /// The event as it happened last.
        let event: Event
        var count = 0
    }

    /// So many different events are told apart. Of others, all with one name count as the same, but for a script's lines, of which there is a
    /// limit of bytes.
    private let most = 256
    private let milliseconds: Int
    private var repeats: [EventSameness: Repeat] = [:]

    /// - Parameter milliseconds: How long an event is counted after it was told.
    package init(milliseconds: Int) { self.milliseconds = milliseconds }

    /// Whether any event waits to be told how often it has happened.
    package var areWaiting: Bool { repeats.values.contains { $0.count > 0 } }

    /// Whether an event is to be told. If not, it is counted.
    ///
    /// - Parameter now: Milliseconds.
    package mutating func isNew(_ event: Event, at now: Int) -> Bool {
        guard var key = event.sameness else { return true }
        let (event, count) = event.single
        if repeats[key] == nil, repeats.count >= most {
            guard key.name != "log" else { return true }
            key = EventSameness(key.name, nil)
        }
        if let known = repeats[key] {
            repeats[key] = Repeat(told: known.told, event: event, count: known.count.addingOrMost(count))
            return false
        }
        repeats[key] = Repeat(told: now, event: event)
        return true
    }

    /// Takes out the events with a name.
    ///
    /// - Returns: Those that have happened again, and how often.
    package mutating func take(named name: String) -> [Event] { take(toldAgainAt: nil) { key, _ in key.name == name } }

    /// Takes out the events whose time is over. Those that are told now are counted again from now on.
    ///
    /// - Parameter now: Milliseconds; nil takes out all of them.
    /// - Returns: Those that have happened again, and how often.
    package mutating func take(at now: Int?) -> [Event] {
        let milliseconds = milliseconds
        return take(toldAgainAt: now) { _, value in
            guard let now else { return true }
            // A clock that was set back ends the time too, but not another thread's that is a little behind.
            return now - value.told >= milliseconds || now < value.told - milliseconds
        }
    }

    /// - Parameter now: From when on those that are told are counted again; nil if they are not.
    private mutating func take(toldAgainAt now: Int?, where isMeant: (EventSameness, Repeat) -> Bool) -> [Event] {
        let taken = repeats.filter { isMeant($0.key, $0.value) }
        for (key, value) in taken {
            repeats[key] = now.flatMap { value.count > 0 ? Repeat(told: $0, event: value.event) : nil }
        }
        return taken.values.filter { $0.count > 0 }.sorted { $0.told < $1.told }.map { $0.event.repeated($0.count) }
    }
}
