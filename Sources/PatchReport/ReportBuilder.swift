internal import CEventReader
package import PatchCrypto
internal import PatchText

/// Builds a report from events.
@safe package struct ReportBuilder: ~Copyable, Sendable {
    /// The limits of the tables that an input can make grow.
    package struct Limits {
        /// Places for devices, and for devices with a patch: a power of two. Each takes 32 bytes.
        package var devices = 1 << 22
        /// Patches that the feed does not list. Anyone who can send an event can make one up.
        package var patches = 1000
        package var hours = 200_000
        package var faults = 50_000
        /// Functions that are compared in shadow, and different reasons for each why its calls could not be.
        package var comparisons = 10_000, reasons = 20

        package init() {}
    }

    private struct PatchKey: Hashable {
        let id: UInt32
        let version: Int64
    }

    /// The surroundings of a patch, as the numbers of strings.
    private struct DeviceContext: Hashable {
        var appVersion: UInt32 = 0
        var system: UInt32 = 0
        var systemVersion: UInt32 = 0
    }

    /// The sort order of surroundings: by their numbers, and by their text if the numbers are the same, as in two builds of a
    /// version.
    private struct PlaceOrder {
        let numbers: [Int]
        let text: String

        func precedes(_ other: PlaceOrder) -> Bool {
            numbers == other.numbers ? text < other.text : numbers.lexicographicallyPrecedes(other.numbers)
        }
    }

    private struct FaultKey: Hashable {
        let patch: UInt16
        let event: UInt32
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
        let line: Int64
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
        let line: Int64
    }

    /// The comparisons of a function, with the earliest of its differences, and when each was first reported.
    private struct Compared {
        var counts = FleetReport.Comparison(function: "")
        var reasons: [UInt32: Int] = [:]
        var examples: [Difference: UInt64] = [:]
    }

    private struct HourKey: Hashable {
        let patch: UInt16
        let hour: UInt32
    }

    private let limits: Limits
    /// The latest plausible time, in milliseconds since 1970.
    private let end: Int64
    /// The latest time that is not in the future, allowing for a device's clock that is a little wrong.
    private let present: Int64
    /// Only events from this time on count; nil for all.
    private let since: Int64?
    /// A device is new if its first event of a patch is from this time on, in seconds since 1970.
    private let newSince: UInt32
    /// The earliest plausible time: the beginning of 2020.
    private static let start: Int64 = 1_577_836_800_000
    nonisolated(unsafe) private let reader: OpaquePointer
    private static let events: [(er_event, EventRecord.Name)] = [
        (ER_ACTIVATED, .activated), (ER_DEACTIVATED, .deactivated), (ER_REFUSED, .refused), (ER_FAILED, .failed),
        (ER_FELL_BACK, .fellBack), (ER_CALLED, .called), (ER_COMPARED, .compared), (ER_TRIAL, .trial),
        (ER_CONFIRMED, .confirmed), (ER_ROLLED_BACK, .rolledBack), (ER_CLOSED, .closed), (ER_WITHDRAWN, .withdrawn),
        (ER_LAUNCHED, .launched),
        (ER_EXPIRED, .expired), (ER_NOT_APPLICABLE, .notApplicable), (ER_SYNC_FAILED, .syncFailed),
        (ER_STORE_FAILED, .storeFailed), (ER_SYNCED, .synced), (ER_SAFE_MODE, .safeMode),
        (ER_NEVER_CONFIRMED, .neverConfirmed), (ER_MISUSED, .misused),
    ]
    private static let keys: [(er_key, EventRecord.Key)] = [
        (ER_SCHEMA, .schema), (ER_TIMESTAMP, .timestamp), (ER_EVENT, .event), (ER_RESOURCE, .resource),
        (ER_ATTRIBUTES, .attributes), (ER_INSTALLATION, .installation), (ER_APP_VERSION, .appVersion),
        (ER_SYSTEM, .system), (ER_SYSTEM_VERSION, .systemVersion),
        (ER_PATCH, .patch), (ER_VERSION, .version), (ER_FUNCTION, .function), (ER_FILE, .file), (ER_LINE_NUMBER, .line),
        (ER_ERROR, .error),
        (ER_MESSAGE, .message), (ER_STACK, .stack), (ER_COUNT, .count), (ER_CALLS, .calls), (ER_FAILURES, .failures),
        (ER_FALLBACKS, .fallbacks), (ER_MEASURED, .measured), (ER_NANOSECONDS, .nanoseconds), (ER_LONGEST, .longest),
        (ER_TIMES, .times), (ER_REASON, .reason), (ER_RUNNING, .running), (ER_AGREED, .agreed),
        (ER_DIFFERED, .differed), (ER_FAILED_RUNS, .failed), (ER_INCOMPARABLE, .incomparable), (ER_REASONS, .reasons),
        (ER_ANSWER, .answer), (ER_RESULT, .result),
    ]
    /// How many of the patches are listed by the feed.
    private var known = 0
    /// The only patch that is counted; 0 for all. Its name gets its number before anything is read.
    private let only: (id: UInt32, version: Int64)
    /// The number of the reason of patches that were rolled back together.
    private let suspicion: UInt32
    private var devices: DeviceTable
    private var patches: [FleetReport.Patch] = [FleetReport.Patch(id: "", version: 0)]
    private var numbers: [PatchKey: UInt16] = [:]
    private var last: (key: PatchKey, number: UInt16)?
    private var faults: [FaultKey: (count: Int, last: UInt64, example: FaultExample)] = [:]
    private var hours: [HourKey: FleetReport.Hour] = [:]
    private var comparisons: [ComparisonKey: Compared] = [:]
    /// The surroundings of patches on devices, by their number in the table of devices, and their sort order.
    private var places = [DeviceContext()]
    private var placeOrder = [PlaceOrder(numbers: [], text: "")]
    private var placeNumbers = [DeviceContext(): UInt16(0)]
    private var lastPlace = (DeviceContext(), UInt16(0))
    package private(set) var input = FleetReport.Input()
    /// The time of the newest event, in milliseconds since 1970.
    private var newest: Int64 = 0
    /// The only device that is counted; nil for all.
    private var device: FleetReport.Device?
    /// When that device synced last, in milliseconds since 1970.
    private var lastSync: UInt64 = 0

    /// - Parameters:
    ///   - now: The current time in milliseconds since 1970. The time of an event more than a day later is ignored.
    ///   - listed: The patches that the feed lists. They are counted whatever devices send.
    /// - Returns: nil if there is not enough memory.
    package init?(
        now: Int, limits: Limits = Limits(), patch: String? = nil, version: Int? = nil, since: Timestamp? = nil,
        newSince: Timestamp? = nil, listed: [FleetReport.Listed] = [], installation: String? = nil
    ) {
        guard let reader = unsafe er_open(EventRecord.schema) else { return nil }
        unsafe self.init(
            reader, now: now, limits: limits, patch: patch, version: version, since: since, newSince: newSince,
            installation: installation)
        for patch in listed.prefix(Int(UInt16.max) / 2) {
            let number = unsafe Self.number(of: patch.id, in: reader)
            if let place = self.number(of: er_pair(text: number, number: Int64(patch.version))) {
                patches[Int(place)].stopped = patch.stopped
                patches[Int(place)].isLive = patch.isLive
            }
            known = patches.count - 1
        }
    }

    private init(
        _ reader: OpaquePointer, now: Int, limits: Limits, patch: String?, version: Int?, since: Timestamp?,
        newSince: Timestamp?, installation: String?
    ) {
        for (event, name) in Self.events { unsafe er_set_event(reader, event, name.rawValue) }
        for (key, name) in Self.keys { unsafe er_set_key(reader, key, name.rawValue) }
        unsafe er_set_check(reader) { key, text, count in
            unsafe ReportBuilder.hasForm(UnsafeRawBufferPointer(start: text, count: count), of: key) ? 1 : 0
        }
        suspicion = unsafe Self.number(of: EventRecord.suspicion, in: reader)
        only = unsafe (Self.number(of: patch ?? "", in: reader), Int64(version ?? 0))
        if var installation {
            device = FleetReport.Device(installation: installation)
            installation.withUTF8 { text in
                unsafe text.withMemoryRebound(to: CChar.self) {
                    unsafe er_set_installation(reader, $0.baseAddress, $0.count)
                }
            }
        }
        unsafe self.reader = reader
        self.limits = limits
        end = Int64(now.addingOrMost(86_400_000))
        present = Int64(now.addingOrMost(300_000))
        self.since = since.map { Int64($0.secondsSince1970) * 1000 }
        self.newSince = UInt32(clamping: newSince?.secondsSince1970 ?? 0)
        devices = DeviceTable(most: limits.devices)
    }

    private static func number(of text: String, in reader: OpaquePointer) -> UInt32 {
        var text = text
        return text.withUTF8 { text in
            unsafe text.withMemoryRebound(to: CChar.self) { unsafe er_number(reader, $0.baseAddress, $0.count) }
        }
    }

    /// Whether a string has the form in which devices write this member.
    private static func hasForm(_ text: UnsafeRawBufferPointer, of key: er_key) -> Bool {
        switch key {
        case ER_PATCH: unsafe NameForm.isReverseDNS(text)
        case ER_FUNCTION: unsafe NameForm.isReplaceable(text)
        case ER_ERROR: unsafe NameForm.isWord(text)
        case ER_APP_VERSION: unsafe AppVersion(String(decoding: text, as: UTF8.self)) != nil
        default: unsafe text.count <= 64 && text.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
    }

    deinit { unsafe er_close(reader) }

    /// A parser of lines for this report. Several threads may have one each.
    package func parser() -> LineParser { unsafe LineParser(of: reader) }

    /// Counts the lines that were parsed last.
    package mutating func add(_ parsed: borrowing LineParser) {
        var line = er_line()
        var outcome = ER_BLANK
        while unsafe er_take(reader, parsed.parser, &line, &outcome) != 0 {
            switch outcome {
            case ER_LINE: add(line)
            case ER_BLANK: break
            case ER_OTHER_SCHEMA: input.foreign += 1
            case ER_NO_DEVICE: input.withoutDevice += 1
            case ER_OTHER_DEVICE: input.others += 1
            case ER_MISNAMED:
                input.damaged += 1
                noteMisnamed()
            default: input.damaged += 1
            }
        }
        input.bytes += parsed.bytes
    }

    /// Counts an event with an impossible name, and keeps the least of these names, so that the order of lines does not matter.
    private mutating func noteMisnamed() {
        input.misnamed += 1
        var length = 0
        guard let bytes = unsafe er_misnamed(reader, &length) else { return }
        let name = unsafe String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: min(length, 64)), as: UTF8.self)
        guard let least = input.misnamedExample else { return input.misnamedExample = name }
        if name.hasBytes(before: least) { input.misnamedExample = name }
    }

    /// Counts a line that is longer than any buffer, and bytes that are not read.
    package mutating func skip(bytes: Int, isLine: Bool) {
        input.bytes += bytes
        if isLine { input.damaged += 1 }
    }

    // MARK: lines

    private mutating func add(_ line: er_line) {
        let hasTime = line.time >= Self.start && line.time <= end
        if let since, !hasTime || line.time < since { return input.earlier += 1 }
        input.events += 1
        if hasTime, line.time <= present { newest = max(newest, line.time) }
        if !hasTime { input.withoutTime += 1 }
        let time = hasTime ? UInt64(line.time) : 0
        let surroundings = number(
            of: DeviceContext(appVersion: line.app_version, system: line.system, systemVersion: line.system_version))
        let trouble = Self.trouble(of: line)
        change(line.device, 0, time, surroundings) { entry in
            switch line.event {
            case ER_LAUNCHED: entry.run(true, at: time)
            case ER_SYNCED: entry.reach(.good, at: time)
            // If two syncs have the same time, the successful one counts.
            case ER_SYNC_FAILED: entry.reach(.trial, at: time)
            default: break
            }
            if let trouble { entry.set(trouble: trouble) }
        }
        let happened = Int(max(1, line.count))
        if trouble != nil { addFault(line, 0, happened, at: time) }
        if device != nil { addToDevice(line, happened, at: time) }
        // A launch lists the patches that it began with, and so does each activation.
        for place in 0..<(line.event == ER_LAUNCHED ? line.pairs : 0) {
            guard let number = unsafe number(of: er_pair_of(reader, place)) else { continue }
            change(line.device, number, time, surroundings) { entry in
                entry.run(true, at: time)
                entry.set(.ran)
            }
        }
        guard line.version > 0, let number = number(of: er_pair(text: line.patch, number: line.version)) else {
            return
        }
        let isSuspicion = line.message == suspicion
        let isStopped = Self.stop(of: patches[Int(number)]).map { time >= $0 } ?? false
        change(line.device, number, time, surroundings) { entry in
            if isStopped { entry.set(.heardSinceStop) }
            if Self.isOfRun(line.event) { entry.set(.ran) }
            switch line.event {
            case ER_ACTIVATED: entry.run(true, at: time)
            case ER_DEACTIVATED: entry.run(false, at: time)
            case ER_TRIAL: entry.reach(.trial, at: time)
            case ER_CONFIRMED: entry.reach(.good, at: time)
            case ER_WITHDRAWN: entry.reach(.withdrawn, at: time)
            case ER_EXPIRED, ER_NOT_APPLICABLE: entry.reach(.over, at: time)
            case ER_REFUSED:
                entry.reach(.refused, at: time)
                entry.set(.refused)
            case ER_ROLLED_BACK, ER_CLOSED:
                entry.reach(.rolledBack, at: time)
                entry.set(isSuspicion ? .suspected : .rolledBack)
            case ER_FAILED: entry.set(.failed)
            case ER_COMPARED:
                entry.reach(.shadow, at: time)
                entry.set(.compared)
                if line.failed_runs > 0 || line.error > 0 { entry.set(.failedInShadow) }
            default: break
            }
        }
        switch line.event {
        case ER_CALLED: addCalls(line, number, time)
        case ER_COMPARED: addComparison(line, number, time)
        case ER_FAILED:
            addFault(line, number, happened, at: time)
            addBad(number, time) { $0.failed.addOrMost(happened) }
        case ER_REFUSED, ER_FELL_BACK: addFault(line, number, happened, at: time)
        case ER_ROLLED_BACK, ER_CLOSED:
            addFault(line, number, happened, at: time)
            if !isSuspicion { addBad(number, time) { $0.rolledBack += 1 } }
        default: break
        }
    }

    /// When the feed stopped a patch, in milliseconds since 1970; nil if it did not.
    private static func stop(of patch: FleetReport.Patch) -> UInt64? {
        patch.stopped.map { UInt64(max(0, $0.secondsSince1970)) * 1000 }
    }

    private mutating func addCalls(_ line: er_line, _ patch: UInt16, _ time: UInt64) {
        let calls = Int(max(0, line.calls))
        let failures = min(Int(max(0, line.failures)), calls)
        let index = Int(patch)
        patches[index].calls.addOrMost(calls)
        patches[index].failures.addOrMost(failures)
        patches[index].fallbacks.addOrMost(Int(max(0, line.fallbacks)))
        patches[index].measured.addOrMost(Int(max(0, line.measured)))
        patches[index].nanoseconds.addOrMost(Int(max(0, line.nanoseconds)))
        patches[index].longest = max(patches[index].longest, Int(line.longest))
        let times = line.times
        for place in 0...EventRecord.timeBounds.count {
            let count = unsafe withUnsafeBytes(of: times) {
                unsafe $0.load(fromByteOffset: place * MemoryLayout<Int64>.stride, as: Int64.self)
            }
            patches[index].times[place].addOrMost(Int(max(0, count)))
        }
        changeHour(patch, time) { hour in
            hour.calls.addOrMost(calls)
            hour.failures.addOrMost(failures)
        }
    }

    /// Whether a device that reports an event runs the patch, or has tried to.
    private static func isOfRun(_ event: er_event) -> Bool {
        switch event {
        case ER_ACTIVATED, ER_DEACTIVATED, ER_REFUSED, ER_FAILED, ER_FELL_BACK, ER_CALLED, ER_TRIAL, ER_CONFIRMED,
            ER_ROLLED_BACK, ER_CLOSED:
            true
        default: false
        }
    }

    private mutating func addComparison(_ line: er_line, _ patch: UInt16, _ time: UInt64) {
        if line.error > 0 { addFault(line, patch, 1, at: time) }
        let failed = Int(max(0, line.failed_runs))
        if failed > 0 { addBad(patch, time) { $0.failed.addOrMost(failed) } }
        let key = ComparisonKey(patch: patch, function: line.function)
        guard key.function > 0 else { return }
        guard comparisons[key] != nil || comparisons.count < limits.comparisons else { return input.dropped += 1 }
        var compared = comparisons.removeValue(forKey: key) ?? Compared()
        compared.counts.add(agreed: Int(max(0, line.agreed)), differed: Int(max(0, line.differed)))
        compared.counts.failed.addOrMost(failed)
        compared.counts.incomparable.addOrMost(Int(max(0, line.incomparable)))
        compared.counts.nanoseconds.addOrMost(Int(max(0, line.nanoseconds)))
        for place in 0..<line.pairs {
            let reason = unsafe er_pair_of(reader, place)
            guard reason.text > 0, reason.number > 0 else { continue }
            if compared.reasons[reason.text] != nil || compared.reasons.count < limits.reasons {
                compared.reasons[reason.text, default: 0].addOrMost(Int(reason.number))
            }
        }
        if line.answer > 0, line.result > 0 {
            let example = Difference(answer: line.answer, result: line.result, file: line.file, line: line.line)
            let time = time > 0 ? time : .max
            compared.examples[example] = min(compared.examples[example] ?? .max, time)
            if compared.examples.count > Self.mostExamples, let latest = sorted(compared.examples).last {
                compared.examples[latest] = nil
            }
        }
        comparisons[key] = compared
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

    /// What was counted of a function.
    private func comparison(_ function: UInt32, _ compared: Compared) -> FleetReport.Comparison {
        var comparison = FleetReport.Comparison(function: text(function))
        comparison.add(compared.counts)
        comparison.reasons = compared.reasons.map { FleetReport.Comparison.Reason(text($0.key), $0.value) }.sorted {
            $0.count == $1.count ? $0.text.hasBytes(before: $1.text) : $0.count > $1.count
        }
        comparison.examples = sorted(compared.examples).map { example in
            FleetReport.Comparison.Example(
                answer: text(example.answer), result: text(example.result),
                place: place(file: example.file, line: example.line))
        }
        return comparison
    }

    private func place(file: UInt32, line: Int64) -> PatchError.Place {
        PatchError.Place(file: file > 0 ? text(file) : nil, line: line > 0 ? Int(line) : nil)
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

    private mutating func change(
        _ device: UInt64, _ patch: UInt16, _ time: UInt64, _ surroundings: UInt16,
        _ body: (inout DeviceTable.Entry) -> Void
    ) {
        let order = placeOrder
        devices.change(device, patch) { entry in
            if time > 0 { entry.isHeard(at: time) }
            if entry.surroundings != surroundings,
                order[Int(entry.surroundings)].precedes(order[Int(surroundings)])
            {
                entry.surroundings = surroundings
            }
            body(&entry)
        }
    }

    /// The trouble of a device itself; nil if there is none, or if a patch had it.
    private static func trouble(of line: er_line) -> FleetReport.Trouble? {
        switch line.event {
        case ER_SYNC_FAILED: .syncFailed
        case ER_STORE_FAILED: .storeFailed
        case ER_REFUSED: line.version > 0 ? nil : .refused
        case ER_SAFE_MODE: .safeMode
        case ER_NEVER_CONFIRMED: .neverConfirmed
        case ER_MISUSED: .misused
        default: nil
        }
    }

    /// Counts an event of the only device.
    private mutating func addToDevice(_ line: er_line, _ happened: Int, at time: UInt64) {
        switch line.event {
        case ER_LAUNCHED: device?.launches.addOrMost(happened)
        case ER_SYNCED:
            device?.syncs.addOrMost(happened)
            lastSync = max(lastSync, time)
        default: break
        }
    }

    private mutating func addFault(_ line: er_line, _ patch: UInt16, _ happened: Int, at time: UInt64) {
        let key = FaultKey(
            patch: patch, event: line.event.rawValue, code: line.error, function: line.function,
            reason: [ER_ROLLED_BACK, ER_CLOSED].contains(line.event) ? line.message : 0)
        guard faults[key] != nil || faults.count < limits.faults else { return input.dropped += 1 }
        let example = FaultExample(
            time: time > 0 || device != nil ? time : .max, message: line.message, file: line.file, line: line.line,
            stack: line.stack)
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
        guard hours[key] != nil || hours.count < limits.hours else { return input.dropped += 1 }
        body(&hours[key, default: FleetReport.Hour(hour: Int(hour))])
    }

    // MARK: numbers

    /// The number of a patch; nil if it is not to be counted, or if there are too many, which is recorded.
    private mutating func number(of patch: er_pair) -> UInt16? {
        let key = PatchKey(id: patch.text, version: patch.number)
        guard only.id == 0 || key.id == only.id, only.version == 0 || key.version == only.version else { return nil }
        if let last, last.key == key { return last.number }
        // The reader counts the strings that it drops.
        guard key.id > 0 else {
            input.droppedPatches += 1
            return nil
        }
        let next = UInt16(patches.count)
        guard let number = numbers[key] ?? (patches.count - 1 - known < limits.patches ? next : nil) else {
            input.dropped += 1
            input.droppedPatches += 1
            return nil
        }
        if number == next {
            patches.append(FleetReport.Patch(id: text(key.id), version: Int(key.version)))
            numbers[key] = number
        }
        last = (key, number)
        return number
    }

    /// The number of the surroundings of a patch; 0 if there are too many.
    private mutating func number(of place: DeviceContext) -> UInt16 {
        if lastPlace.0 == place { return lastPlace.1 }
        var number = placeNumbers[place] ?? 0
        if number == 0, place != DeviceContext(), places.count < Int(UInt16.max) {
            number = UInt16(places.count)
            placeNumbers[place] = number
            places.append(place)
            placeOrder.append(
                PlaceOrder(
                    numbers: versionParts(place.appVersion) + versionParts(place.systemVersion),
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

    private func text(_ number: UInt32) -> String {
        var length = 0
        guard let bytes = unsafe er_text(reader, number, &length) else { return "" }
        return unsafe String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
    }

    // MARK: the report

    /// The indices of the patches that no feed lists, but that are live: a device has run them since the last one that had run them
    /// was back in shadow.
    private var live: [Int] {
        var (run, shadowed) = (patches.map { _ in UInt64(0) }, patches.map { _ in UInt64(0) })
        devices.forEach { entry in
            guard entry.has(.ran) else { return }
            // A time that is not known is later than none.
            let index = Int(entry.patch)
            if entry.stage == .shadow {
                shadowed[index] = max(shadowed[index], entry.stageTime + 1)
            } else {
                run[index] = max(run[index], (entry.runTime ?? entry.stageTime) + 1)
            }
        }
        return patches.indices.dropFirst(1 + known).filter { run[$0] > shadowed[$0] }
    }

    /// The report on everything that was read.
    package consuming func report() -> FleetReport {
        var report = FleetReport()
        report.input = input
        report.input.dropped.addOrMost(Int(clamping: unsafe er_dropped_texts(reader)))
        report.scale = devices.scale
        report.newest = newest > 0 ? Timestamp(secondsSince1970: Int(newest / 1000)) : nil
        let scale = devices.scale
        var patches = patches
        for index in live { patches[index].isLive = true }
        var counts: [[UInt16: (devices: Int, affected: Int)]] = Array(repeating: [:], count: patches.count)
        var hours = hours
        var all = 0
        var held: [FleetReport.Device.Held] = []
        devices.forEach { entry in
            let index = Int(entry.patch)
            guard index > 0 else {
                for trouble in FleetReport.Trouble.allCases where entry.has(trouble: trouble) {
                    report.troubled[trouble, default: 0] += scale
                }
                report.unsynced += entry.stage == .trial ? scale : 0
                report.device = device(entry)
                return all += 1
            }
            patches[index].shadowed += entry.has(.compared) ? scale : 0
            let isLive = patches[index].isLive
            guard !isLive || entry.has(.ran) else { return }
            patches[index].devices += scale
            patches[index].newDevices += entry.first >= newSince ? scale : 0
            let isRunning = devices.isRunning(entry)
            if device != nil {
                held.append(
                    FleetReport.Device.Held(
                        id: patches[index].id, version: patches[index].version, stage: entry.stage,
                        since: Self.timestamp(entry.stageTime), isRunning: isRunning))
            }
            patches[index].running += isRunning ? scale : 0
            if let stop = Self.stop(of: patches[index]), devices.isHeard(entry, sinceStop: stop) {
                patches[index].heard += scale
                patches[index].keeping += isRunning ? scale : 0
            }
            let isFailing = entry.has(.failed) || !isLive && entry.has(.failedInShadow)
            patches[index].failing += isFailing ? scale : 0
            patches[index].rolledBack += entry.has(.rolledBack) ? scale : 0
            patches[index].suspected += entry.isSuspected ? scale : 0
            patches[index].affected += isFailing || entry.has(.rolledBack) ? scale : 0
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
            if isFailing || entry.has(.rolledBack) {
                counts[index][entry.surroundings, default: (0, 0)].affected += scale
            }
            if entry.first != .max {
                let hour = entry.first / 3600
                hours[HourKey(patch: entry.patch, hour: hour), default: FleetReport.Hour(hour: Int(hour))]
                    .newDevices += scale
            }
        }
        report.devices = all * scale
        for index in patches.indices.dropFirst() {
            var versions: [String: (order: [Int], part: FleetReport.Part)] = [:]
            var systems: [String: FleetReport.Part] = [:]
            for (number, count) in counts[index] {
                let place = places[Int(number)]
                let (order, version) = (placeOrder[Int(number)].numbers, text(place.appVersion))
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
            let event = Self.events.first { $0.0.rawValue == key.event }
            patches[Int(key.patch)].faults.append(
                FleetReport.Fault(
                    event: event?.1.rawValue ?? "", code: text(key.code), function: text(key.function),
                    place: place(file: value.example.file, line: value.example.line),
                    stack: value.example.stack > 0 ? text(value.example.stack) : nil,
                    message: text(value.example.message), count: value.count, last: Self.timestamp(value.last)))
        }
        for (key, value) in comparisons {
            patches[Int(key.patch)].comparisons.append(comparison(key.function, value))
        }
        for index in patches.indices {
            patches[index].comparisons.sort { ($1.differed, $0.function) < ($0.differed, $1.function) }
            patches[index].hours.sort { $0.hour < $1.hour }
            patches[index].faults.sort {
                ($1.count, $0.event, $0.code, $0.function, $0.message)
                    < ($0.count, $1.event, $1.code, $1.function, $1.message)
            }
        }
        report.faults = patches[0].faults
        report.patches = patches.dropFirst().sorted {
            ($0.id, $0.version) < ($1.id, $1.version)
        }
        report.device?.patches = held.sorted { ($0.id, $0.version) < ($1.id, $1.version) }
        return report
    }

    /// The only device, without its patches; nil if all are counted.
    private func device(_ entry: DeviceTable.Entry) -> FleetReport.Device? {
        guard var device else { return nil }
        let place = places[Int(entry.surroundings)]
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
