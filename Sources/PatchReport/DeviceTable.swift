/// The known state of devices, and of patches on devices, in bounded memory.
///
/// If there are too many, devices are left out by their hashes: half of them, then half of the rest. The remaining ones are a
/// random sample, because a hash reveals nothing about a device.
struct DeviceTable {
    /// The state of a device, or of a patch on a device.
    struct Entry {
        /// The hash of the installation. 0 marks a free place.
        fileprivate(set) var device: UInt64 = 0
        /// The last stage of the patch, or of the device's syncs: the milliseconds since 1970 times 8, plus a `Stage`.
        private var life: UInt64 = 0
        /// The last activation or deactivation: the milliseconds times 2, plus 1 if it was an activation. The `Mark`s are above.
        private var run: UInt64 = 0
        /// The time of the first event, in seconds since 1970.
        private(set) var first: UInt32 = .max
        /// The number of the patch; 0 for the device itself.
        fileprivate(set) var patch: UInt16 = 0
        /// The number of the app's newest version on the device, together with the operating system.
        var surroundings: UInt16 = 0

        /// The number of bits below the marks.
        private static let marksShift = UInt64(52)
        private static let timeMask = (UInt64(1) << marksShift) - 1

        var stage: FleetReport.Stage { FleetReport.Stage(rawValue: UInt8(life & 7)) ?? .none }
        /// When it reached that stage, in milliseconds since 1970; 0 if that is not known.
        var stageTime: UInt64 { life >> 3 }
        /// The time of the last activation, or of the last launch for the device itself; nil if the last is a deactivation.
        var runTime: UInt64? { run & 1 == 1 ? (run & Self.timeMask) >> 1 : nil }
        /// Whether the patch was removed at a time, or after it.
        fileprivate func isOver(at time: UInt64) -> Bool {
            [.refused, .over, .withdrawn, .rolledBack].contains(stage) && stageTime >= time
        }

        /// Whether it was rolled back together with others, and was neither confirmed nor rolled back by itself.
        var isSuspected: Bool { has(.suspected) && !has(.rolledBack) && stage != .good }

        func has(_ mark: Mark) -> Bool { run >> Self.marksShift & mark.rawValue != 0 }
        mutating func set(_ mark: Mark) { run |= mark.rawValue << Self.marksShift }

        /// Whether the device itself had this trouble. Its entry has no marks of patches.
        func has(trouble: FleetReport.Trouble) -> Bool { run >> Self.marksShift & trouble.mark != 0 }
        mutating func set(trouble: FleetReport.Trouble) { run |= trouble.mark << Self.marksShift }

        /// - Parameter time: Milliseconds since 1970, at most in the year 2500.
        mutating func reach(_ stage: FleetReport.Stage, at time: UInt64) {
            life = max(life, time << 3 | UInt64(stage.rawValue))
        }

        mutating func run(_ isOn: Bool, at time: UInt64) {
            let marks = run & ~Self.timeMask
            run = marks | max(run & Self.timeMask, time << 1 | (isOn ? 1 : 0))
        }

        mutating func isHeard(at time: UInt64) { first = min(first, UInt32(clamping: time / 1000)) }
    }

    /// The events that happened at least once with a patch.
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
    }

    private var entries: [Entry]
    private var count = 0
    /// The maximum number of places, each of 32 bytes.
    private let most: Int
    /// Spreads hashes over the places. It differs in each run, because hashes may be chosen to collide.
    private let spread = UInt64.random(in: .min ... .max) | 1
    /// Devices are kept if this many leading bits of their hash are 0.
    private var droppedBits = 0

    /// - Parameter most: The maximum number of places, a power of two.
    init(most: Int) {
        self.most = most
        entries = Array(repeating: Entry(), count: min(1 << 12, most))
    }

    /// How many devices each kept device represents. It has a limit, so that no sum over the table overflows if hashes are chosen
    /// for that.
    var scale: Int { 1 << min(droppedBits, 31) }

    /// Changes the entry of a device, unless the device is left out.
    mutating func change(_ device: UInt64, _ patch: UInt16, _ body: (inout Entry) -> Void) {
        let device = device == 0 ? 1 : device
        guard isKept(device) else { return }
        if count * 10 >= entries.count * 7 {
            makeRoom()
            guard isKept(device) else { return }
        }
        let place = place(device, patch)
        if entries[place].device == 0 {
            entries[place].device = device
            entries[place].patch = patch
            count += 1
        }
        body(&entries[place])
    }

    func forEach(_ body: (Entry) -> Void) {
        for entry in entries where entry.device != 0 { body(entry) }
    }

    /// Whether a patch runs on a device: it was activated and not removed after that, and the device has not been launched
    /// without it since.
    func isRunning(_ entry: Entry) -> Bool {
        guard let time = entry.runTime, !entry.isOver(at: time) else { return false }
        return time >= entries[place(entry.device, 0)].runTime ?? 0
    }

    /// Whether a device reported the patch or a launch after the feed had stopped the patch.
    ///
    /// - Parameter stop: When the feed stopped the patch, in milliseconds since 1970.
    func isHeard(_ entry: Entry, sinceStop stop: UInt64) -> Bool {
        entry.has(.heardSinceStop) || entries[place(entry.device, 0)].runTime.map { $0 >= stop } ?? false
    }

    private func isKept(_ device: UInt64) -> Bool { device.leadingZeroBitCount >= droppedBits }

    private func place(_ device: UInt64, _ patch: UInt16) -> Int {
        let mask = entries.count - 1
        // The entries of a device are near each other, mostly in one line of the processor's cache.
        let first = (device &* spread) >> UInt64(64 - mask.nonzeroBitCount)
        var place = Int(truncatingIfNeeded: first &+ UInt64(patch)) & mask
        while entries[place].device != 0, entries[place].device != device || entries[place].patch != patch {
            place = (place + 1) & mask
        }
        return place
    }

    private mutating func makeRoom() {
        let old = entries
        if old.count < most {
            entries = Array(repeating: Entry(), count: old.count * 2)
        } else {
            droppedBits += 1
            entries = []
            entries = Array(repeating: Entry(), count: old.count)
        }
        count = 0
        for entry in old where entry.device != 0 && isKept(entry.device) {
            entries[place(entry.device, entry.patch)] = entry
            count += 1
        }
    }
}

extension FleetReport.Trouble {
    fileprivate var mark: UInt64 {
        switch self {
        case .syncFailed: 1
        case .storeFailed: 2
        case .refused: 4
        case .safeMode: 8
        case .neverConfirmed: 16
        case .misused: 32
        }
    }
}
