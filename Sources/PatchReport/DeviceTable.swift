/// What is known of devices, each with a number of what it is about, in bounded memory.
///
/// If there are too many, devices are left out by their hashes: half of them, then half of the rest. The remaining ones are a
/// random sample, because a hash reveals nothing about a device.
struct DeviceTable<Value: Sendable>: Sendable {
    private struct Entry {
        /// The upper 48 bits of the hash of the installation, and the number. 0 marks a free place.
        var key: UInt64 = 0
        var value: Value
    }

    private let empty: Value
    private var entries: [Entry]
    private var count = 0
    private let most: Int
    /// Spreads hashes over the places. It differs in each run, because hashes may be chosen to collide.
    private let spread = UInt64.random(in: .min ... .max) | 1
    /// Devices are kept if this many leading bits of their hash are 0.
    private var droppedBits = 0

    /// - Parameter most: The maximum number of places, a power of two.
    init(_ empty: Value, most: Int) {
        self.empty = empty
        self.most = most
        entries = Array(repeating: Entry(value: empty), count: min(1 << 10, most))
    }

    /// How many devices each kept device represents. It has a limit, so that no sum over the table overflows if hashes are chosen
    /// for that.
    var scale: Int { 1 << min(droppedBits, 31) }

    private static func key(_ device: UInt64, _ number: UInt16) -> UInt64 {
        max(device, 1 << 16) & ~0xFFFF | UInt64(number)
    }

    /// Changes the value of a device, unless the device is left out.
    mutating func change(_ device: UInt64, _ number: UInt16, _ body: (inout Value) -> Void) {
        let key = Self.key(device, number)
        if count * 10 >= entries.count * 7 { makeRoom() }
        guard isKept(key) else { return }
        let place = place(key)
        if entries[place].key == 0 {
            entries[place].key = key
            count += 1
        }
        body(&entries[place].value)
    }

    /// The value of a device with another number; an empty one if there is none.
    func value(beside key: UInt64, _ number: UInt16) -> Value { entries[place(Self.key(key, number))].value }

    /// - Parameter body: It gets the key of the device, the number and the value.
    func forEach(_ body: (UInt64, Int, Value) -> Void) {
        for entry in entries where entry.key != 0 { body(entry.key, Int(entry.key & 0xFFFF), entry.value) }
    }

    private func isKept(_ key: UInt64) -> Bool { key.leadingZeroBitCount >= droppedBits }

    private func place(_ key: UInt64) -> Int {
        let mask = entries.count - 1
        // The entries of a device are near each other, mostly in one line of the processor's cache.
        let first = (key >> 16 &* spread) >> UInt64(64 - mask.nonzeroBitCount)
        var place = Int(truncatingIfNeeded: first &+ key & 0xFFFF) & mask
        while entries[place].key != 0, entries[place].key != key { place = (place + 1) & mask }
        return place
    }

    private mutating func makeRoom() {
        let old = entries
        if old.count >= most { droppedBits += 1 }
        // The old entries are freed before the new ones are made, if there may be no room for both.
        entries = []
        entries = Array(repeating: Entry(value: empty), count: min(most, old.count * 2))
        count = 0
        for entry in old where entry.key != 0 && isKept(entry.key) {
            entries[place(entry.key)] = entry
            count += 1
        }
    }
}

/// The life of a device, or of a patch on a device.
struct DeviceLife {
    /// The last stage of the patch, or of the device's syncs: the milliseconds since 1970 times 8, plus a `Stage`.
    private var life: UInt64 = 0
    /// The last activation or deactivation: the milliseconds times 2, plus 1 if it was an activation. The marks are above.
    private var run: UInt64 = 0
    /// The time of the first event, in seconds since 1970.
    private(set) var first: UInt32 = .max
    /// The number of the app's newest version on the device, together with the operating system.
    var surroundings: UInt16 = 0
    /// How many functions of the patch it has compared.
    private(set) var functions: UInt16 = 0

    private static let marksShift = UInt64(52)
    private static let timeMask = (UInt64(1) << marksShift) - 1

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
        /// It was compared in a function for which there was no room.
        case uncounted = 256
    }

    /// Whether no event has changed it.
    var isEmpty: Bool { life == 0 && run == 0 && first == .max && surroundings == 0 }
    var stage: FleetReport.Stage { FleetReport.Stage(rawValue: UInt8(life & 7)) ?? .none }
    /// When it reached that stage, in milliseconds since 1970; 0 if that is not known.
    var stageTime: UInt64 { life >> 3 }
    /// The time of the last activation, or of the last launch for the device itself; nil if the last is a deactivation.
    var runTime: UInt64? { run & 1 == 1 ? (run & Self.timeMask) >> 1 : nil }

    /// Whether it was rolled back together with others, and was neither confirmed nor rolled back by itself.
    var isSuspected: Bool { has(.suspected) && !has(.rolledBack) && stage != .good }

    /// Whether the patch runs: it was activated and not removed after that, and the device has not been launched without it since.
    func isRunning(on device: DeviceLife) -> Bool {
        guard let time = runTime else { return false }
        let isOver = [.refused, .over, .withdrawn, .rolledBack].contains(stage) && stageTime >= time
        return !isOver && time >= device.runTime ?? 0
    }

    func has(_ mark: Mark) -> Bool { run >> Self.marksShift & mark.rawValue != 0 }
    mutating func set(_ mark: Mark) { run |= mark.rawValue << Self.marksShift }

    /// Whether the device itself had this trouble. It has no marks of patches.
    func has(trouble: FleetReport.Trouble) -> Bool { run >> Self.marksShift & trouble.rawValue != 0 }
    mutating func set(trouble: FleetReport.Trouble) { run |= trouble.rawValue << Self.marksShift }

    /// - Parameter time: Milliseconds since 1970, at most in the year 2500.
    mutating func reach(_ stage: FleetReport.Stage, at time: UInt64) {
        life = max(life, time << 3 | UInt64(stage.rawValue))
    }

    mutating func run(_ isOn: Bool, at time: UInt64) {
        let marks = run & ~Self.timeMask
        run = marks | max(run & Self.timeMask, time << 1 | (isOn ? 1 : 0))
    }

    mutating func addFunction() { functions = functions &+ (functions < .max ? 1 : 0) }

    mutating func isHeard(at time: UInt64) { first = min(first, UInt32(clamping: time / 1000)) }
}
