import PatchCrypto
import PatchReport
import PatchText

/// A line of a report on a terminal.
struct ReportLine {
    let style: Console.Style?
    /// The coloured beginning.
    let word: String
    let text: String

    init(_ style: Console.Style, _ word: String, _ text: String = "") {
        self.style = style
        self.word = word
        self.text = text
    }

    init(_ text: String) {
        style = nil
        word = ""
        self.text = text
    }

    /// A row of a table. Names of up to 13 columns are aligned.
    init(name: String, value: String) {
        self.init(.faint, "  \(name)" + String(repeating: " ", count: max(1, 14 - name.count)), value)
    }

    func print(_ console: Console) throws(PatchError) {
        guard let style else { return try console.line(text) }
        try console.line(style, word, text)
    }
}

extension FleetReport {
    /// The report on a terminal: first what needs attention, and each patch, and then the gates that are not crossed.
    func lines(_ gates: [ReportGateResult]) -> [ReportLine] {
        var lines = [ReportLine(summary)]
        lines += deviceRows.map { ReportLine(.bad, $0.name, "  \($0.value)") }
        if let overview = overview(gates) { lines.append(ReportLine(overview)) }
        lines += gates.with(.crossed).map(\.line)
        let patches = worstFirst(gates)
        for patch in patches.prefix(Self.mostDetailed) {
            lines += [ReportLine(""), ReportLine(.good, patch.label)]
            lines += patch.rows(of: devices).map(ReportLine.init)
        }
        let rest = patches.dropFirst(Self.mostDetailed)
        if !rest.isEmpty {
            let count = "and \(rest.count.grouped) more, of which --patch ID shows one in full"
            lines += [ReportLine(""), ReportLine(count)]
            lines += rest.map { ReportLine(.good, $0.label, "  \($0.brief)") }
        }
        if !gates.with(.undecided, .passed).isEmpty { lines.append(ReportLine("")) }
        for verdict in [ReportGate.Verdict.undecided, .passed] {
            let gates = gates.with(verdict)
            lines += gates.prefix(Self.mostDetailed).map(\.line)
            let rest = gates.count - Self.mostDetailed
            if rest > 0 { lines.append(ReportLine(.faint, verdict.rawValue, "  \(rest.grouped) more")) }
        }
        return lines
    }

    /// The most patches, and the most gates with one verdict, that are shown in full.
    static let mostDetailed = 20
    /// The most faults or reasons that are named after a number.
    fileprivate static let mostNamed = 5

    /// The patches for people: first those that cross a gate, and last those without trouble. Within each of these
    /// groups, those that most probably affected most of their devices come first.
    func worstFirst(_ gates: [ReportGateResult]) -> [Patch] {
        let crossed = Set(gates.with(.crossed).map(\.name))
        func group(of patch: Patch) -> Int {
            if crossed.contains(patch.label) { return 0 }
            return patch.hasTrouble ? 1 : 2
        }
        let ranked = patches.enumerated().map { place, patch in
            let share = Share(min(patch.affected.addingOrMost(patch.refused), patch.devices), of: patch.devices)
            return (patch: patch, rank: (group(of: patch), -share.interval.lowerBound, place))
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.patch)
    }

    /// The number of patches, and how many need attention; nil if there is nothing to report.
    func overview(_ gates: [ReportGateResult]) -> String? {
        guard patches.count > 1 else { return nil }
        func count(_ verdict: ReportGate.Verdict) -> Int {
            Set(gates.with(verdict).filter { $0.id != nil }.map(\.name)).count
        }
        let parts = [
            (count(.crossed), "with a crossed gate"), (count(.undecided), "with an undecided gate"),
            (patches.count { $0.hasTrouble }, "that failed, or were rolled back or refused"),
        ]
        let bad = parts.filter { $0.0 > 0 }
        guard !bad.isEmpty || patches.count > Self.mostDetailed else { return nil }
        return (["\(patches.count.grouped) patches"] + bad.map { "\($0.0.grouped) \($0.1)" }).joined(separator: ", ")
    }

    /// The names and the values of the troubles on devices as such.
    var deviceRows: [(name: String, value: String)] {
        Trouble.allCases.compactMap { trouble in
            guard let count = troubled[trouble], count > 0 else { return nil }
            let share = Share(count, of: devices).value?.percent ?? ""
            let own = faults.filter { $0.event == trouble.event.rawValue }
            let reasons = own.prefix(Self.mostNamed).map(\.text).joined(separator: "; ")
            let last = trouble == .syncFailed ? "; the last sync failed on \(unsynced.grouped)" : ""
            return (trouble.words, "\(count.counting("device"))  \(share) of all\(last): \(reasons)")
        }
    }

    /// What was counted, and what was not.
    var summary: String {
        let counts = "\(input.events.counting("event")) of \(devices.counting("device")), \(input.bytes.bytes)"
        let names = input.misnamedExample.map { name in
            let example = name.isEmpty ? "" : ", such as \(JSONValue.string(name).text(escaping: isUnprintable))"
            return " (\(input.misnamed.grouped) with a name that no patch, version, function or error has\(example))"
        }
        var notes: [String] = []
        func add(_ note: String, if isSo: Bool) {
            if isSo { notes.append(note) }
        }
        if let newest { notes.append("the newest from \(newest)") }
        add("\(input.others.counting("event")) of other devices left out", if: input.others > 0)
        add(input.elsewhereText, if: input.elsewhere > 0)
        add("of \(input.origins) apps or environments, which --feed tells apart", if: input.origins > 1)
        add("\(input.earlier.counting("earlier event")) left out", if: input.earlier > 0)
        add("\(input.damaged.counting("damaged line"))\(names ?? "")", if: input.damaged > 0)
        add("\(input.foreign.counting("line")) of another schema", if: input.foreign > 0)
        add("\(input.withoutDevice.counting("event")) without an installation", if: input.withoutDevice > 0)
        add("\(input.withoutTime.counting("event")) with an unbelievable time", if: input.withoutTime > 0)
        add(input.droppedText, if: input.dropped > 0)
        add("\(input.leftOut.count.counting("file")) left out", if: !input.leftOut.isEmpty)
        if let unread = input.unreadText { notes.append(unread) }
        add("one device in \(scale) was counted, so numbers of devices are estimates", if: scale > 1)
        return notes.isEmpty ? counts : "\(counts); \(notes.joined(separator: ", "))"
    }
}

extension FleetReport.Input {
    var elsewhereText: String { "\(elsewhere.counting("event")) of other apps or environments left out" }
    var droppedText: String { "\(dropped.grouped) not counted by kind, because there are too many kinds" }
    /// nil if each file was read to its end.
    var unreadText: String? { unread > 0 ? "\(unread.counting("file")) could not be read in full" : nil }
}

extension ReportGateResult {
    fileprivate var line: ReportLine {
        let style: Console.Style =
            switch verdict {
            case .passed: .good
            case .crossed: .bad
            case .undecided: .faint
            }
        return ReportLine(style, verdict.rawValue, "  \(gate.text)  \(name): \(reason)")
    }
}

extension FleetReport.Part {
    fileprivate var text: String {
        "\(name.isEmpty ? "?" : name): \(devices.grouped)\(affected > 0 ? " (\(affected.grouped) affected)" : "")"
    }
}

extension FleetReport.Trouble {
    fileprivate var words: String {
        switch self {
        case .syncFailed: "could not sync"
        case .storeFailed: "could not store"
        case .refused: "refused an envelope of an unknown patch"
        case .safeMode: "in safe mode"
        case .neverConfirmed: "not confirmed"
        case .misused: "misused"
        }
    }
}

extension FleetReport.Fault {
    var text: String { "\(count.grouped) x \(example)" }

    /// The lines that called the place, at most nine, for the end of a text; empty if none did.
    private var callers: String {
        let lines = stack?.unicodeScalars.split(separator: "\n").dropFirst().prefix(9).map { String($0) } ?? []
        return lines.isEmpty ? "" : ", called from \(lines.joined(separator: ", "))"
    }

    /// The code, the function, the place and the message of an example.
    var example: String {
        let words = message.isEmpty ? EventRecord.Name(rawValue: event)?.sentence : message
        let error = PatchError(PatchError.Code(code), words ?? "", at: place)
        let caller = function.isEmpty ? "" : " in \(function)"
        let name = code.isEmpty ? "" : "\(code)\(caller): "
        return "\(name)\(error.text)\(callers)"
    }
}

extension FleetReport.Patch {
    var label: String { "\(id) \(version)" }

    /// The patch in one line, with what is bad.
    var brief: String {
        let bad = [("failing", failing), ("rolled back", rolledBack), ("suspected", suspected), ("refused", refused)]
        let counts = [devices.counting("device"), "\(running.grouped) running"]
        return (counts + bad.filter { $0.1 > 0 }.map { "\($0.1.grouped) \($0.0)" }).joined(separator: ", ")
    }

    /// The figures of the patch.
    ///
    /// - Parameters:
    ///   - all: How many devices reported anything.
    ///   - chartsNewDevices: Whether there is a row with a chart of the new devices. The page has a larger one.
    func rows(of all: Int, chartsNewDevices: Bool = true) -> [(name: String, value: String)] {
        var rows = [
            ("devices", "\(devices.grouped)  \(Share(devices, of: all).value?.percent ?? "") of all"),
            ("running", "\(running.grouped)  \(Share(running, of: devices).value?.percent ?? "")"),
            ("stages", stageText),
            ("failing", part(failing)), ("rolled back", part(rolledBack)), ("refused", part(refused)),
        ]
        if suspected > 0 { rows.append(("suspected", "\(part(suspected)), rolled back together with others")) }
        if let stopped { rows.append(("stopped", "\(stopped): \(heardSinceStop)")) }
        rows += workRows
        for (name, parts) in [("app versions", appVersions), ("systems", systems)] where !parts.isEmpty {
            rows.append((name, parts.prefix(Self.mostParts).map(\.text).joined(separator: ", ")))
        }
        if chartsNewDevices, let adoption { rows.append(("new devices", adoption)) }
        if let minute = firstBelievedBadMinute { rows.append(("first failure", minuteText(minute))) }
        return rows + faults.prefix(FleetReport.mostNamed).map { ($0.event, $0.text) }
    }

    /// A number of its devices, with their share and what that tells about other devices.
    private func part(_ count: Int) -> String {
        let share = Share(count, of: devices)
        guard count > 0, let value = share.value else { return "0" }
        return "\(count.grouped)  \(value.percent) (\(share.interval.text))"
    }

    /// How many devices are in each stage. Those that a good patch has no devices in are shown only if they have some.
    private var stageText: String {
        let always: Set<FleetReport.Stage> = [.trial, .good, .over, .withdrawn]
        let all: [FleetReport.Stage] = [.shadow, .trial, .good, .over, .withdrawn, .rolledBack, .refused, .none]
        let shown = all.filter { always.contains($0) || devices(in: $0) > 0 }
        return shown.map { "\(devices(in: $0).grouped) \($0.words)" }.joined(separator: ", ")
    }

    /// How many devices were heard of since the feed stopped it, and have it no longer.
    private var heardSinceStop: String {
        guard heard > 0 else { return "no device heard of since" }
        let gone = heard - keeping
        let share = Share(gone, of: heard).value.map { "  \($0.percent)" } ?? ""
        return "of \(heard.counting("device")) heard of since, \(gone.grouped) no longer have it\(share)"
    }

    /// A chart of the devices that reported it for the first time; nil if no device has a time.
    private var adoption: String? {
        guard let start = beginning, let last = hours.last(where: { $0.newDevices > 0 })?.hour else { return nil }
        let (first, before) = (start.hour, start.devicesBefore)
        let left = before > 0 ? "; \(before.counting("device")) before that, by clocks that may be wrong" : ""
        return "\(sparkline(first...last))  \((last - first + 1).grouped) h from \(hourText(first))\(left)"
    }

    /// How often it was called, and how long the calls took; and what it would change in shadow.
    var workRows: [(name: String, value: String)] {
        var rows: [(name: String, value: String)] = []
        let rate = counts.failureRate
        if let value = rate.value {
            let failed = "\(value.percent) failed (\(rate.interval.text))"
            rows.append(("calls", "\(counts.calls.grouped)  \(failed), \(counts.fallbacks.counting("fallback"))"))
        }
        if let mean = counts.meanTime {
            var times = ["\(mean.duration) on average"]
            // The bound of a class of times may be above all of them.
            if let bound = counts.time95, bound < counts.longest { times.append("95 % below \(bound.duration)") }
            times.append("at most \(counts.longest.duration)")
            rows.append(("time", times.joined(separator: ", ")))
        }
        guard let shadow else { return rows }
        rows.append(("shadow", shadow))
        let shown = comparisons.prefix(Self.mostFunctions)
        rows += shown.map { ("in \($0.function)", ([$0.text] + $0.examples.map(\.text)).joined(separator: "; ")) }
        if comparisons.count > shown.count {
            rows.append(("", (comparisons.count - shown.count).counting("more function")))
        }
        return rows
    }

    /// On how many devices it was compared in shadow, and what it would change; nil if on none.
    var shadow: String? {
        guard shadowed > 0 || !comparisons.isEmpty else { return nil }
        let rest = uncounted > 0 ? "; \(uncounted.counting("device")) compared functions that are not counted" : ""
        return "\(shadowed.counting("device")); \(comparison.text())\(rest)"
    }

    private static let mostFunctions = 8
    /// The most versions of the app, or systems, that are named.
    private static let mostParts = 8

    /// The new devices of some hours as bars: one for each hour, or 48 for more hours.
    private func sparkline(_ range: ClosedRange<Int>) -> String {
        let cells = min(48, range.count)
        var counts = Array(repeating: 0, count: cells)
        for hour in hours where range.contains(hour.hour) {
            counts[(hour.hour - range.lowerBound) * cells / range.count] += hour.newDevices
        }
        let bars = Array("▁▂▃▄▅▆▇█")
        let most = max(1, counts.max() ?? 1)
        return String(counts.map { bars[Int((Double($0) / Double(most) * 7).rounded())] })
    }
}

extension ComparisonCounts {
    /// The counts in words.
    ///
    /// - Parameter causes: Why calls could not be compared.
    fileprivate func text(_ causes: [String] = []) -> String {
        let part = differing.value.map { "  \($0.percent) (\(differing.interval.text))" } ?? ""
        var parts = ["\(differed.grouped) of \(differing.total.counting("compared call")) differed\(part)"]
        if failed > 0 { parts.append("\(failed.counting("run")) failed") }
        if incomparable > 0 {
            let reasons = causes.isEmpty ? "" : " (\(causes.joined(separator: ", ")))"
            parts.append("\(incomparable.counting("call")) could not be compared\(reasons)")
        }
        if nanoseconds > 0, let meanTime { parts.append("\(meanTime.duration) on average") }
        return parts.joined(separator: ", ")
    }
}

extension FleetReport.Comparison {
    fileprivate var text: String {
        var causes = reasons.prefix(FleetReport.mostNamed).map { "\($0.text) \($0.count.grouped)" }
        let others = reasons.dropFirst(FleetReport.mostNamed).reduce(otherReasons) { $0.addingOrMost($1.count) }
        // A number of other reasons says nothing if none is known.
        if !causes.isEmpty, others > 0 { causes.append("other \(others.grouped)") }
        return counts.text(causes)
    }
}

extension FleetReport.Comparison.Example {
    /// `19.0 would be 20.0 (cart.lua:3)`.
    fileprivate var text: String {
        let file = place.file.map { file in " (\(file)\(place.line.map { ":\($0)" } ?? ""))" } ?? ""
        return "\(answer) would be \(result)\(file)"
    }
}

/// An hour, in hours since 1970, as a time; empty after the year 9999.
func hourText(_ hour: Int) -> String { Timestamp(secondsSince1970: hour * 3600)?.description ?? "" }
/// A minute, in minutes since 1970, as a time; empty after the year 9999.
func minuteText(_ minute: Int) -> String { Timestamp(secondsSince1970: minute * 60)?.description ?? "" }

extension Int {
    /// Nanoseconds with a unit.
    var duration: String {
        switch self {
        case ..<1000: "\(self) ns"
        case ..<1_000_000: "\(decimal(Double(self) / 1e3, digits: 1)) µs"
        case ..<1_000_000_000: "\(decimal(Double(self) / 1e6, digits: 1)) ms"
        default: "\(decimal(Double(self) / 1e9, digits: 1)) s"
        }
    }
}

extension ClosedRange<Double> {
    var text: String { "\(lowerBound.percent) to \(upperBound.percent)" }
}

extension FleetReport.Stage {
    /// The words after a number of devices.
    var words: String {
        switch self {
        case .none: "in none of these"
        case .shadow: "in shadow"
        case .trial: "on trial"
        case .rolledBack: "rolled back"
        case .refused, .good, .over, .withdrawn: name
        }
    }
}
