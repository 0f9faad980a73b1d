internal import PatchCrypto
internal import PatchText

/// Adds the lines of event logs up to a report, in memory with a limit, however many lines and devices there are.
///
/// ``EventInput`` gives it the lines, in any order: the report does not depend on it. ``EventReader`` takes from a line
/// what a report needs. An event is then added to the tables, in which what it is about has numbers
/// (ReportBuilder+Event.swift):
///
/// - ``DeviceTable``: what each device did with each patch (``DeviceLife``), and whether the device itself is well;
/// - ``PatchTable``, ``HourTable``: the patches, and what happened to each in an hour;
/// - ``CallTable``, ``ComparisonTable``, ``FaultTable``: the calls, the comparisons in shadow, and the faults;
/// - ``SurroundingsTable``: the versions of the app and of the system that the devices have.
///
/// `report()` makes the report of them once all lines are added (ReportBuilder+Report.swift).
package struct ReportBuilder: ~Copyable, Sendable {
    /// The limits of the tables that an input can make grow.
    package struct Limits {
        /// Places for devices, and for devices with a patch: a power of two from 16 on. Each takes 32 bytes. There is a
        /// quarter as many for the calls of devices, of 80 bytes each, and for their comparisons.
        package var devices = 1 << 22
        /// Patches that the feed does not list. Anyone who can send an event can make one up.
        package var patches = 1000
        /// Hours of all patches together.
        package var hours = 200_000
        /// Faults that are told apart.
        package var faults = 50_000
        /// Functions that are compared in shadow, and different reasons for each why its calls could not be.
        package var comparisons = 10_000, reasons = 20
        /// Names, such as functions, that a device may bring into the tables, and as many texts, such as messages.
        package var names = 512
        /// Hours that a device may bring into the table.
        package var hoursOfDevice = 10_000

        package init() {}
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

    /// The plausible times of events, in milliseconds since 1970: from 2020 on, and until a day from now.
    let plausibleTimes: Range<Int>
    /// The latest time that is not in the future, allowing for a device's clock that is a little wrong.
    let present: Int
    /// Only events from this time on count, in milliseconds since 1970; nil for all.
    let since: Int?
    /// Earlier events from this time on tell since when a device has a patch, in milliseconds since 1970; nil for none.
    let heardSince: Int?
    /// When the first event of a new device is, in seconds since 1970.
    let newDevices: ClosedRange<UInt32>
    /// The number of the reason of patches that were rolled back together.
    let suspicion: UInt32

    var reader: EventReader
    package internal(set) var input = FleetReport.Input()
    var origins = OriginSet()
    /// The only device that is counted; nil for all.
    var onlyDevice: FleetReport.Device?
    /// When that device synced last, in milliseconds since 1970.
    var lastSync: UInt64 = 0

    var devices: DeviceTable<DeviceLife>
    var patches: PatchTable
    var hours: HourTable
    var calls: CallTable
    var comparisons: ComparisonTable
    var faults: FaultTable
    var surroundings = SurroundingsTable()

    /// - Parameter now: The current time in milliseconds since 1970. The time of an event more than a day later is
    ///   ignored.
    package init(now: Int, limits: Limits = Limits(), filter: ReportFilter = ReportFilter()) {
        let minute = 60_000
        let day = 24 * 60 * minute
        // 2020-01-01T00:00:00Z
        let earliest = 1_577_836_800_000
        plausibleTimes = earliest..<max(earliest, now.addingOrMost(day + 1))
        present = now.addingOrMost(5 * minute)
        since = filter.since.map { $0.secondsSince1970 * 1000 }
        heardSince = filter.heardSince.map { $0.secondsSince1970 * 1000 }
        newDevices = filter.newDevices
        reader = EventReader(installation: filter.installation, origin: filter.origin, names: limits.names)
        suspicion = reader.number(of: EventRecord.suspicion)
        onlyDevice = filter.installation.map { FleetReport.Device(installation: $0) }
        devices = DeviceTable(DeviceLife(), most: limits.devices)
        // The only patch has its number before any device names it.
        let only = PatchTable.Key(id: reader.number(of: filter.patch ?? ""), version: filter.version ?? 0)
        patches = PatchTable(most: limits.patches, only: only)
        hours = HourTable(most: limits.hours, ofDevice: filter.installation == nil ? limits.hoursOfDevice : nil)
        calls = CallTable(most: limits.devices / 4)
        comparisons = ComparisonTable(
            most: limits.comparisons, reasons: limits.reasons, devices: limits.devices / 4)
        faults = FaultTable(most: limits.faults, showsLatest: filter.installation != nil)
    }

    /// Counts the patches that a feed lists, before any event.
    package mutating func add(listed: [FleetReport.Listed]) {
        // Half of the numbers, which is more than a list has. The others are for patches that devices name.
        for patch in listed.prefix(Int(UInt16.max) / 2) { patches.add(listed: patch, &reader) }
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
            let least = input.misnamedExample ?? name
            input.misnamedExample = name.hasBytes(before: least) ? name : least
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
        note(Subject.damage)
    }

    /// Gives the line's device a place in the table, in which it is one device however many of its lines are alike.
    mutating func note(_ subject: UInt16) { devices.change(reader.device, subject) { _ in } }
}
