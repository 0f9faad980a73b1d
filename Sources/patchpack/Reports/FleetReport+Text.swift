import PatchCrypto
import PatchReport
import PatchText

/// A line of a report on a terminal.
struct ReportLine {
    let style: Console.Style?
    /// The coloured beginning.
    let word: String
    let text: String

    init(style: Console.Style? = nil, word: String = "", text: String) {
        (self.style, self.word, self.text) = (style, word, text)
    }

    init(name: String, value: String) {
        self.init(style: .faint, word: "  " + name.padded(to: 14), text: value)
    }

    func print(_ console: Console) throws(PatchError) {
        guard let style else { return try console.line(text) }
        try console.line(style, word, text)
    }
}

extension FleetReport {
    func lines(_ gates: [ReportGateResult]) -> [ReportLine] {
        var lines = [ReportLine(text: summary)]
        lines += deviceRows.map { ReportLine(style: .bad, word: $0.name, text: "  \($0.value)") }
        let (crossed, others) = (
            gates.filter { $0.verdict == .crossed },
            ReportGateResult.worstFirst(gates).filter { $0.verdict != .crossed }
        )
        if let overview = overview(gates) { lines.append(ReportLine(text: overview)) }
        lines += crossed.map(\.line)
        let patches = worstFirst(gates)
        for patch in patches.prefix(Self.mostDetailed) {
            lines.append(ReportLine(text: ""))
            lines.append(ReportLine(style: .good, word: "\(patch.id) \(patch.version)", text: ""))
            lines += patch.rows(of: devices).map(ReportLine.init)
        }
        if patches.count > Self.mostDetailed {
            lines += [
                "", "and \((patches.count - Self.mostDetailed).grouped) more, of which --patch ID shows one in full",
            ].map {
                ReportLine(text: $0)
            }
            lines += patches.dropFirst(Self.mostDetailed).map {
                ReportLine(style: .good, word: $0.label, text: "  \($0.brief)")
            }
        }
        if !others.isEmpty { lines.append(ReportLine(text: "")) }
        for verdict in [ReportGate.Verdict.undecided, .passed] {
            let gates = others.filter { $0.verdict == verdict }
            lines += gates.prefix(Self.mostDetailed).map(\.line)
            if gates.count > Self.mostDetailed {
                lines.append(
                    ReportLine(
                        style: .faint, word: verdict.rawValue,
                        text: "  \((gates.count - Self.mostDetailed).grouped) more"))
            }
        }
        return lines
    }

    /// The most patches, and the most gates with one verdict, that are shown in full.
    static let mostDetailed = 20

    /// The patches for people: first the patches that cross a gate, then the patches that most probably affected most of their
    /// devices.
    func worstFirst(_ gates: [ReportGateResult]) -> [Patch] {
        let crossed = Set(gates.filter { $0.verdict == .crossed }.map(\.name))
        let ranked = patches.enumerated().map { place, patch in
            let share = Share(min(patch.affected.addingOrMost(patch.refused), patch.devices), of: patch.devices)
            return (
                patch: patch,
                rank: (crossed.contains(patch.label) ? 0 : patch.hasTrouble ? 1 : 2, -share.interval.lowerBound, place)
            )
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.patch)
    }

    /// The number of patches, and how many need attention; nil if there is nothing to report.
    func overview(_ gates: [ReportGateResult]) -> String? {
        guard patches.count > 1 else { return nil }
        func count(_ verdict: ReportGate.Verdict) -> Int {
            Set(gates.filter { $0.verdict == verdict && $0.id != nil }.map(\.name)).count
        }
        let parts = [
            (count(.crossed), "with a crossed gate"), (count(.undecided), "with an undecided gate"),
            (patches.count { $0.hasTrouble }, "that failed, or were rolled back or refused"),
        ]
        let bad = parts.filter { $0.0 > 0 }
        guard !bad.isEmpty || patches.count > Self.mostDetailed else { return nil }
        return (["\(patches.count.grouped) patches"] + bad.map { "\($0.0.grouped) \($0.1)" })
            .joined(separator: ", ")
    }

    /// The names and the values of the troubles on devices as such.
    var deviceRows: [(name: String, value: String)] {
        Trouble.allCases.compactMap { trouble in
            guard let count = troubled[trouble], count > 0 else { return nil }
            let share = Share(count, of: devices).value?.percent ?? ""
            let reasons = faults.filter { $0.event == trouble.rawValue }.prefix(5).map(\.text).joined(separator: "; ")
            let last = trouble == .syncFailed ? "; the last sync failed on \(unsynced.grouped)" : ""
            return (trouble.words, "\(count.counting("device"))  \(share) of all\(last): \(reasons)")
        }
    }

    /// The input of the report, and notes about it.
    var summary: String {
        let counts = "\(input.events.counting("event")) of \(devices.counting("device")), \(input.bytes.bytes)"
        var notes: [String] = []
        if let newest { notes.append("the newest from \(newest)") }
        if input.others > 0 { notes.append("\(input.others.counting("event")) of other devices left out") }
        if input.earlier > 0 { notes.append("\(input.earlier.counting("earlier event")) left out") }
        if input.damaged > 0 {
            let names =
                input.misnamedExample.map { name in
                    let example =
                        name.isEmpty ? "" : ", such as \(JSONValue.string(name).text(escaping: isUnprintable))"
                    return
                        " (\(input.misnamed.grouped) with a name that no patch, version, function or error has\(example))"
                } ?? ""
            notes.append(input.damaged.counting("damaged line") + names)
        }
        if input.foreign > 0 { notes.append("\(input.foreign.counting("line")) of another schema") }
        if input.withoutDevice > 0 { notes.append("\(input.withoutDevice.counting("event")) without an installation") }
        if input.withoutTime > 0 { notes.append("\(input.withoutTime.counting("event")) with an unbelievable time") }
        if input.dropped > 0 {
            notes.append("\(input.dropped.grouped) not counted by kind, because there are too many kinds")
        }
        if !input.leftOut.isEmpty { notes.append("\(input.leftOut.count.counting("file")) left out") }
        if scale > 1 { notes.append("one device in \(scale) was counted, so numbers of devices are estimates") }
        return notes.isEmpty ? counts : "\(counts); \(notes.joined(separator: ", "))"
    }
}

extension ReportGateResult {
    fileprivate var line: ReportLine {
        ReportLine(
            style: verdict == .passed ? .good : verdict == .crossed ? .bad : .faint, word: verdict.rawValue,
            text: "  \(gate.text)  \(name): \(reason)")
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

    /// The lines that called the one that failed.
    private var callers: String {
        let lines = stack?.unicodeScalars.split(separator: "\n").dropFirst().prefix(9).map { String($0) } ?? []
        return lines.isEmpty ? "" : ", called from \(lines.joined(separator: ", "))"
    }

    /// The code, the function, the place and the message of an example.
    var example: String {
        let words = message.isEmpty ? EventRecord.Name(rawValue: event)?.sentence : message
        let error = PatchError(PatchError.Code(code), words ?? "", at: place)
        let name = code.isEmpty ? "" : "\(code)\(function.isEmpty ? "" : " in \(function)"): "
        return "\(name)\(error.text)\(callers)"
    }
}

extension FleetReport.Patch {
    var label: String { "\(id) \(version)" }

    var brief: String {
        let bad = [("failing", failing), ("rolled back", rolledBack), ("suspected", suspected), ("refused", refused)]
        return
            (["\(devices.counting("device"))", "\(running.grouped) running"]
            + bad.filter { $0.1 > 0 }.map { "\($0.1.grouped) \($0.0)" }).joined(separator: ", ")
    }

    /// The names and the values in the table of a patch.
    func rows(of all: Int) -> [(name: String, value: String)] {
        func part(_ count: Int) -> String {
            let share = Share(count, of: devices)
            guard count > 0, let value = share.value else { return "0" }
            return "\(count.grouped)  \(value.percent) (\(share.interval.text))"
        }
        var rows = [
            ("devices", "\(devices.grouped)  \(Share(devices, of: all).value?.percent ?? "") of all"),
            ("running", "\(running.grouped)  \(Share(running, of: devices).value?.percent ?? "")"),
            (
                "stages",
                "\(inShadow > 0 ? "\(inShadow.grouped) in shadow, " : "")\(trial.grouped) on trial, \(good.grouped) good, \(over.grouped) over, \(withdrawn.grouped) withdrawn"
            ),
            ("failing", part(failing)), ("rolled back", part(rolledBack)), ("refused", part(refused)),
        ]
        if suspected > 0 { rows.append(("suspected", "\(part(suspected)), rolled back together with others")) }
        if let stopped {
            let share = Share(heard - keeping, of: heard).value.map { "  \($0.percent)" } ?? ""
            rows.append(
                (
                    "stopped",
                    "\(stopped): of \(heard.counting("device")) heard of since, \((heard - keeping).grouped) no longer have it\(share)"
                ))
        }
        rows += workRows
        for (name, parts) in [("app versions", appVersions), ("systems", systems)] where !parts.isEmpty {
            rows.append((name, parts.prefix(8).map(\.text).joined(separator: ", ")))
        }
        if let (first, before) = beginning, let last = hours.last(where: { $0.newDevices > 0 })?.hour {
            let left = before > 0 ? "; \(before.counting("device")) before that, by clocks that may be wrong" : ""
            rows.append(
                (
                    "new devices",
                    "\(sparkline(first...last))  \((last - first + 1).grouped) h from \(hourText(first))\(left)"
                ))
        }
        if let minute = firstBelievedBadMinute { rows.append(("first failure", minuteText(minute))) }
        return rows + faults.prefix(5).map { ($0.event, $0.text) }
    }

    /// How often it was called, and how long the calls took; and what it would change in shadow.
    var workRows: [(name: String, value: String)] {
        var rows: [(name: String, value: String)] = []
        let rate = counts.failureRate
        if let value = rate.value {
            rows.append(
                (
                    "calls",
                    "\(counts.calls.grouped)  \(value.percent) failed (\(rate.interval.text)), \(counts.fallbacks.counting("fallback"))"
                ))
        }
        if let mean = counts.meanTime {
            // The bound of a class of times may be above all of them.
            let most = counts.time95.flatMap { $0 < counts.longest ? "95 % below \($0.duration), " : nil } ?? ""
            rows.append(("time", "\(mean.duration) on average, \(most)at most \(counts.longest.duration)"))
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
        shadowed > 0 || !comparisons.isEmpty ? "\(shadowed.counting("device")); \(comparison.text())" : nil
    }

    private static let mostFunctions = 8

    /// The new devices of some hours, in at most 48 characters.
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
    /// The counts and the time.
    ///
    /// - Parameter causes: Why calls could not be compared.
    fileprivate func text(_ causes: [String] = []) -> String {
        let part = differing.value.map { "  \($0.percent) (\(differing.interval.text))" } ?? ""
        return
            (["\(differed.grouped) of \(differing.total.counting("compared call")) differed\(part)"]
            + (failed > 0 ? ["\(failed.counting("run")) failed"] : [])
            + (incomparable > 0
                ? [
                    "\(incomparable.counting("call")) could not be compared"
                        + (causes.isEmpty ? "" : " (\(causes.joined(separator: ", ")))")
                ] : [])
            + (nanoseconds > 0 ? meanTime.map { ["\($0.duration) on average"] } ?? [] : [])).joined(separator: ", ")
    }
}

extension FleetReport.Comparison {
    fileprivate var text: String {
        let known = reasons.prefix(5).map { "\($0.text) \($0.count.grouped)" }
        let others = reasons.dropFirst(5).reduce(otherReasons) { $0.addingOrMost($1.count) }
        return counts.text(reasons.isEmpty ? [] : known + (others > 0 ? ["other \(others.grouped)"] : []))
    }
}

extension FleetReport.Comparison.Example {
    /// `19.0 would be 20.0 (cart.lua:3)`.
    fileprivate var text: String {
        let file = place.file.map { file in " (\(file)\(place.line.map { ":\($0)" } ?? ""))" } ?? ""
        return "\(answer) would be \(result)\(file)"
    }
}

func hourText(_ hour: Int) -> String { Timestamp(secondsSince1970: hour * 3600)?.description ?? "" }
func minuteText(_ minute: Int) -> String { Timestamp(secondsSince1970: minute * 60)?.description ?? "" }

extension Int {
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

extension String {
    fileprivate func padded(to width: Int) -> String {
        count >= width ? self + " " : self + String(repeating: " ", count: width - count)
    }
}
