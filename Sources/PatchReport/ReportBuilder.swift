package import PatchCrypto
internal import PatchText

/// Adds the lines of event logs up to a report, in memory with a limit, however many lines and devices there are.
///
/// ``EventInput`` gives it the lines, in any order: the report does not depend on it. A line goes through three
/// steps. The reader takes from it what a report needs. The line is then added to the tables, in which what it is
/// about has numbers:
///
/// - ``DeviceTable``: what each device did with each patch (``DeviceLife``), and whether the device itself is well;
/// - ``CallTable``, ``ComparisonTable``, ``FaultTable``: the calls, the comparisons in shadow, and the faults;
/// - ``SurroundingsTable``: the versions of the app and of the system that the devices have;
/// - `hours`: what happened to a patch in an hour.
///
/// `report()` makes the report of them once all lines are added (ReportBuilder+Report.swift).
@safe package struct ReportBuilder: ~Copyable, Sendable {
    /// The limits of the tables that an input can make grow.
    package struct Limits {
        /// Places for devices, and for devices with a patch: a power of two. Each takes 32 bytes. There is a quarter as
        /// many for the calls of devices, of 80 bytes each, and for their comparisons.
        package var devices = 1 << 22
        /// Patches that the feed does not list. Anyone who can send an event can make one up.
        package var patches = 1000
        package var hours = 200_000
        package var faults = 50_000
        /// Functions that are compared in shadow, and different reasons for each why its calls could not be.
        package var comparisons = 10_000, reasons = 20
        /// Names, such as functions, that a device may bring into the tables, and as many texts, such as messages.
        package var names = 512
        /// Hours that a device may bring into the table.
        package var hoursOfDevice = 10_000

        package init() {}
    }

    struct PatchKey: Hashable {
        let id: UInt32
        let version: Int
    }

    struct HourKey: Hashable {
        let patch: UInt16
        let hour: UInt32
    }

    /// What a number in the table of devices is about, if not a patch.
    enum Subject {
        /// The device itself.
        static let device: UInt16 = 0
        /// Its damaged lines.
        static let damage = UInt16.max
        /// Its events from before the requested time.
        static let earlier = UInt16.max - 1
    }

    /// What the tables need to know of the reader's event.
    private struct Event {
        /// Nil for one that reports do not know.
        let name: EventRecord.Name?
        /// Milliseconds since 1970; 0 if no plausible time is known.
        let time: UInt64
        /// The number of the app's version and the system.
        let surroundings: UInt16
        /// How often it happened. A device counts events that are the same, and writes them once.
        let count: Int
    }

    private let limits: Limits
    /// The latest plausible time, in milliseconds since 1970.
    private let latestTime: Int
    /// The latest time that is not in the future, allowing for a device's clock that is a little wrong.
    private let present: Int
    /// Only events from this time on count, in milliseconds since 1970; nil for all.
    private let since: Int?
    /// A device is new if its first event of a patch is between these times, in seconds since 1970.
    let newDevices: ClosedRange<UInt32>
    /// The earliest plausible time: the beginning of 2020.
    private static let earliestTime = 1_577_836_800_000
    var reader: EventReader
    /// The only patch that is counted; 0 for all. Its name gets its number before anything is read.
    private let onlyPatch: (id: UInt32, version: Int)
    /// The number of the reason of patches that were rolled back together.
    private let suspicion: UInt32
    var devices: DeviceTable<DeviceLife>
    var calls: CallTable
    /// The patches by their numbers, first those that the feed lists. The one with the number 0 stands for the
    /// devices themselves.
    var patches: [FleetReport.Patch] = [FleetReport.Patch(id: "", version: 0)]
    /// How many of the patches the feed lists.
    private(set) var listedCount = 0
    private var numbers: [PatchKey: UInt16] = [:]
    /// The patch that was asked for last: lines about it often follow each other.
    private var last: (key: PatchKey, number: UInt16)?
    var faults: FaultTable
    var comparisons: ComparisonTable
    var surroundings = SurroundingsTable()
    var hours: [HourKey: FleetReport.Hour] = [:]
    private var hourRoom: NameRoom
    package internal(set) var input = FleetReport.Input()
    /// The time of the newest event, in milliseconds since 1970.
    private(set) var newestTime = 0
    /// The only device that is counted; nil for all.
    private(set) var onlyDevice: FleetReport.Device?
    /// When that device synced last, in milliseconds since 1970.
    private(set) var lastSync: UInt64 = 0
    /// The apps and the environments of the counted events, as the numbers of strings.
    private(set) var apps: Set<UInt32> = [], environments: Set<UInt32> = []
    private var lastOrigin: (app: UInt32, environment: UInt32) = (0, 0)

    /// - Parameters:
    ///   - now: The current time in milliseconds since 1970. The time of an event more than a day later is ignored.
    ///   - patch: The id of the only patch that is counted; nil for all.
    ///   - version: Its only version that is counted; nil for all.
    ///   - since: Events from before this time are left out; nil leaves out none.
    ///   - newSince: A device is new if its first event of a patch is at this time or later; nil for the beginning.
    ///   - newUntil: A device is new if its first event of a patch is at this time or earlier; nil for no end.
    ///   - installation: The only device that is counted; nil for all.
    ///   - origin: The app and the environment whose events count; nil for all.
    package init(
        now: Int, limits: Limits = Limits(), patch: String? = nil, version: Int? = nil, since: Timestamp? = nil,
        newSince: Timestamp? = nil, newUntil: Timestamp? = nil, installation: String? = nil,
        origin: FleetReport.Origin? = nil
    ) {
        reader = EventReader(installation: installation, origin: origin, names: limits.names)
        hourRoom = NameRoom(most: installation == nil ? limits.hoursOfDevice : nil)
        suspicion = reader.number(of: EventRecord.suspicion)
        onlyPatch = (reader.number(of: patch ?? ""), version ?? 0)
        onlyDevice = installation.map { FleetReport.Device(installation: $0) }
        self.limits = limits
        latestTime = now.addingOrMost(86_400_000)
        present = now.addingOrMost(300_000)
        self.since = since.map { $0.secondsSince1970 * 1000 }
        let first = UInt32(clamping: newSince?.secondsSince1970 ?? 0)
        newDevices = first...max(first, UInt32(clamping: newUntil?.secondsSince1970 ?? .max))
        devices = DeviceTable(DeviceLife(), most: limits.devices)
        calls = CallTable(most: limits.devices / 4)
        faults = FaultTable(most: limits.faults, showsLatest: installation != nil)
        comparisons = ComparisonTable(limits)
    }

    /// Counts the patches that a feed lists, before any event. They have a place whatever devices send.
    package mutating func add(listed: [FleetReport.Listed]) {
        for patch in listed.prefix(Int(UInt16.max) / 2) {
            let key = PatchKey(id: reader.number(of: patch.id), version: patch.version)
            guard isAsked(key), key.id > 0 else { continue }
            let number = Int(numbers[key] ?? addPatch(key))
            patches[number].stopped = patch.stopped
            patches[number].isLive = patch.isLive
            listedCount = patches.count - 1
        }
    }

    /// Counts a line, without its line feed, of the reader's bytes.
    mutating func add(line: Range<Int>) {
        switch reader.read(line) {
        case .event: addEvent()
        case .blank: break
        case .foreign: input.foreign += 1
        case .withoutDevice: input.withoutDevice += 1
        case .ofOther: input.others += 1
        case .elsewhere: input.elsewhere += 1
        case .damaged: addDamage()
        case .misnamed:
            addDamage()
            input.misnamed += 1
            // The least of the names, so that the order of lines does not matter.
            let name = reader.impossibleName
            if input.misnamedExample.map({ name.hasBytes(before: $0) }) ?? true { input.misnamedExample = name }
        }
    }

    /// Counts a line that is too long to be read, so that its device is not known.
    mutating func addLineTooLong() {
        input.damaged += 1
        input.damagedWithoutDevice += 1
    }

    private mutating func addDamage() {
        input.damaged += 1
        guard reader.hasDevice else {
            input.damagedWithoutDevice += 1
            return
        }
        devices.change(reader.device, Subject.damage) { _ in }
    }

    // MARK: an event

    private mutating func addEvent() {
        let time = reader.time.flatMap { $0 >= Self.earliestTime && $0 <= latestTime ? $0 : nil }
        if let since, time.map({ $0 < since }) ?? true {
            input.earlier += 1
            devices.change(reader.device, Subject.earlier) { _ in }
            return
        }
        input.events += 1
        if let time {
            if time <= present { newestTime = max(newestTime, time) }
        } else {
            input.withoutTime += 1
        }
        addOrigin()
        let event = Event(
            name: reader.name, time: UInt64(time ?? 0), surroundings: surroundings.number(for: &reader),
            count: max(1, reader.integer(.count)))
        addToDevice(event)
        if event.name == .launched { addRunningPatches(event) }
        guard reader.version > 0, let name = event.name,
            let patch = number(of: PatchKey(id: reader.number(.patch), version: reader.version))
        else { return }
        let isSuspicion = (name == .rolledBack || name == .closed) && reader.number(.reason) == suspicion
        addToLife(event, of: patch, name, isSuspicion: isSuspicion)
        addFigures(event, of: patch, name, isSuspicion: isSuspicion)
    }

    private mutating func addOrigin() {
        let origin = (app: reader.number(.app), environment: reader.number(.environment))
        guard origin != lastOrigin else { return }
        lastOrigin = origin
        if origin.app > 0 { apps.insert(origin.app) }
        if origin.environment > 0 { environments.insert(origin.environment) }
    }

    /// Adds what an event says about the device itself.
    private mutating func addToDevice(_ event: Event) {
        let trouble = FleetReport.Trouble.allCases.first { trouble in
            // A refused envelope whose patch is known is a fault of the patch.
            trouble.event == event.name && !(trouble == .refused && reader.version > 0)
        }
        changeLife(of: Subject.device, event) { life in
            life.record(event.name, at: event.time)
            if let trouble { life.set(trouble: trouble) }
        }
        if let name = event.name, trouble != nil { addFault(event, of: Subject.device, name) }
        if event.name == .launched { onlyDevice?.launches.addOrMost(event.count) }
        if event.name == .synced {
            onlyDevice?.syncs.addOrMost(event.count)
            lastSync = max(lastSync, event.time)
        }
    }

    /// Adds the patches that a launch lists: those that it began with. The others are activated later, each with an
    /// event.
    private mutating func addRunningPatches(_ event: Event) {
        for patch in reader.runningPatches() {
            guard let number = number(of: PatchKey(id: patch.text, version: patch.number)) else { continue }
            changeLife(of: number, event) { life in
                life.noteRun(true, at: event.time)
                life.set(.ran)
            }
        }
    }

    /// Adds an event of a patch to its life on the device.
    private mutating func addToLife(_ event: Event, of patch: UInt16, _ name: EventRecord.Name, isSuspicion: Bool) {
        let isStopped = patches[Int(patch)].stopTime.map { event.time >= $0 } ?? false
        let isFailed = reader.integer(.failed) > 0 || reader.has(.error)
        changeLife(of: patch, event) { life in
            if isStopped { life.set(.heardSinceStop) }
            life.record(ofPatch: name, at: event.time, isSuspicion: isSuspicion, isFailed: isFailed)
        }
    }

    /// Adds the figures and the fault of an event of a patch.
    private mutating func addFigures(_ event: Event, of patch: UInt16, _ name: EventRecord.Name, isSuspicion: Bool) {
        switch name {
        case .called: addCalls(event, of: patch)
        case .compared: addComparison(event, of: patch)
        case .failed:
            addFault(event, of: patch, name)
            changeHourOfFault(of: patch, event.time) { $0.failed.addOrMost(event.count) }
        case .refused, .fellBack: addFault(event, of: patch, name)
        case .rolledBack, .closed:
            addFault(event, of: patch, name)
            if !isSuspicion { changeHourOfFault(of: patch, event.time) { $0.rolledBack += 1 } }
        default: break
        }
    }

    private mutating func addCalls(_ event: Event, of patch: UInt16) {
        var counts = CallCounts()
        counts.calls = reader.integer(.calls)
        counts.failures = min(reader.integer(.failures), counts.calls)
        counts.fallbacks = reader.integer(.fallbacks)
        counts.measured = reader.integer(.measured)
        counts.nanoseconds = reader.integer(.nanoseconds)
        counts.longest = reader.integer(.longest)
        for (index, count) in zip(counts.times.indices, reader.times) { counts.times[index] = count }
        patches[Int(patch)].counts.add(counts)
        calls.add(counts, of: patch, on: reader.device)
        changeHour(of: patch, event.time) { hour in
            hour.calls.addOrMost(counts.calls)
            hour.failures.addOrMost(counts.failures)
        }
    }

    private mutating func addComparison(_ event: Event, of patch: UInt16) {
        if reader.has(.error) { addFault(event, of: patch, .compared, count: 1) }
        let counts = ComparisonCounts(
            agreed: reader.integer(.agreed), differed: reader.integer(.differed), failed: reader.integer(.failed),
            incomparable: reader.integer(.incomparable), nanoseconds: reader.integer(.nanoseconds))
        if counts.failed > 0 { changeHourOfFault(of: patch, event.time) { $0.failed.addOrMost(counts.failed) } }
        guard reader.has(.function) else { return }
        switch comparisons.add(counts, of: patch, at: event.time, &reader) {
        case .new: devices.change(reader.device, patch) { $0.addFunction() }
        case .known: break
        case .noRoom:
            input.dropped += 1
            devices.change(reader.device, patch) { $0.set(.uncounted) }
        }
    }

    private mutating func addFault(
        _ event: Event, of patch: UInt16, _ name: EventRecord.Name, count: Int? = nil
    ) {
        let hasRoom = faults.add(name, of: patch, count: count ?? event.count, at: event.time, &reader)
        if !hasRoom { input.dropped += 1 }
    }

    /// Changes the life of the device, or of a patch on it.
    private mutating func changeLife(of number: UInt16, _ event: Event, _ body: (inout DeviceLife) -> Void) {
        let surroundings = surroundings
        devices.change(reader.device, number) { life in
            if event.time > 0 { life.noteHeard(at: event.time) }
            if surroundings.isOlder(life.surroundings, than: event.surroundings) {
                life.surroundings = event.surroundings
            }
            body(&life)
        }
    }

    /// Changes the hour in which a patch failed or was rolled back, and the first minute of that.
    private mutating func changeHourOfFault(
        of patch: UInt16, _ time: UInt64, _ body: (inout FleetReport.Hour) -> Void
    ) {
        guard time > 0 else { return }
        let index = Int(patch)
        let minute = Int(time / 60_000)
        patches[index].firstBadMinute = min(patches[index].firstBadMinute ?? .max, minute)
        changeHour(of: patch, time) { hour in
            body(&hour)
            hour.firstBadMinute = min(hour.firstBadMinute ?? .max, minute)
        }
    }

    private mutating func changeHour(of patch: UInt16, _ time: UInt64, _ body: (inout FleetReport.Hour) -> Void) {
        guard time > 0 else { return }
        let hour = UInt32(clamping: time / 3_600_000)
        let key = HourKey(patch: patch, hour: hour)
        guard hours[key] != nil || hours.count < limits.hours && hourRoom.take(for: reader.device) else {
            input.dropped += 1
            return
        }
        body(&hours[key, default: FleetReport.Hour(hour: Int(hour))])
    }

    // MARK: the numbers of patches

    private func isAsked(_ key: PatchKey) -> Bool {
        (onlyPatch.id == 0 || key.id == onlyPatch.id) && (onlyPatch.version == 0 || key.version == onlyPatch.version)
    }

    /// The number of a patch; nil if it is not to be counted, or if there are too many, which is recorded.
    private mutating func number(of key: PatchKey) -> UInt16? {
        guard isAsked(key) else { return nil }
        if let last, last.key == key { return last.number }
        // The table of strings counts those that it drops.
        guard key.id > 0 else {
            input.droppedPatches += 1
            return nil
        }
        if let number = numbers[key] {
            last = (key, number)
            return number
        }
        guard patches.count - 1 - listedCount < limits.patches, reader.takesName() else {
            input.dropped += 1
            input.droppedPatches += 1
            return nil
        }
        return addPatch(key)
    }

    private mutating func addPatch(_ key: PatchKey) -> UInt16 {
        let number = UInt16(patches.count)
        patches.append(FleetReport.Patch(id: reader.texts.text(key.id), version: key.version))
        numbers[key] = number
        return number
    }
}
