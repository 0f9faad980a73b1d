package import PatchCrypto
internal import PatchText

@safe package struct ReportBuilder: ~Copyable, Sendable {
    /// The limits of the tables that an input can make grow.
    package struct Limits {
        /// Places for devices, and for devices with a patch: a power of two. Each takes 32 bytes. There is a quarter as many for the
        /// calls of devices, of 80 bytes each, and for their comparisons.
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

    private struct PatchKey: Hashable {
        let id: UInt32
        let version: Int
    }

    private struct HourKey: Hashable {
        let patch: UInt16
        let hour: UInt32
    }

    private let limits: Limits
    /// The latest plausible time, in milliseconds since 1970.
    private let end: Int
    /// The latest time that is not in the future, allowing for a device's clock that is a little wrong.
    private let present: Int
    /// Only events from this time on count; nil for all.
    private let since: Int?
    /// A device is new if its first event of a patch is between these times, in seconds since 1970.
    private let new: ClosedRange<UInt32>
    /// The earliest plausible time: the beginning of 2020.
    private static let start = 1_577_836_800_000
    /// The numbers, in the table of devices, of those with damaged lines, and with events that are left out because of their time. No
    /// patch has them.
    private static let damage = UInt16.max, past = UInt16.max - 1
    var reader: EventReader
    /// How many of the patches are listed by the feed.
    private var known = 0
    /// The only patch that is counted; 0 for all. Its name gets its number before anything is read.
    private let only: (id: UInt32, version: Int)
    /// The number of the reason of patches that were rolled back together.
    private let suspicion: UInt32
    private var devices: DeviceTable<DeviceLife>
    /// For each device and patch, the calls, the failures, the fallbacks, and the measured calls by their time.
    private var calls: DeviceTable<SIMD16<Float>>
    private var patches: [FleetReport.Patch] = [FleetReport.Patch(id: "", version: 0)]
    private var numbers: [PatchKey: UInt16] = [:]
    private var last: (key: PatchKey, number: UInt16)?
    private var faults: FaultTable
    private var comparisons: ComparisonTable
    private var surroundings = SurroundingsTable()
    private var hours: [HourKey: FleetReport.Hour] = [:]
    private var hourRoom: NameRoom
    package internal(set) var input = FleetReport.Input()
    /// The time of the newest event, in milliseconds since 1970.
    private var newest = 0
    /// The only device that is counted; nil for all.
    private var device: FleetReport.Device?
    /// When that device synced last, in milliseconds since 1970.
    private var lastSync: UInt64 = 0
    /// The apps and the environments of the counted events, as the numbers of strings.
    private var apps: Set<UInt32> = [], environments: Set<UInt32> = []
    private var lastOrigin: (app: UInt32, environment: UInt32) = (0, 0)

    /// - Parameters:
    ///   - now: The current time in milliseconds since 1970. The time of an event more than a day later is ignored.
    ///   - origin: The app and the environment whose events count; nil for all.
    package init(
        now: Int, limits: Limits = Limits(), patch: String? = nil, version: Int? = nil, since: Timestamp? = nil,
        newSince: Timestamp? = nil, newUntil: Timestamp? = nil, installation: String? = nil,
        origin: FleetReport.Origin? = nil
    ) {
        reader = EventReader(installation: installation, origin: origin, names: limits.names)
        hourRoom = NameRoom(most: installation == nil ? limits.hoursOfDevice : nil)
        suspicion = reader.number(of: EventRecord.suspicion)
        only = (reader.number(of: patch ?? ""), version ?? 0)
        device = installation.map { FleetReport.Device(installation: $0) }
        self.limits = limits
        end = now.addingOrMost(86_400_000)
        present = now.addingOrMost(300_000)
        self.since = since.map { $0.secondsSince1970 * 1000 }
        let first = UInt32(clamping: newSince?.secondsSince1970 ?? 0)
        new = first...max(first, UInt32(clamping: newUntil?.secondsSince1970 ?? .max))
        devices = DeviceTable(DeviceLife(), most: limits.devices)
        calls = DeviceTable(.zero, most: limits.devices / 4)
        faults = FaultTable(most: limits.faults, showsLatest: installation != nil)
        comparisons = ComparisonTable(limits)
    }

    /// Counts the patches that a feed lists, before any event. They have a place whatever devices send.
    package mutating func add(listed: [FleetReport.Listed]) {
        for patch in listed.prefix(Int(UInt16.max) / 2) {
            let key = PatchKey(id: reader.number(of: patch.id), version: patch.version)
            guard isAsked(key), key.id > 0 else { continue }
            let place = Int(numbers[key] ?? addPatch(key))
            patches[place].stopped = patch.stopped
            patches[place].isLive = patch.isLive
            known = patches.count - 1
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

    // MARK: lines

    private mutating func addDamage() {
        input.damaged += 1
        guard reader.hasDevice else {
            input.damagedWithoutDevice += 1
            return
        }
        devices.change(reader.device, Self.damage) { _ in }
    }

    private mutating func addEvent() {
        let at = reader.time.flatMap { $0 >= Self.start && $0 <= end ? $0 : nil }
        if let since, at.map({ $0 < since }) ?? true {
            input.earlier += 1
            return devices.change(reader.device, Self.past) { _ in }
        }
        input.events += 1
        addOrigin()
        if let at, at <= present { newest = max(newest, at) }
        if at == nil { input.withoutTime += 1 }
        let time = UInt64(at ?? 0)
        let place = surroundings.number(for: &reader)
        let name = reader.name
        let isOfPatch = reader.version > 0
        let trouble = FleetReport.Trouble.allCases.first { $0.event == name && !($0 == .refused && isOfPatch) }
        change(0, time, place) { entry in
            entry.record(name, at: time)
            if let trouble { entry.set(trouble: trouble) }
        }
        let happened = max(1, reader.integer(.count))
        if let name, trouble != nil { addFault(name, 0, happened, at: time) }
        if name == .launched { device?.launches.addOrMost(happened) }
        if name == .synced {
            device?.syncs.addOrMost(happened)
            lastSync = max(lastSync, time)
        }
        // A launch lists the patches that it began with, and so does each activation.
        for patch in name == .launched ? reader.runningPatches() : [] {
            guard let number = number(of: PatchKey(id: patch.text, version: patch.number)) else { continue }
            change(number, time, place) { entry in
                entry.run(true, at: time)
                entry.set(.ran)
            }
        }
        guard let name, isOfPatch,
            let number = number(of: PatchKey(id: reader.number(.patch), version: reader.version))
        else { return }
        let isSuspicion = (name == .rolledBack || name == .closed) && reader.number(.reason) == suspicion
        let isStopped = patches[Int(number)].stopTime.map { time >= $0 } ?? false
        let isFailed = reader.integer(.failed) > 0 || reader.has(.error)
        change(number, time, place) { entry in
            if isStopped { entry.set(.heardSinceStop) }
            entry.record(ofPatch: name, at: time, isSuspicion: isSuspicion, isFailed: isFailed)
        }
        addFigures(of: name, number, time, happened, isSuspicion: isSuspicion)
    }

    /// Counts what an event of a patch says beside the device's life.
    private mutating func addFigures(
        of name: EventRecord.Name, _ number: UInt16, _ time: UInt64, _ happened: Int, isSuspicion: Bool
    ) {
        switch name {
        case .called: addCalls(number, time)
        case .compared: addComparison(number, time)
        case .failed:
            addFault(name, number, happened, at: time)
            addBad(number, time) { $0.failed.addOrMost(happened) }
        case .refused, .fellBack: addFault(name, number, happened, at: time)
        case .rolledBack, .closed:
            addFault(name, number, happened, at: time)
            if !isSuspicion { addBad(number, time) { $0.rolledBack += 1 } }
        default: break
        }
    }

    private mutating func addOrigin() {
        let origin = (app: reader.number(.app), environment: reader.number(.environment))
        guard origin != lastOrigin else { return }
        lastOrigin = origin
        if origin.app > 0 { apps.insert(origin.app) }
        if origin.environment > 0 { environments.insert(origin.environment) }
    }

    private mutating func addCalls(_ patch: UInt16, _ time: UInt64) {
        var counts = CallCounts()
        counts.calls = reader.integer(.calls)
        counts.failures = min(reader.integer(.failures), counts.calls)
        counts.fallbacks = reader.integer(.fallbacks)
        counts.measured = reader.integer(.measured)
        counts.nanoseconds = reader.integer(.nanoseconds)
        counts.longest = reader.integer(.longest)
        for (place, count) in zip(counts.times.indices, reader.times) { counts.times[place] = count }
        patches[Int(patch)].counts.add(counts)
        calls.change(reader.device, patch) { sum in
            sum[0] += Float(counts.calls)
            sum[1] += Float(counts.failures)
            sum[2] += Float(counts.fallbacks)
            for (place, count) in counts.times.enumerated() { sum[3 + place] += Float(count) }
        }
        changeHour(patch, time) { hour in
            hour.calls.addOrMost(counts.calls)
            hour.failures.addOrMost(counts.failures)
        }
    }

    private mutating func addComparison(_ patch: UInt16, _ time: UInt64) {
        if reader.has(.error) { addFault(.compared, patch, 1, at: time) }
        let counts = ComparisonCounts(
            agreed: reader.integer(.agreed), differed: reader.integer(.differed), failed: reader.integer(.failed),
            incomparable: reader.integer(.incomparable), nanoseconds: reader.integer(.nanoseconds))
        if counts.failed > 0 { addBad(patch, time) { $0.failed.addOrMost(counts.failed) } }
        guard reader.has(.function) else { return }
        switch comparisons.add(counts, of: patch, at: time, &reader) {
        case .new: devices.change(reader.device, patch) { $0.addFunction() }
        case .known: break
        case .noRoom:
            input.dropped += 1
            devices.change(reader.device, patch) { $0.set(.uncounted) }
        }
    }

    /// Counts a failure or a roll-back in its hour.
    private mutating func addBad(_ patch: UInt16, _ time: UInt64, _ body: (inout FleetReport.Hour) -> Void) {
        guard time > 0 else { return }
        let (index, minute) = (Int(patch), Int(time / 60_000))
        patches[index].firstBadMinute = min(patches[index].firstBadMinute ?? .max, minute)
        changeHour(patch, time) { hour in
            body(&hour)
            hour.firstBadMinute = min(hour.firstBadMinute ?? .max, minute)
        }
    }

    /// Changes the life of the device, or of a patch on it.
    private mutating func change(
        _ patch: UInt16, _ time: UInt64, _ place: UInt16, _ body: (inout DeviceLife) -> Void
    ) {
        let surroundings = surroundings
        devices.change(reader.device, patch) { entry in
            if time > 0 { entry.isHeard(at: time) }
            if surroundings.isOlder(entry.surroundings, than: place) { entry.surroundings = place }
            body(&entry)
        }
    }

    private mutating func addFault(_ name: EventRecord.Name, _ patch: UInt16, _ happened: Int, at time: UInt64) {
        if !faults.add(name, of: patch, happened: happened, at: time, &reader) { input.dropped += 1 }
    }

    private mutating func changeHour(_ patch: UInt16, _ time: UInt64, _ body: (inout FleetReport.Hour) -> Void) {
        guard time > 0 else { return }
        let hour = UInt32(clamping: time / 3_600_000)
        let key = HourKey(patch: patch, hour: hour)
        guard hours[key] != nil || hours.count < limits.hours && hourRoom.take(for: reader.device) else {
            input.dropped += 1
            return
        }
        body(&hours[key, default: FleetReport.Hour(hour: Int(hour))])
    }

    // MARK: numbers

    private func isAsked(_ key: PatchKey) -> Bool {
        (only.id == 0 || key.id == only.id) && (only.version == 0 || key.version == only.version)
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
        guard patches.count - 1 - known < limits.patches, reader.takesName() else {
            input.dropped += 1
            input.droppedPatches += 1
            return nil
        }
        return addPatch(key)
    }

    private mutating func addPatch(_ key: PatchKey) -> UInt16 {
        let number = UInt16(patches.count)
        patches.append(FleetReport.Patch(id: text(key.id), version: key.version))
        numbers[key] = number
        return number
    }

    private func text(_ number: UInt32) -> String { reader.texts.text(number) }

    // MARK: the report

    /// The indices of the patches that no feed lists, but that are live: of their devices one in 200, and at least four, have run them
    /// since as many shadowed them again after they had run them. What a fleet runs is not what one device says.
    private var live: [Int] {
        var times = patches.map { _ in (devices: 0, run: [UInt64](), shadowed: [UInt64]()) }
        devices.forEach { _, index, entry in
            guard index < times.count else { return }
            times[index].devices += 1
            guard index > known, entry.has(.ran) else { return }
            // A time that is not known is later than none.
            if entry.stage == .shadow {
                times[index].shadowed.append(entry.stageTime + 1)
            } else {
                times[index].run.append((entry.runTime ?? entry.stageTime) + 1)
            }
        }
        return patches.indices.dropFirst(1 + known).filter { index in
            func latest(_ events: [UInt64]) -> UInt64 {
                let enough = max(4, times[index].devices / 200)
                return events.count < enough ? 0 : events.sorted(by: >)[enough - 1]
            }
            return latest(times[index].run) > latest(times[index].shadowed)
        }
    }

    package consuming func report() -> FleetReport {
        var report = FleetReport()
        report.input = input
        report.input.dropped.addOrMost(reader.dropped)
        report.input.origins = max(apps.count, environments.count)
        report.scale = devices.scale
        report.newest = newest > 0 ? Timestamp(secondsSince1970: newest / 1000) : nil
        var patches = patches
        for index in live { patches[index].isLive = true }
        var hours = hours
        count(in: &report, &patches, &hours)
        for (key, value) in hours where key.patch > 0 { patches[Int(key.patch)].hours.append(value) }
        for index in patches.indices { patches[index].hours.sort { $0.hour < $1.hour } }
        addShares(to: &patches)
        comparisons.report(to: &patches, devices, reader.texts)
        faults.report(to: &patches, reader.texts)
        report.faults = patches[0].faults
        report.patches = patches.dropFirst().sorted { ($0.id, $0.version) < ($1.id, $1.version) }
        return report
    }

    /// Counts the devices: all of them, and those of each patch.
    private func count(
        in report: inout FleetReport, _ patches: inout [FleetReport.Patch], _ hours: inout [HourKey: FleetReport.Hour]
    ) {
        let scale = devices.scale
        var parts: [[UInt16: (devices: Int, affected: Int)]] = Array(repeating: [:], count: patches.count)
        var (all, past) = (0, 0)
        var held: [FleetReport.Device.Held] = []
        devices.forEach { key, index, entry in
            let own = devices.value(beside: key, 0)
            switch index {
            case 0:
                for trouble in FleetReport.Trouble.allCases where entry.has(trouble: trouble) {
                    report.troubled[trouble, default: 0] += scale
                }
                report.unsynced += entry.stage == .trial ? scale : 0
                report.device = device(entry)
                all += 1
            case Int(Self.damage): report.input.damagedDevices += scale
            case Int(Self.past): past += own.isEmpty ? 1 : 0
            default:
                guard patches[index].count(entry, on: own, new: new, scale) else { return }
                let isAffected = patches[index].isAffected(entry)
                parts[index][entry.surroundings, default: (0, 0)].devices += scale
                parts[index][entry.surroundings]?.affected += isAffected ? scale : 0
                if entry.first != .max {
                    let hour = entry.first / 3600
                    hours[HourKey(patch: UInt16(index), hour: hour), default: FleetReport.Hour(hour: Int(hour))]
                        .newDevices += scale
                }
                guard device != nil else { return }
                held.append(
                    FleetReport.Device.Held(
                        id: patches[index].id, version: patches[index].version, stage: entry.stage,
                        since: Timestamp(milliseconds: entry.stageTime), isRunning: entry.isRunning(on: own)))
            }
        }
        report.devices = all * scale
        report.knownDevices = (all + past) * scale
        report.device?.patches = held.sorted { ($0.id, $0.version) < ($1.id, $1.version) }
        for index in patches.indices.dropFirst() {
            surroundings.report(to: &patches[index], parts[index], reader.texts)
        }
    }

    /// Adds the shares of calls, of which each device has one.
    private func addShares(to patches: inout [FleetReport.Patch]) {
        var means = patches.map { _ in [MeanShare](repeating: MeanShare(), count: 2 + EventRecord.timeBounds.count) }
        calls.forEach { _, index, sum in
            means[index][0].add(sum[1], of: sum[0])
            means[index][1].add(sum[2], of: sum[0])
            var slower: Float = (3..<14).reduce(0) { $0 + sum[$1] }
            let measured = slower
            for bound in EventRecord.timeBounds.indices {
                slower -= sum[3 + bound]
                means[index][2 + bound].add(max(0, slower), of: measured)
            }
        }
        for (index, means) in means.enumerated() {
            patches[index].failureShare = means[0].share
            patches[index].fallbackShare = means[1].share
            patches[index].slowerShares = means[2...].map(\.share)
        }
    }

    /// The only device, without its patches; nil if all are counted.
    private func device(_ entry: DeviceLife) -> FleetReport.Device? {
        guard var device else { return nil }
        device.appVersion = surroundings.appVersion(entry.surroundings, reader.texts)
        device.system = surroundings.system(entry.surroundings, reader.texts)
        device.lastLaunch = entry.runTime.flatMap { Timestamp(milliseconds: $0) }
        device.lastSync = Timestamp(milliseconds: lastSync)
        return device
    }
}
