public import PatchCrypto
public import PatchRunner
package import PatchText

/// An event that a device reports to the app.
public struct PatchEvent: Sendable {
    /// What has happened.
    ///
    /// A version after 1.0 may add cases. Give a `switch` an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable {
        /// An event of the runner: a patch was loaded, activated or refused, or failed.
        case runner(RunnerEvent.Kind)
        /// A launch began.
        case launched(Launch)
        /// A patch is on trial: it runs for the first time on this device, or again after it did not fit for a while.
        case beganTrial(Trial)
        /// A patch is good: a launch that began with it was confirmed, the app has confirmed since its activation, or
        /// its watch was over.
        case confirmed(Confirmation)
        /// A patch is rolled back. Launches or calls failed with it, its script did not load, or the app banned it.
        case rolledBack(Halt)
        /// Launches failed with a patch on trial, and the patch may not be the cause. It is tried again alone, or is
        /// rolled back at the first confirmation without it.
        case suspected(Halt)
        /// Launches failed with a patch that has an `otherwise`, so only that answers.
        case closed(Halt)
        /// Launches failed with good patches, so the app runs without them.
        case safeMode(SafeMode)
        /// A patch waits until the app registers functions.
        case waiting(Wait)
        /// No launch of this version of the app was ever confirmed.
        case neverConfirmed(Unconfirmed)
        /// A patch that is held has expired, so it does not run.
        case expired(Exclusion)
        /// A patch that is held is not for this version of the app, or needs a higher engine level, so it does not run.
        case notApplicable(Exclusion)
        /// A patch was withdrawn by the feed.
        case withdrawn(Withdrawal)
        /// The feed has switched all patches off.
        case disabled
        /// The feed has switched patches on again.
        case enabled
        /// The device was brought up to date with the feed.
        case synced(Sync)
        /// A sync failed: the feed could not be read, or the device's folder could not be written.
        case syncFailed(SyncFailure)
        /// The feed's values for the app have changed.
        case changedSwitches(Switches)
        /// The device's folder or a file in it cannot be used.
        case storeFailed(PatchError)
        /// Another process writes the device's folder, and this process follows it: it runs the patches that are good
        /// there.
        case becameFollower(Follower)
        /// A call had no effect, because the app made it too early.
        case misused(PatchError)
    }

    /// What has happened. Of several equal events, it is the last one.
    public let kind: Kind
    /// How many equal events were counted since the first one was reported; nil for an event that is reported by
    /// itself.
    private let repetitions: Int?

    /// How many equal events this one stands for, so that the sum over all events is right.
    ///
    /// An event is reported at once, with 1. Those that equal it within the next second are one event, when the second
    /// is over.
    public var count: Int { repetitions ?? 1 }

    /// Makes an event of a device from one of a runner, for ``PatchEventLog/record(_:)``.
    public init(_ event: RunnerEvent) { self.init(.runner(event.kind), repetitions: event.repetitions) }

    package init(_ kind: Kind, repetitions: Int? = nil) {
        self.kind = kind
        self.repetitions = repetitions
    }
}

extension PatchEvent {
    /// The event as one line of JSON, of the schema `patchpack.event/1` (docs/events.md). Characters that a terminal
    /// would act on are escaped.
    public var jsonLine: String { record.line() }

    /// The event's name in JSON, such as `breaker-opened`.
    public var name: String { kind.name.rawValue }

    /// The patch that the event is about.
    public var patch: PatchID? { kind.patch }

    /// How severe the event is. For a script's log line, this is the line's level.
    public var severity: EventSeverity { record.level }

    /// A message that is the same for every event of this name; for a script's log line, the content of the line.
    /// Characters that a terminal would act on are escaped.
    public var message: String { Escape.comment(record.message) }

    /// The values that differ from event to event, by their names in JSON, such as `patch.id` (docs/events.md).
    public var attributes: [EventAttribute] { record.values }

    package var record: EventRecord {
        let record = kind.record
        return repetitions.map(record.repeated) ?? record
    }
}

extension PatchEvent: CustomStringConvertible {
    /// The event as one line of text for a reader. Characters that a terminal would act on are escaped.
    public var description: String { Escape.comment(kind.text.withRepetitions(repetitions)) }
}

extension PatchEvent: RepeatedEvent {
    package var sameness: EventSameness? { kind.sameness }

    package func repeated(_ count: Int) -> PatchEvent { PatchEvent(kind, repetitions: count) }
}
