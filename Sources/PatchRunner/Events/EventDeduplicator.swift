internal import PatchCrypto
internal import PatchText

/// An event that may be repeated many times in a short time.
package protocol RepeatedEvent: Sendable {
    /// The key by which events count as the same; nil for an event that is always reported.
    var sameness: EventSameness? { get }

    /// How many equal events it stands for.
    var count: Int { get }

    /// The event, as one that stands for this many that were counted.
    func repeated(_ count: Int) -> Self
}

/// The key by which events count as the same. The message of a failure may contain values, so it is not part of the
/// key.
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

/// Counts the repetitions of events that were reported a short time ago.
package struct EventDeduplicator<Event: RepeatedEvent>: Sendable {
    private struct Repeat {
        /// When the event was last reported, in milliseconds.
        let told: Int
        /// The latest occurrence of the event.
        let event: Event
        /// How often it has happened since it was reported.
        var count = 0
    }

    /// The most different events that are tracked. Any further events with the same name count as one, except a
    /// script's log lines: they are always reported, because their bytes are limited.
    private let most = 256
    private let milliseconds: Int
    private var repeats: [EventSameness: Repeat] = [:]

    /// - Parameter milliseconds: How long repetitions are counted after an event was reported.
    package init(milliseconds: Int) { self.milliseconds = milliseconds }

    /// Whether any repetitions have not been reported yet.
    package var areWaiting: Bool { repeats.values.contains { $0.count > 0 } }

    /// Takes an event. Returns whether it must be reported now; if not, it is counted.
    ///
    /// - Parameter now: Milliseconds.
    package mutating func add(_ event: Event, at now: Int) -> Bool {
        guard var key = event.sameness else { return true }
        if repeats[key] == nil, repeats.count >= most {
            guard key.name != EventRecord.Name.log.rawValue else { return true }
            key = EventSameness(key.name, nil)
        }
        if let known = repeats[key] {
            repeats[key] = Repeat(told: known.told, event: event, count: known.count.addingOrMost(event.count))
            return false
        }
        repeats[key] = Repeat(told: now, event: event)
        return true
    }

    /// Removes the events with a name. Returns those that have happened again, with the number of repetitions.
    package mutating func take(named name: String) -> [Event] { take(toldAgainAt: nil) { key, _ in key.name == name } }

    /// Removes the events whose time is over. The events that are reported now are counted again from now on.
    ///
    /// - Parameter now: Milliseconds; nil removes all events.
    /// - Returns: The removed events that have happened again, with the number of repetitions.
    package mutating func take(at now: Int?) -> [Event] {
        let milliseconds = milliseconds
        return take(toldAgainAt: now) { _, value in
            guard let now else { return true }
            // The time also ends if the clock was set back, but not if another thread's time is slightly behind.
            return now - value.told >= milliseconds || now < value.told - milliseconds
        }
    }

    /// - Parameter now: When counting starts again for the events that are reported; nil if they are not counted again.
    private mutating func take(toldAgainAt now: Int?, where isMeant: (EventSameness, Repeat) -> Bool) -> [Event] {
        let taken = repeats.filter { isMeant($0.key, $0.value) }
        for (key, value) in taken {
            repeats[key] = nil
            if let now, value.count > 0 { repeats[key] = Repeat(told: now, event: value.event) }
        }
        return taken.values.filter { $0.count > 0 }.sorted { $0.told < $1.told }.map { $0.event.repeated($0.count) }
    }
}
