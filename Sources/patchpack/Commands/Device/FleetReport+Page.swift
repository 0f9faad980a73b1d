import PatchCrypto
import PatchFeed
import PatchPublishing
import PatchReport
import PatchText

extension FleetReport {
    /// The report as one page of HTML, with the state of the feed that lists the patches.
    func page(_ gates: [ReportGateResult], of feed: FeedRepository?, at made: Timestamp) -> String {
        let patches = worstFirst(gates)
        let sections = patches.prefix(Self.mostDetailed).enumerated().map { index, patch in
            let color = HTMLChart.color(index)
            return """
                <section>
                <h2>\(patch.id.html) <b class="c\(color)">\(patch.version)</b></h2>
                <table>
                \(patch.rows(of: devices).filter { $0.name != "new devices" }.map { "<tr><th scope=\"row\">\($0.name.html)</th><td>\($0.value.html)</td></tr>" }.joined(separator: "\n"))
                </table>
                </section>
                """
        }
        let rest = patches.dropFirst(Self.mostDetailed).map {
            "<tr><th scope=\"row\">\($0.label.html)</th><td>\($0.brief.html)</td></tr>"
        }
        let (undecided, passed) = (gates.with(.undecided), gates.with(.passed))
        let others = (undecided + passed).map(\.item)
        // Gates that need no action must not push the others out of sight.
        let isShort = others.count <= Self.mostItems
        let title = "\(undecided.count.grouped) gates undecided, \(passed.count.grouped) passed"
        // The troubles of devices as such are items of the list, too. They are not verdicts.
        let items =
            gates.with(.crossed).map(\.item)
            + deviceRows.map { "<li class=\"undecided\"><b>\($0.name.html)</b> \($0.value.html)</li>" }
        return HTMLPage.text(
            title: "Patches on \(devices.grouped) devices",
            lead: "Made \(made.description). \(summary)\(overview(gates).map { "; \($0)" } ?? "")",
            body: """
                \(feed?.section(at: made) ?? "")
                \(ReportGateResult.list(items + (isShort ? others : [])))
                <div class="charts">
                \(HTMLChart(patches, gates.map(\.gate)).figures.joined(separator: "\n"))
                </div>
                \(isShort ? "" : Self.folded(title, ReportGateResult.list(others)))
                \(sections.joined(separator: "\n"))
                \(rest.isEmpty ? "" : Self.folded("\(rest.count.grouped) more", "<table>\n\(rest.joined(separator: "\n"))\n</table>"))
                """)
    }

    /// The most gates that are shown above the charts in addition to the crossed ones.
    private static let mostItems = 10

    /// A part of a page, in HTML, that the reader can open. Its title is plain text.
    private static func folded(_ summary: String, _ body: String) -> String {
        "<details>\n<summary>\(summary.html)</summary>\n\(body)\n</details>"
    }
}

extension FeedRepository {
    /// What `feed status` shows, as HTML.
    func section(at now: Timestamp) -> String {
        let stop = list.isEnabled ? [] : ["All patches are switched off\(list.stop?.text(at: now) ?? "")."]
        let faults = faults(at: now).map { "Devices refuse this feed: \($0.text(at: now))." }
        let lines = overview(at: now, most: .max).dropFirst(stop.count).map { line in
            let style = line.style == .good ? "good" : line.style == .bad ? "bad" : "rest"
            return "<li><b class=\"\(style)\">\(line.word.html)</b>\(line.text.html)</li>"
        }
        let ends = roles(at: now).map { "\($0.role) \(max(0, $0.days).counting("day"))" }.joined(separator: ", ")
        return """
            <section>
            \((stop + faults).map { "<p class=\"off\" role=\"alert\">\($0.html)</p>" }.joined(separator: "\n"))
            <ul class="feed">
            \(lines.joined(separator: "\n"))
            </ul>
            <p>Signatures last: \(ends).</p>
            </section>
            """
    }
}

extension ReportGateResult {
    fileprivate var item: String {
        "<li class=\"\(verdict.rawValue)\"><b>\(verdict.rawValue)</b> <code>\(gate.text.html)</code> \(name.html): \(reason.html)</li>"
    }

    /// A list of such items, and of other items of the same form; empty if there are none.
    fileprivate static func list(_ items: [String]) -> String {
        items.isEmpty ? "" : "<ul class=\"gates\">\n\(items.joined(separator: "\n"))\n</ul>"
    }
}

/// The charts of a report, as SVG inside HTML. Each has a title for readers who cannot see it.
private struct HTMLChart {
    private let patches: [FleetReport.Patch]
    private let all: Int
    /// The bounds of gates on a share of the devices, which are drawn as lines.
    private let bounds: [Double]
    private let width = 520.0

    /// - Parameter patches: Only the first six are drawn, because there are no more colours.
    init(_ patches: [FleetReport.Patch], _ gates: [ReportGate]) {
        self.patches = Array(patches.prefix(Self.colors))
        all = patches.count
        let drawn = gates.filter {
            !$0.isRelative && !$0.isExact && ($0.measure == .failing || $0.measure == .rolledBack)
        }
        bounds = Set(drawn.map(\.bound)).sorted()
    }

    static func color(_ index: Int) -> Int { index % colors }
    private static let colors = 6

    var figures: [String] { [adoption, failures, stages, trouble, codes].compactMap(\.self) }

    private func figure(_ caption: String, _ summary: String, height: Double, _ body: [String]) -> String {
        let caption = caption + (all > patches.count ? " (\(patches.count) of \(all.grouped) patches)" : "")
        return """
            <figure>
            <figcaption>\(caption.html)</figcaption>
            <svg viewBox="0 0 \(width.svg) \(height.svg)" role="img" aria-label="\(caption.html): \(summary.html)">
            \(body.joined(separator: "\n"))
            </svg>
            </figure>
            """
    }

    private func text(
        _ text: some StringProtocol, _ x: some Coordinate, _ y: some Coordinate, isName: Bool = false,
        isEnd: Bool = false
    ) -> String {
        let (style, anchor) = (isName ? " class=\"name\"" : "", isEnd ? " text-anchor=\"end\"" : "")
        return "<text\(style) x=\"\(x.svg)\" y=\"\(y.svg)\"\(anchor)>\(text.html)</text>"
    }

    private func bar(
        _ style: String, _ x: some Coordinate, _ y: some Coordinate, _ width: some Coordinate,
        _ height: some Coordinate, title: String? = nil
    ) -> String {
        let end = title.map { "><title>\($0.html)</title></rect>" } ?? "/>"
        return
            "<rect class=\"fill \(style)\" x=\"\(x.svg)\" y=\"\(y.svg)\" width=\"\(width.svg)\" height=\"\(height.svg)\"\(end)"
    }

    // The charts of hours have the same left and right end.
    private let left = 56.0
    private var right: Double { width - 8 }

    private func grid(_ y: Double, _ count: Int, labelBelow: Double = 0) -> String {
        "<path class=\"grid\" d=\"M\(left.svg) \(y.svg)H\(right.svg)\"/>"
            + text(count.grouped, left - 6, y + labelBelow, isEnd: true)
    }

    private func hours(_ first: Int, _ last: Int, _ y: Int) -> [String] {
        [text(hourText(first).prefix(16), left, y), text(hourText(last).prefix(16), right, y, isEnd: true)]
    }

    /// How many devices had heard of each patch, hour by hour.
    private var adoption: String? {
        let known = patches.flatMap(\.hours).filter { $0.newDevices > 0 }.map(\.hour)
        guard let first, let last = known.max() else { return nil }
        let most = patches.map { patch in patch.hours.reduce(0) { $0 + $1.newDevices } }.max() ?? 0
        let (top, bottom) = (10.0, 190.0)
        func x(_ hour: Int) -> Double {
            left + (right - left) * Double(hour - first) / Double(max(1, last - first))
        }
        func y(_ count: Int) -> Double { bottom - (bottom - top) * Double(count) / Double(most) }
        var body = [0, most / 2, most].map { grid(y($0), $0, labelBelow: 4) }
        for (index, patch) in patches.enumerated() {
            var count = 0
            var path = ""
            for hour in patch.hours where hour.newDevices > 0 {
                count += hour.newDevices
                guard hour.hour >= first else { continue }
                let start = y(count - hour.newDevices)
                path += path.isEmpty ? "M\(x(hour.hour).svg) \(start.svg)" : "H\(x(hour.hour).svg)"
                path += "V\(y(count).svg)"
            }
            guard !path.isEmpty else { continue }
            body.append("<path class=\"curve ink c\(Self.color(index))\" d=\"\(path)H\(right.svg)\"/>")
        }
        body += hours(first, last, 208)
        var place = 232.0
        for (index, patch) in patches.enumerated() {
            body.append(
                bar("c\(Self.color(index))", left, place - 9, 10, 10)
                    + text(patch.label, left + 16, place, isName: true))
            place += 18
        }
        let before = patches.reduce(0) { sum, patch in
            patch.hours.prefix { $0.hour < first }.reduce(sum) { $0.addingOrMost($1.newDevices) }
        }
        if before > 0 {
            body.append(text("\(before.counting("device")) before, by clocks that may be wrong", left, place))
            place += 18
        }
        let summary = patches.map { "\($0.label) reached \($0.devices.grouped) devices" }.joined(separator: ", ")
        return figure("Adoption", summary, height: place - 6, body)
    }

    /// The first hour that is drawn; nil if no device has a time.
    private var first: Int? { patches.compactMap(\.beginning?.hour).min() }

    /// How often each patch failed or was rolled back, hour by hour.
    private var trouble: String? {
        let known = patches.flatMap(\.hours).filter { $0.newDevices > 0 || $0.failed > 0 || $0.rolledBack > 0 }.map(
            \.hour)
        guard let first = first ?? known.min(), let last = known.max() else { return nil }
        let counts = patches.map { patch in
            patch.hours.filter { $0.hour >= first && ($0.failed > 0 || $0.rolledBack > 0) }.map {
                ($0.hour, $0.failed.addingOrMost($0.rolledBack))
            }
        }
        let most = counts.flatMap { $0 }.map(\.1).max() ?? 0
        guard most > 0 else { return nil }
        let (top, bottom) = (10.0, 120.0)
        let thickness = max(1, min(12, (right - left) / Double(last - first + 1) / Double(patches.count)))
        func height(_ count: Int) -> Double { (bottom - top) * Double(count) / Double(most) }
        var body = [0, most].map { grid(bottom - height($0), $0) }
        for (index, counts) in counts.enumerated() {
            for (hour, count) in counts {
                let x =
                    left + (right - left - thickness * Double(patches.count)) * Double(hour - first)
                    / Double(max(1, last - first)) + thickness * Double(index)
                let height = max(1, height(count))
                body.append(bar("c\(Self.color(index))", x, bottom - height, thickness, height))
            }
        }
        body += hours(first, last, 138)
        let summary = zip(patches, counts).map { patch, counts in
            "\(patch.label) \(counts.reduce(0) { $0.addingOrMost($1.1) }.grouped) times"
        }
        return figure("Failures and roll-backs in each hour", summary.joined(separator: ", "), height: 146, body)
    }

    /// The share of devices on which each patch failed or was rolled back, with its interval.
    private var failures: String? {
        let shares = patches.map { Share($0.affected, of: $0.devices) }
        guard !shares.isEmpty else { return nil }
        let most = max(0.0001, shares.map(\.interval.upperBound).max() ?? 1, (bounds.last ?? 0) * 1.2)
        let (left, right) = (12.0, width - 70)
        func x(_ part: Double) -> Double { left + (right - left) * part / most }
        var body: [String] = []
        var (y, height) = (14.0, 0.0)
        for (index, (patch, share)) in zip(patches, shares).enumerated() {
            let (low, high) = (x(share.interval.lowerBound), x(share.interval.upperBound))
            let (center, part) = (y + 14, share.value ?? 0)
            let ends = [low, high].map { "M\($0.svg) \((y + 9).svg)v10" }.joined()
            body += [
                text(patch.label, left, y, isName: true),
                "<g class=\"c\(Self.color(index))\"><path class=\"ink\" stroke-width=\"2\" d=\"M\(low.svg) \(center.svg)H\(high.svg)\(ends)\"/><circle class=\"fill\" cx=\"\(x(part).svg)\" cy=\"\(center.svg)\" r=\"5\"/></g>"
                    + text(part.percent, width - 4, y + 18, isEnd: true),
            ]
            y += 40
        }
        // A label that would cover the one before it goes below it.
        var (end, row) = (-Double.infinity, 0.0)
        for (mark, name) in [(0, "0")] + bounds.map({ ($0, "gate \($0.percent)") }) {
            row = x(mark) < end ? row + 16 : 0
            end = x(mark) + Double(name.utf8.count) * 9
            let line = "<path class=\"grid\(mark > 0 ? " gate" : "")\" d=\"M\(x(mark).svg) 20V\((y - 8).svg)\"/>"
            body.append(line + text(name, x(mark), y + 6 + row))
            height = max(height, y + 10 + row)
        }
        let summary = zip(patches, shares).map { "\($0.label) \(($1.value ?? 0).percent), between \($1.interval.text)" }
        return figure(
            "Devices on which it failed or was rolled back, of those that reported it", summary.joined(separator: "; "),
            height: height, body)
    }

    /// How many devices are in each stage of each patch.
    private var stages: String? {
        guard patches.contains(where: { $0.devices > 0 }) else { return nil }
        var body: [String] = []
        var y = 14.0
        var summary: [String] = []
        for (index, patch) in patches.enumerated() where patch.devices > 0 {
            let parts: [(name: String, count: Int, style: String)] = [
                // A patch is good on a device if the app starts with it. Its calls may still fail.
                ("good", patch.good, patch.failing == 0 ? "good" : "c\(Self.color(index))"),
                ("in shadow", patch.inShadow, "rest"), ("on trial", patch.trial, "c\(Self.color(index))"),
                ("rolled back", patch.lastRolledBack, "bad"), ("refused", patch.lastRefused, "rest"),
                ("over", patch.over, "rest"), ("withdrawn", patch.withdrawn, "rest"),
                ("in none of these", patch.inNoStage, "rest"),
            ]
            func length(_ count: Int) -> Double { (width - 24) * Double(count) / Double(patch.devices) }
            body.append(text(patch.label, 12, y, isName: true))
            var x = 12.0
            body.append("<path class=\"grid\" d=\"M12 \((y + 14).svg)H\((width - 12).svg)\"/>")
            for part in parts where part.count > 0 {
                let length = min(width - 12 - x, length(part.count))
                let title = "\(part.name): \(part.count.grouped)"
                body.append(bar(part.style, x, y + 7, max(1, length), 14, title: title))
                x += length
            }
            if patch.failing > 0 {
                let length = min(width - 24, length(patch.failing))
                let title = "its calls failed: \(patch.failing.grouped)"
                body.append(bar("bad", 12, y + 18, max(1, length), 5, title: title))
            }
            let counts = (parts.map { ($0.count, $0.name) } + [(patch.failing, "with failed calls")])
                .filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", ")
            body.append(text(counts.isEmpty ? "no stage reported" : counts, 12, y + 36))
            summary.append("\(patch.label): \(counts)")
            y += 62
        }
        return figure("Where devices are", summary.joined(separator: "; "), height: y - 10, body)
    }

    private var codes: String? {
        var counts: [String: Int] = [:]
        for fault in patches.flatMap(\.faults) {
            let name = fault.code.isEmpty ? fault.event : "\(fault.event): \(fault.code)"
            counts[name, default: 0].addOrMost(fault.count)
        }
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8)
        guard let most = sorted.first?.value else { return nil }
        var body: [String] = []
        var y = 14.0
        for (name, count) in sorted {
            let length = (width - 24) * Double(count) / Double(most)
            let labels = text(name, 12, y, isName: true) + text(count.grouped, width - 12, y, isEnd: true)
            body.append(labels + bar("bad", 12, y + 6, max(1, length), 8))
            y += 34
        }
        let summary = sorted.map { "\($0.key) \($0.value.grouped) times" }.joined(separator: ", ")
        return figure("Faults", summary, height: y - 8, body)
    }
}

private protocol Coordinate {
    var svg: String { get }
}

extension Int: Coordinate {
    fileprivate var svg: String { "\(self)" }
}

extension Double: Coordinate {
    fileprivate var svg: String { decimal(self, digits: 1) }
}
