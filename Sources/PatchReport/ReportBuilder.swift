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

    /// The surroundings of a patch, as the numbers of strings.
    private struct DeviceContext: Hashable {
        var appVersion: UInt32 = 0
        var system: UInt32 = 0
        var systemVersion: UInt32 = 0
    }

    /// Surroundings, which are sorted by their numbers, and by their text if the numbers are the same, as in two builds of a version.
    private struct Place {
        let context: DeviceContext
        let numbers: [Int]
        let text: String

        func precedes(_ other: Place) -> Bool {
            numbers == other.numbers ? text < other.text : numbers.lexicographicallyPrecedes(other.numbers)
        }
    }

    private struct FaultKey: Hashable {
        let patch: UInt16
        let event: EventRecord.Name
        let code: UInt32
        let function: UInt32
        /// The reason of a roll-back.
        let reason: UInt32
    }

    /// The example that is reported for equal faults: the earliest, or the latest in a report on a single device.
    private struct FaultExample {
        let time: UInt64
        let message: UInt32
        let file: UInt32
        let line: Int
        let stack: UInt32
    }

    private struct ComparisonKey: Hashable {
        let patch: UInt16
        let function: UInt32
    }

    /// An answer and what it would be, as the numbers of strings.
    private struct Difference: Hashable {
        let answer: UInt32
        let result: UInt32
        let file: UInt32
        let line: Int
    }

    /// The comparisons of a function, with the earliest of its differences, and when each was first reported.
    private struct Compared {
        /// Its number in the table of the devices' comparisons.
        let number: UInt16
        var counts = ComparisonCounts()
        var reasons: [UInt32: Int] = [:]
        var examples: [Difference: UInt64] = [:]
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
    /// For each device and function, the runs that agreed, differed and failed, and the calls that could not be compared.
    private var runs: DeviceTable<SIMD4<Float>>
    private var patches: [FleetReport.Patch] = [FleetReport.Patch(id: "", version: 0)]
    private var numbers: [PatchKey: UInt16] = [:]
    private var last: (key: PatchKey, number: UInt16)?
    private var faults: [FaultKey: (count: Int, last: UInt64, example: FaultExample)] = [:]
    private var hours: [HourKey: FleetReport.Hour] = [:]
    private var hourRoom: NameRoom
    private var comparisons: [ComparisonKey: Compared] = [:]
    /// The surroundings of patches on devices, by their number in the table of devices.
    private var places = [Place(context: DeviceContext(), numbers: [], text: "")]
    private var placeNumbers = [DeviceContext(): UInt16(0)]
    private var lastPlace = (DeviceContext(), UInt16(0))
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
        runs = DeviceTable(.zero, most: limits.devices / 4)
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
        guard reader.hasDevice else { return input.damagedWithoutDevice += 1 }
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
        let surroundings = number(
            of: DeviceContext(
                appVersion: reader.number(.appVersion), system: reader.number(.system),
                systemVersion: reader.number(.systemVersion)))
        let name = reader.name
        let isOfPatch = reader.version > 0
        let trouble = FleetReport.Trouble.allCases.first { $0.event == name && !($0 == .refused && isOfPatch) }
        change(0, time, surroundings) { entry in
            switch name {
            case .launched: entry.run(true, at: time)
            case .synced: entry.reach(.good, at: time)
            // If two syncs have the same time, the successful one counts.
            case .syncFailed: entry.reach(.trial, at: time)
            default: break
            }
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
            change(number, time, surroundings) { entry in
                entry.run(true, at: time)
                entry.set(.ran)
            }
        }
        guard let name, isOfPatch,
            let number = number(of: PatchKey(id: reader.number(.patch), version: reader.version))
        else { return }
        let isSuspicion = (name == .rolledBack || name == .closed) && reader.number(.reason) == suspicion
        let isStopped = Self.stop(of: patches[Int(number)]).map { time >= $0 } ?? false
        let isFailed = reader.integer(.failed) > 0 || reader.has(.error)
        change(number, time, surroundings) { entry in
            if isStopped { entry.set(.heardSinceStop) }
            // A device that reports one of these runs the patch, or has tried to.
            switch name {
            case .activated, .deactivated, .refused, .failed, .fellBack, .called, .trial, .confirmed, .rolledBack,
                .closed:
                entry.set(.ran)
            default: break
            }
            switch name {
            case .activated: entry.run(true, at: time)
            case .deactivated: entry.run(false, at: time)
            case .trial: entry.reach(.trial, at: time)
            case .confirmed: entry.reach(.good, at: time)
            case .withdrawn: entry.reach(.withdrawn, at: time)
            case .expired, .notApplicable: entry.reach(.over, at: time)
            case .refused:
                entry.reach(.refused, at: time)
                entry.set(.refused)
            case .rolledBack, .closed:
                entry.reach(.rolledBack, at: time)
                entry.set(isSuspicion ? .suspected : .rolledBack)
            case .failed: entry.set(.failed)
            case .compared:
                entry.reach(.shadow, at: time)
                entry.set(.compared)
                if isFailed { entry.set(.failedInShadow) }
            default: break
            }
        }
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

    /// When the feed stopped a patch, in milliseconds since 1970; nil if it did not.
    private static func stop(of patch: FleetReport.Patch) -> UInt64? {
        patch.stopped.map { UInt64(max(0, $0.secondsSince1970)) * 1000 }
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
        let key = ComparisonKey(patch: patch, function: reader.number(.function))
        guard reader.has(.function) else { return }
        let hasRoom = comparisons[key] != nil || comparisons.count < limits.comparisons && reader.takesName()
        guard key.function > 0, hasRoom else {
            input.dropped += key.function > 0 ? 1 : 0
            return devices.change(reader.device, patch) { $0.set(.uncounted) }
        }
        var compared = comparisons.removeValue(forKey: key) ?? Compared(number: UInt16(clamping: comparisons.count))
        compared.counts.add(counts)
        var isNew = false
        runs.change(reader.device, compared.number) { sum in
            isNew = sum == .zero
            sum += SIMD4(
                Float(counts.agreed), Float(counts.differed), Float(counts.failed), Float(counts.incomparable))
        }
        for reason in reader.countedReasons() where reason.text > 0 && reason.number > 0 {
            if compared.reasons[reason.text] != nil || compared.reasons.count < limits.reasons {
                compared.reasons[reason.text, default: 0].addOrMost(reason.number)
            }
        }
        if reader.has(.answer), reader.has(.result) {
            let example = Difference(
                answer: reader.number(.answer), result: reader.number(.result), file: reader.number(.file),
                line: reader.integer(.line))
            let time = time > 0 ? time : .max
            compared.examples[example] = min(compared.examples[example] ?? .max, time)
            if compared.examples.count > Self.mostExamples, let latest = sorted(compared.examples).last {
                compared.examples[latest] = nil
            }
        }
        comparisons[key] = compared
        if isNew { devices.change(reader.device, patch) { $0.addFunction() } }
    }

    /// The examples of a function, of which the earliest are kept.
    private static let mostExamples = 3

    /// Examples from the earliest on, regardless of their order in the files.
    private func sorted(_ examples: [Difference: UInt64]) -> [Difference] {
        examples.sorted { one, other in
            guard one.value == other.value else { return one.value < other.value }
            for (left, right) in [
                (one.key.answer, other.key.answer), (one.key.result, other.key.result), (one.key.file, other.key.file),
            ] where left != right {
                return text(left).hasBytes(before: text(right))
            }
            return one.key.line < other.key.line
        }.map(\.key)
    }

    private func comparison(_ function: UInt32, _ compared: Compared) -> FleetReport.Comparison {
        var comparison = FleetReport.Comparison(function: text(function))
        comparison.counts = compared.counts
        let reasons = compared.reasons.map { FleetReport.Comparison.Reason(text: text($0.key), count: $0.value) }
        comparison.reasons = reasons.sorted {
            $0.count == $1.count ? $0.text.hasBytes(before: $1.text) : $0.count > $1.count
        }
        comparison.examples = sorted(compared.examples).map { example in
            FleetReport.Comparison.Example(
                answer: text(example.answer), result: text(example.result),
                place: place(file: example.file, line: example.line))
        }
        return comparison
    }

    private func place(file: UInt32, line: Int) -> PatchError.Place {
        PatchError.Place(file: file > 0 ? text(file) : nil, line: line > 0 ? line : nil)
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
        _ patch: UInt16, _ time: UInt64, _ surroundings: UInt16, _ body: (inout DeviceLife) -> Void
    ) {
        let places = places
        devices.change(reader.device, patch) { entry in
            if time > 0 { entry.isHeard(at: time) }
            if entry.surroundings != surroundings,
                places[Int(entry.surroundings)].precedes(places[Int(surroundings)])
            {
                entry.surroundings = surroundings
            }
            body(&entry)
        }
    }

    private mutating func addFault(_ name: EventRecord.Name, _ patch: UInt16, _ happened: Int, at time: UInt64) {
        let isReasoned = name == .rolledBack || name == .closed
        let message = reader.number(isReasoned ? .reason : .message)
        let key = FaultKey(
            patch: patch, event: name, code: reader.number(.error), function: reader.number(.function),
            reason: isReasoned ? message : 0)
        guard faults[key] != nil || faults.count < limits.faults && reader.takesName() else {
            return input.dropped += 1
        }
        let example = FaultExample(
            time: time > 0 || device != nil ? time : .max, message: message, file: reader.number(.file),
            line: reader.integer(.line), stack: reader.number(.stack))
        faults[key, default: (0, 0, example)].count.addOrMost(happened)
        if let old = faults[key], old.last < time { faults[key]?.last = time }
        if let old = faults[key]?.example, isPreferred(example, to: old) { faults[key]?.example = example }
    }

    /// Whether one of two examples is reported, regardless of their order in the files.
    private func isPreferred(_ one: FaultExample, to other: FaultExample) -> Bool {
        // A string that was dropped for lack of space cannot be shown.
        guard (one.message == 0) == (other.message == 0) else { return other.message == 0 }
        guard one.time == other.time else { return (one.time < other.time) == (device == nil) }
        guard one.message == other.message else { return text(one.message) < text(other.message) }
        guard one.file == other.file else { return text(one.file) < text(other.file) }
        return one.line == other.line ? text(one.stack) < text(other.stack) : one.line < other.line
    }

    private mutating func changeHour(_ patch: UInt16, _ time: UInt64, _ body: (inout FleetReport.Hour) -> Void) {
        guard time > 0 else { return }
        let hour = UInt32(clamping: time / 3_600_000)
        let key = HourKey(patch: patch, hour: hour)
        guard hours[key] != nil || hours.count < limits.hours && hourRoom.take(for: reader.device) else {
            return input.dropped += 1
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

    /// The number of the surroundings of a patch; 0 if there are too many.
    private mutating func number(of place: DeviceContext) -> UInt16 {
        if lastPlace.0 == place { return lastPlace.1 }
        var number = placeNumbers[place] ?? 0
        if number == 0, place != DeviceContext(), places.count < Int(UInt16.max), reader.takesName() {
            number = UInt16(places.count)
            placeNumbers[place] = number
            places.append(
                Place(
                    context: place, numbers: versionParts(place.appVersion) + versionParts(place.systemVersion),
                    text: "\(text(place.appVersion))\n\(text(place.systemVersion))\n\(text(place.system))"))
        }
        lastPlace = (place, number)
        return number
    }

    /// The first four numbers of a version; -1 for each missing one.
    private func versionParts(_ number: UInt32) -> [Int] {
        let parts = text(number).split(separator: ".").prefix(4).map { Int($0) ?? 0 }
        return parts + Array(repeating: -1, count: 4 - parts.count)
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
        let scale = devices.scale
        var patches = patches
        for index in live { patches[index].isLive = true }
        var counts: [[UInt16: (devices: Int, affected: Int)]] = Array(repeating: [:], count: patches.count)
        var hours = hours
        var (all, past) = (0, 0)
        var held: [FleetReport.Device.Held] = []
        devices.forEach { key, index, entry in
            guard index > 0 else {
                for trouble in FleetReport.Trouble.allCases where entry.has(trouble: trouble) {
                    report.troubled[trouble, default: 0] += scale
                }
                report.unsynced += entry.stage == .trial ? scale : 0
                report.device = device(entry)
                return all += 1
            }
            guard index < patches.count else {
                if index == Self.damage { report.input.damagedDevices += scale }
                if index == Self.past, devices.value(beside: key, 0).isEmpty { past += 1 }
                return
            }
            patches[index].shadowed += entry.has(.compared) ? scale : 0
            patches[index].uncounted += entry.has(.uncounted) ? scale : 0
            let isLive = patches[index].isLive
            guard !isLive || entry.has(.ran) else { return }
            patches[index].devices += scale
            patches[index].newDevices += new.contains(entry.first) ? scale : 0
            let own = devices.value(beside: key, 0)
            let isRunning = entry.isRunning(on: own)
            if device != nil {
                held.append(
                    FleetReport.Device.Held(
                        id: patches[index].id, version: patches[index].version, stage: entry.stage,
                        since: Self.timestamp(entry.stageTime), isRunning: isRunning))
            }
            patches[index].running += isRunning ? scale : 0
            if let stop = Self.stop(of: patches[index]),
                entry.has(.heardSinceStop) || own.runTime.map({ $0 >= stop }) ?? false
            {
                patches[index].heard += scale
                patches[index].keeping += isRunning ? scale : 0
            }
            let isFailing = entry.has(.failed) || !isLive && entry.has(.failedInShadow)
            let isAffected = isFailing || entry.has(.rolledBack)
            patches[index].failing += isFailing ? scale : 0
            patches[index].rolledBack += entry.has(.rolledBack) ? scale : 0
            patches[index].suspected += entry.isSuspected ? scale : 0
            patches[index].affected += isAffected ? scale : 0
            patches[index].refused += entry.has(.refused) ? scale : 0
            switch entry.stage {
            case .shadow: patches[index].inShadow += scale
            case .trial: patches[index].trial += scale
            case .good: patches[index].good += scale
            case .withdrawn: patches[index].withdrawn += scale
            case .over: patches[index].over += scale
            case .none, .refused, .rolledBack: break
            }
            counts[index][entry.surroundings, default: (0, 0)].devices += scale
            counts[index][entry.surroundings]?.affected += isAffected ? scale : 0
            if entry.first != .max {
                let hour = entry.first / 3600
                hours[HourKey(patch: UInt16(index), hour: hour), default: FleetReport.Hour(hour: Int(hour))]
                    .newDevices += scale
            }
        }
        report.devices = all * scale
        report.knownDevices = (all + past) * scale
        for index in patches.indices.dropFirst() {
            var versions: [String: (order: [Int], part: FleetReport.Part)] = [:]
            var systems: [String: FleetReport.Part] = [:]
            for (number, count) in counts[index] {
                let (place, order) = (places[Int(number)].context, places[Int(number)].numbers)
                let version = text(place.appVersion)
                versions[version, default: (order, FleetReport.Part(name: version))].part.add(count)
                guard place.system > 0 else { continue }
                let name = systemText(place)
                systems[name, default: FleetReport.Part(name: name)].add(count)
            }
            patches[index].appVersions = versions.values.sorted {
                let (one, other) = ($0.order.prefix(4), $1.order.prefix(4))
                return one == other ? $0.part.name > $1.part.name : other.lexicographicallyPrecedes(one)
            }.map(\.part)
            patches[index].systems = systems.values.sorted { ($1.devices, $0.name) < ($0.devices, $1.name) }
        }
        for (key, value) in hours where key.patch > 0 { patches[Int(key.patch)].hours.append(value) }
        for (key, value) in faults {
            patches[Int(key.patch)].faults.append(
                FleetReport.Fault(
                    event: key.event.rawValue, code: text(key.code), function: text(key.function),
                    place: place(file: value.example.file, line: value.example.line),
                    stack: value.example.stack > 0 ? text(value.example.stack) : nil,
                    message: text(value.example.message), count: value.count, last: Self.timestamp(value.last)))
        }
        addShares(to: &patches)
        for index in patches.indices {
            patches[index].comparisons.sort { ($1.counts.differed, $0.function) < ($0.counts.differed, $1.function) }
            patches[index].hours.sort { $0.hour < $1.hour }
            patches[index].faults.sort {
                ($1.count, $0.event, $0.code, $0.function, $0.message)
                    < ($0.count, $1.event, $1.code, $1.function, $1.message)
            }
        }
        report.faults = patches[0].faults
        report.patches = patches.dropFirst().sorted { ($0.id, $0.version) < ($1.id, $1.version) }
        report.device?.patches = held.sorted { ($0.id, $0.version) < ($1.id, $1.version) }
        return report
    }

    /// Adds the comparisons, and the shares of calls, of which each device has one.
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
        var functions = [(patch: UInt16, differing: MeanShare, comparable: MeanShare, votes: Int)](
            repeating: (0, MeanShare(), MeanShare(), 0), count: comparisons.count)
        for (key, value) in comparisons { functions[Int(value.number)].patch = key.patch }
        runs.forEach { device, index, sum in
            functions[index].differing.add(sum[1], of: sum[0] + sum[1])
            functions[index].comparable.add(sum[0] + sum[1], of: sum.sum())
            let all = devices.value(beside: device, functions[index].patch).functions
            functions[index].votes += 1_000_000_000 / max(1, Int(all))
        }
        for (key, value) in comparisons {
            let found = functions[Int(value.number)]
            let all = patches[Int(key.patch)].shadowed / runs.scale
            var comparison = comparison(key.function, value)
            comparison.differingShare = found.differing.share
            comparison.comparableShare = found.comparable.share
            comparison.votes = found.votes
            comparison.users = Share(found.comparable.devices, of: max(all, found.comparable.devices))
            patches[Int(key.patch)].comparisons.append(comparison)
        }
    }

    /// The only device, without its patches; nil if all are counted.
    private func device(_ entry: DeviceLife) -> FleetReport.Device? {
        guard var device else { return nil }
        let place = places[Int(entry.surroundings)].context
        (device.appVersion, device.system) = (text(place.appVersion), systemText(place))
        device.lastLaunch = entry.runTime.flatMap(Self.timestamp)
        device.lastSync = Self.timestamp(lastSync)
        return device
    }

    private func systemText(_ place: DeviceContext) -> String {
        text(place.system) + (place.systemVersion > 0 ? " " + text(place.systemVersion) : "")
    }

    /// - Parameter time: Milliseconds since 1970; 0 if it is not known.
    private static func timestamp(_ time: UInt64) -> Timestamp? {
        time > 0 ? Timestamp(secondsSince1970: Int(time / 1000)) : nil
    }
}
