public import PatchCrypto
package import PatchText

/// An event that a runner reports to the app about its patches.
public struct RunnerEvent: Sendable {
    /// What has happened.
    ///
    /// A version after 1.0 may add cases. Give a `switch` an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable {
        /// A patch was loaded: its script ran and declared its replacements.
        case loaded(Load)
        /// A patch's replacements are active.
        case activated(Activation)
        /// A patch's replacements are no longer active.
        case deactivated(Deactivation)
        /// A patch was refused.
        case refused(Refusal)
        /// A replacement failed. The script's `otherwise` answered. Without one, the next patch below or the original
        /// answered; if it had already answered in this call, it did not run again.
        case failed(FailedCall)
        /// The patch's script did not answer a call, although it did not fail.
        case fellBack(Fallback)
        /// A patch in shadow was compared with the answers that were given.
        case compared(ShadowComparison)
        /// Replacements of a patch failed too often, and are skipped for now.
        case breakerOpened(OpenBreaker)
        /// A replacement that had failed too often runs again, because tries have succeeded.
        case breakerClosed(ClosedBreaker)
        /// A script wrote to the log.
        case logged(LogLine)
    }

    /// What has happened. Of several equal events, it is the last one.
    public let kind: Kind
    /// How many equal events were counted since the first one was reported; nil for an event that is reported by
    /// itself.
    package let repetitions: Int?

    /// How many equal events this one stands for, so that the sum over all events is right.
    ///
    /// An event is reported at once, with 1. Those that equal it within the next second are one event, when the second
    /// is over.
    public var count: Int { repetitions ?? 1 }

    package init(_ kind: Kind, repetitions: Int? = nil) {
        self.kind = kind
        self.repetitions = repetitions
    }
}

extension RunnerEvent {
    /// The event as one line of JSON, of the schema `patchpack.event/1` (docs/events.md). Characters that a terminal
    /// would act on are escaped.
    public var jsonLine: String { record.line() }

    /// The event's name in JSON, such as `breaker-opened`.
    public var name: String { kind.name.rawValue }

    /// The patch that the event is about; nil if its manifest was not verified.
    public var patch: PatchID? { kind.patch }

    /// The severity of the event. For a script's log line, it is the line's level.
    public var severity: EventSeverity { record.level }

    /// A message that is the same for every event of the name; for a script's log line, the line. Characters that a
    /// terminal would act on are escaped.
    public var message: String { Escape.comment(record.message) }

    /// The values that differ from event to event, by the names that they have in JSON, such as `patch.id`
    /// (docs/events.md).
    public var attributes: [EventAttribute] { record.values }

    package var record: EventRecord {
        let record = kind.record
        return repetitions.map(record.repeated) ?? record
    }
}

extension RunnerEvent: CustomStringConvertible {
    /// The event as one line of text for a reader. Characters that a terminal would act on are escaped.
    public var description: String { Escape.comment(kind.text.withRepetitions(repetitions)) }
}

extension RunnerEvent: RepeatedEvent {
    package var sameness: EventSameness? { kind.sameness }

    package func repeated(_ count: Int) -> RunnerEvent { RunnerEvent(kind, repetitions: count) }
}
