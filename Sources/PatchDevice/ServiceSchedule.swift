internal import PatchRunner

/// When a service syncs, writes its call statistics and confirms next. Times are uptimes.
///
/// It is a value without a clock. `PatchDevice.run` does what is due, and sleeps until the next alarm.
struct ServiceSchedule {
    enum Work {
        case sync, record, confirmation
    }

    private enum Confirmation {
        case none
        case at(Duration)
        /// The last one could not be written. It is made again with each sync, and not all the time.
        case withNextSync
    }

    private static let minute = Duration.seconds(60)

    private let syncInterval: Duration
    private let confirmAfter: Duration
    /// nil while a sync is under way.
    private var sync: Duration?
    private var record: Duration
    private var confirmation: Confirmation
    /// The first of the alarms that are set. Later ones may be set too.
    private var alarm: Duration?

    /// Everything but the confirmation is due at once.
    init(syncInterval: Duration, confirmAfter: Duration, at now: Duration) {
        self.syncInterval = max(.milliseconds(1), Uptime.bounded(syncInterval))
        self.confirmAfter = Uptime.bounded(confirmAfter)
        sync = now
        record = now
        confirmation = .at(now + self.confirmAfter)
    }

    /// Whether a confirmation is planned.
    var plansConfirmation: Bool {
        switch confirmation {
        case .none: false
        case .at, .withNextSync: true
        }
    }

    /// What is to be done now. A sync counts as under way from now on.
    mutating func takeDue(at now: Duration) -> Set<Work> {
        var due: Set<Work> = []
        if let time = sync, time <= now {
            due.insert(.sync)
            sync = nil
        }
        if record <= now {
            due.insert(.record)
            record = now + Self.minute
        }
        let isConfirmationDue =
            switch confirmation {
            case .none: false
            case .at(let time): time <= now
            case .withNextSync: due.contains(.sync)
            }
        if isConfirmationDue {
            due.insert(.confirmation)
            confirmation = .none
        }
        return due
    }

    /// Plans the next sync, after one has ended.
    ///
    /// - Parameter jitter: The largest part of the interval that is added to it.
    mutating func endSync(at now: Duration, jitter: Double) {
        let next = now + syncInterval * (1 + SyncSettings.randomPart(upTo: jitter))
        sync = next
        // The process need not wake a second time for the statistics, unless they would be much later for it.
        if next - record <= Self.minute / 4 { record = next }
    }

    /// Plans a confirmation, in place of one that is due with the next sync: that could come sooner.
    mutating func planConfirmation(at now: Duration) { confirmation = .at(now + confirmAfter) }

    /// Plans the confirmation that was due again if it could not be written.
    mutating func endConfirmation(isWritten: Bool) { confirmation = isWritten ? .none : .withNextSync }

    /// When to wake, for a new alarm; nil if an earlier alarm is set.
    mutating func takeAlarm() -> Duration? {
        var next = min(record, sync ?? record)
        if case .at(let time) = confirmation { next = min(next, time) }
        if let alarm, alarm <= next { return nil }
        alarm = next
        return next
    }

    /// Notes that the process has woken at an alarm.
    mutating func endAlarm(_ end: Duration) {
        if alarm == end { alarm = nil }
    }
}
