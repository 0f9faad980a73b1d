internal import PatchRunner

/// When a service syncs, writes its call statistics and confirms next. Times are uptimes.
///
/// It is a value without a clock. `PatchDevice.run` does what is due, and sleeps until the next alarm.
struct ServiceSchedule {
    enum Work {
        case sync, record, confirmation
    }

    private static let minute = Duration.seconds(60)

    private let syncInterval: Duration
    private let confirmAfter: Duration
    /// nil while a sync is under way.
    private var sync: Duration?
    private var record: Duration
    /// nil if no confirmation is planned.
    private var confirmation: Duration?
    /// Whether the last confirmation could not be written. It is made again with each sync, and not all the time.
    private var confirmsWithSync = false
    /// The first of the alarms that are set. Later ones may be set too.
    private var alarm: Duration?

    /// Everything but the confirmation is due at once.
    init(syncInterval: Duration, confirmAfter: Duration, at now: Duration) {
        self.syncInterval = max(.milliseconds(1), Uptime.bounded(syncInterval))
        self.confirmAfter = Uptime.bounded(confirmAfter)
        sync = now
        record = now
        confirmation = now + self.confirmAfter
    }

    /// Whether a confirmation is planned.
    var plansConfirmation: Bool { confirmation != nil || confirmsWithSync }

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
        let isConfirmationDue = confirmation.map { $0 <= now } ?? false
        if isConfirmationDue || confirmsWithSync && due.contains(.sync) {
            due.insert(.confirmation)
            confirmation = nil
        }
        return due
    }

    /// - Parameter jitter: The largest part of the interval that is added to it.
    mutating func endSync(at now: Duration, jitter: Double) {
        let next = now + syncInterval * (1 + Double.random(in: 0...max(0, min(jitter, 1))))
        sync = next
        // The process need not wake a second time for the statistics.
        if syncInterval <= Self.minute { record = next }
    }

    mutating func planConfirmation(at now: Duration) {
        confirmation = now + confirmAfter
        // One that is due with the next sync could come sooner.
        confirmsWithSync = false
    }

    mutating func endConfirmation(isWritten: Bool) { confirmsWithSync = !isWritten }

    /// When to wake, for a new alarm; nil if an earlier alarm is set.
    mutating func takeAlarm() -> Duration? {
        let next = min(record, sync ?? record, confirmation ?? record)
        if let alarm, alarm <= next { return nil }
        alarm = next
        return next
    }

    mutating func endAlarm(_ end: Duration) {
        if alarm == end { alarm = nil }
    }
}
