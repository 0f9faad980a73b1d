internal import PatchCrypto
internal import PatchRunner

/// Counts events that were written in the last minute already.
struct EventRepeats {
    /// What makes two events the same. The message of a failure may contain values, so it does not count.
    private struct Key: Hashable {
        let name: String
        let patch: PatchID?
        let detail: String

        init(_ event: PatchEvent) {
            name = event.name
            patch = event.patch
            detail =
                switch event {
                case .runner(.failed(_, let function, let failure)): "\(function) \(failure.code)"
                case .runner(.fellBack(_, let function, let reason)): "\(function) \(reason.rawValue)"
                case .runner(.log(_, let level, let text)): "\(level) \(text)"
                case .runner(.refused(let error, _)), .syncFailed(let error), .storeFailed(let error),
                    .misused(let error):
                    "\(error.code)"
                default: ""
                }
        }
    }

    private struct Repeat {
        /// When the event was last written, in milliseconds since 1970.
        let written: Int
        /// The event as it happened last.
        let event: PatchEvent
        var count = 0
    }

    private static let milliseconds = 60_000
    /// More different events than this in a minute are not counted but written.
    private static let most = 256
    private var repeats: [Key: Repeat] = [:]

    /// Whether an event is to be written. If not, it is counted.
    mutating func isNew(_ event: PatchEvent, at now: Int) -> Bool {
        switch event {
        case .runner(.failed), .runner(.fellBack), .runner(.log), .runner(.refused), .syncFailed, .storeFailed,
            .misused:
            break
        default: return true
        }
        let key = Key(event)
        if let written = repeats[key] {
            repeats[key] = Repeat(written: written.written, event: event, count: written.count + 1)
            return false
        }
        if repeats.count < Self.most { repeats[key] = Repeat(written: now, event: event) }
        return true
    }

    /// Takes out the events whose minute is over.
    ///
    /// - Parameter now: Milliseconds since 1970; nil takes out all of them.
    /// - Returns: Those that have happened again, and how often.
    mutating func take(at now: Int?) -> [(event: PatchEvent, count: Int)] {
        let over = repeats.filter { _, value in
            guard let now else { return true }
            // A clock that was set back ends the minute too.
            return !(value.written..<value.written + Self.milliseconds).contains(now)
        }
        for key in over.keys { repeats[key] = nil }
        return over.values.filter { $0.count > 0 }.sorted { $0.written < $1.written }.map { ($0.event, $0.count) }
    }
}
