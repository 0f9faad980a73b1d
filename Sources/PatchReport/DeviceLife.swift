internal import PatchText

/// The life of a device, or of a patch on a device.
struct DeviceLife {
    /// What the patch or the device reached last: the milliseconds since 1970 times 8, plus a `Stage` of a patch, or
    /// a `SyncEnd` of a device. So the latest is the largest number, and of several with the same time the one with
    /// the highest raw value.
    private var reached: UInt64 = 0
    /// The last activation or deactivation: the milliseconds times 2, plus 1 if it was an activation. The marks are
    /// above.
    private var run: UInt64 = 0
    /// The time of the first event of a patch, or of the last one of the device itself, in seconds since 1970.
    private var heard: UInt32 = .max
    /// The number of the app's newest version on the device, together with the operating system.
    var surroundings: UInt16 = 0
    /// How many functions of the patch it has compared.
    private(set) var functions: UInt16 = 0

    private static let marksShift = UInt64(52)
    private static let timeMask = (UInt64(1) << marksShift) - 1

    /// The events that happened at least once with a patch; of the device itself, only whether any is counted.
    enum Mark: UInt64 {
        case failed = 1
        case refused = 2
        case rolledBack = 4
        /// It was rolled back together with others, one of which was the cause.
        case suspected = 8
        /// A device reported it after the feed had stopped it.
        case heardSinceStop = 16
        /// It was compared in shadow.
        case compared = 32
        case failedInShadow = 64
        /// It answered calls, or was about to: it was on trial, activated, called, refused or rolled back.
        case ran = 128
        /// It was compared in a function for which there was no room.
        case uncounted = 256
        /// An event of it counts. Without one, only the time of the first is known.
        case counted = 512
    }

    /// How a sync of a device ended. If two have the same time, the successful one counts.
    private enum SyncEnd: UInt8 {
        case failed = 1
        case succeeded = 2
    }

    /// The last stage of a patch.
    var stage: FleetReport.Stage { FleetReport.Stage(rawValue: UInt8(reached & 7)) ?? .none }
    /// When it reached that stage, in milliseconds since 1970; 0 if that is not known.
    var stageTime: UInt64 { reached >> 3 }
    /// Whether the last sync of a device failed.
    var isUnsynced: Bool { SyncEnd(rawValue: UInt8(reached & 7)) == .failed }
    /// The time of a patch's first event, in seconds since 1970; the greatest number if no event has a time.
    var first: UInt32 { heard }
    /// The hour of that event, in hours since 1970; nil if no event has a time.
    var firstHour: UInt32? { first == .max ? nil : first / 3600 }
    /// The time of the device's own last event, in seconds since 1970; nil if none has a time.
    var last: UInt32? { heard == .max ? nil : heard }
    /// The time of the last activation, or of the last launch for the device itself; nil if the last is a deactivation.
    var runTime: UInt64? { run & 1 == 1 ? (run & Self.timeMask) >> 1 : nil }

    /// Whether it was rolled back together with others, and was neither confirmed nor rolled back by itself.
    var isSuspected: Bool { has(.suspected) && !has(.rolledBack) && stage != .good }

    /// Whether the patch runs: it was activated and not removed after that, and the device has not been launched
    /// without it since.
    func isRunning(on device: DeviceLife) -> Bool {
        guard let time = runTime else { return false }
        let isOver = [.refused, .over, .withdrawn, .rolledBack].contains(stage) && stageTime >= time
        let lastLaunch = device.runTime ?? 0
        return !isOver && time >= lastLaunch
    }

    func has(_ mark: Mark) -> Bool { run >> Self.marksShift & mark.rawValue != 0 }
    mutating func set(_ mark: Mark) { run |= mark.rawValue << Self.marksShift }

    /// Whether the device itself had this trouble. It has no marks of patches.
    func has(trouble: FleetReport.Trouble) -> Bool { run >> Self.marksShift & trouble.rawValue != 0 }
    mutating func set(trouble: FleetReport.Trouble) { run |= trouble.rawValue << Self.marksShift }

    private mutating func reach(_ stage: FleetReport.Stage, at time: UInt64) {
        reach(rawValue: stage.rawValue, at: time)
    }

    /// - Parameter time: Milliseconds since 1970, at most in the year 2500.
    private mutating func reach(rawValue: UInt8, at time: UInt64) {
        reached = max(reached, time << 3 | UInt64(rawValue))
    }

    /// Notes an activation or a deactivation, or a launch of the device itself.
    mutating func noteRun(_ isOn: Bool, at time: UInt64) {
        let marks = run & ~Self.timeMask
        let latest = time << 1 | (isOn ? 1 : 0)
        run = marks | max(run & Self.timeMask, latest)
    }

    mutating func addFunction() {
        if functions < .max { functions += 1 }
    }

    /// Notes an event of a patch.
    mutating func noteHeard(at time: UInt64) { heard = min(heard, UInt32(clamping: time / 1000)) }

    /// Notes an event of the device itself.
    mutating func noteLast(at time: UInt64) { heard = max(last ?? 0, UInt32(clamping: time / 1000)) }

    /// Notes an event of the device, for its own life.
    mutating func record(_ name: EventRecord.Name?, at time: UInt64) {
        switch name {
        case .launched: noteRun(true, at: time)
        case .synced: reach(rawValue: SyncEnd.succeeded.rawValue, at: time)
        case .syncFailed: reach(rawValue: SyncEnd.failed.rawValue, at: time)
        default: break
        }
    }

    /// Notes an event of a patch, for its life on the device.
    ///
    /// - Parameters:
    ///   - isSuspicion: Whether a roll-back is of several patches, one of which was the cause.
    ///   - isFailed: Whether a run in shadow failed.
    mutating func record(ofPatch name: EventRecord.Name, at time: UInt64, isSuspicion: Bool, isFailed: Bool) {
        // A device that reports one of these runs the patch, or has tried to.
        switch name {
        case .activated, .deactivated, .refused, .failed, .fellBack, .called, .trial, .confirmed, .rolledBack, .closed:
            set(.ran)
        default: break
        }
        switch name {
        case .activated: noteRun(true, at: time)
        case .deactivated: noteRun(false, at: time)
        case .trial: reach(.trial, at: time)
        case .confirmed: reach(.good, at: time)
        case .withdrawn: reach(.withdrawn, at: time)
        case .expired, .notApplicable: reach(.over, at: time)
        case .refused:
            reach(.refused, at: time)
            set(.refused)
        case .rolledBack, .closed:
            reach(.rolledBack, at: time)
            set(isSuspicion ? .suspected : .rolledBack)
        case .failed: set(.failed)
        case .compared:
            reach(.shadow, at: time)
            set(.compared)
            if isFailed { set(.failedInShadow) }
        default: break
        }
    }
}
