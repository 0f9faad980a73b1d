import PatchReport
import PatchText

// The charts of devices, each with one row for a patch, or for a fault.
extension HTMLChart {
    /// Lengths in the pictures.
    private enum RowLength {
        /// The free space at both sides of a row.
        static let margin = 12.0
        /// From the upper end of a picture to the base line of the first name.
        static let first = 14.0
        /// From the base line of a name to that of the next one. Between them are an interval; two bars and a line of
        /// text; or a bar.
        static let intervalRow = 40.0
        static let stageRow = 62.0
        static let faultRow = 34.0
        /// Between an interval or a bar and the next row. The last row has none.
        static let gap = 8.0
        /// The most that a character of a label takes.
        static let character = 9.0
        /// From the base line of a label to that of a label below it.
        static let label = 16.0
    }

    private static let mostFaults = 8

    /// The patches that devices have reported, with their places among all. Without a device there is no share.
    private var reported: [(offset: Int, element: FleetReport.Patch)] {
        Array(patches.enumerated()).filter { $0.element.devices > 0 }
    }

    // MARK: failures

    /// The share of devices on which each patch failed or was rolled back, with its interval.
    var failures: String? {
        let drawn = reported
        let shares = drawn.map { Share($0.element.affected, of: $0.element.devices) }
        guard let highest = shares.map(\.interval.upperBound).max() else { return nil }
        // The label of a gate is to the right of its line.
        let axis = ShareAxis(most: max(0.0001, highest, (bounds.last ?? 0) * 1.2))
        var body: [String] = []
        var summary: [String] = []
        var y = RowLength.first
        for ((index, patch), share) in zip(drawn, shares) {
            body.append(Self.text(patch.label, RowLength.margin, y, isName: true))
            body.append(interval(share, color: Self.color(index), axis, y + 14))
            summary.append("\(patch.label) \((share.value ?? 0).percent) (\(share.interval.text))")
            y += RowLength.intervalRow
        }
        let marks = marks(of: axis, bottom: y - RowLength.gap)
        return figure(
            "Devices on which it failed or was rolled back, of those that reported it", summary,
            height: marks.end, body + marks.elements)
    }

    private struct ShareAxis {
        let most: Double
        /// The room for a percentage, 70, is at its end.
        private let length = HTMLChart.width - 70 - RowLength.margin

        init(most: Double) { self.most = most }

        func x(_ share: Double) -> Double { RowLength.margin + length * share / most }
    }

    /// A point with a line from one end of the interval to the other.
    private func interval(_ share: Share, color: String, _ axis: ShareAxis, _ y: Double) -> String {
        let low = axis.x(share.interval.lowerBound).svg
        let high = axis.x(share.interval.upperBound).svg
        let part = share.value ?? 0
        let ends = [low, high].map { "M\($0) \((y - 5).svg)v10" }.joined()
        return """
            <g class="\(color)"><path class="ink" stroke-width="2" d="M\(low) \(y.svg)H\(high)\(ends)"/>\
            <circle class="fill" cx="\(axis.x(part).svg)" cy="\(y.svg)" r="5"/></g>\
            \(Self.text(part.percent, Self.width - 4, y + 4, anchor: .end))
            """
    }

    /// Lines at zero and at the bounds of gates. A label that would cover the one before it goes below it.
    private func marks(of axis: ShareAxis, bottom: Double) -> (elements: [String], end: Double) {
        var elements: [String] = []
        var previousEnd = -Double.infinity
        var row = 0.0
        var end = 0.0
        for (bound, name) in [(0, "0")] + bounds.map({ ($0, "gate \($0.percent)") }) {
            let x = axis.x(bound)
            row = x < previousEnd ? row + RowLength.label : 0
            previousEnd = x + Double(name.utf8.count) * RowLength.character
            let line = Self.path(bound > 0 ? "grid gate" : "grid", "M\(x.svg) 20V\(bottom.svg)")
            elements.append(line + Self.text(name, x, bottom + 14 + row))
            end = max(end, bottom + 18 + row)
        }
        return (elements, end)
    }

    // MARK: stages

    /// How many devices are in each stage of each patch.
    var stages: String? {
        guard !reported.isEmpty else { return nil }
        var body: [String] = []
        var summary: [String] = []
        var y = RowLength.first
        for (index, patch) in reported {
            let stages = patch.stages(color: Self.color(index))
            let counts = stages.map { ($0.count, $0.name) } + [(patch.failing, "with failed calls")]
            let text = counts.filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", ")
            body.append(Self.text(patch.label, RowLength.margin, y, isName: true))
            body += bars(of: patch, stages, y)
            body.append(Self.text(text.isEmpty ? "no stage reported" : text, RowLength.margin, y + 36))
            summary.append("\(patch.label): \(text)")
            y += RowLength.stageRow
        }
        return figure("Where devices are", summary, height: y - 10, body)
    }

    /// A bar for each stage, one after the other, and below them one for the devices on which calls failed.
    private func bars(of patch: FleetReport.Patch, _ stages: [FleetReport.Patch.StageCount], _ y: Double) -> [String] {
        let end = Self.width - RowLength.margin
        func length(_ count: Int) -> Double { (end - RowLength.margin) * Double(count) / Double(patch.devices) }
        var bars = [Self.path("grid", "M\(RowLength.margin.svg) \((y + 14).svg)H\(end.svg)")]
        var x = RowLength.margin
        for stage in stages where stage.count > 0 {
            // What devices report may be more than all of them.
            let length = min(end - x, length(stage.count))
            let title = "\(stage.name): \(stage.count.grouped)"
            bars.append(Self.bar(stage.style, x, y + 7, max(1, length), 14, title: title))
            x += length
        }
        if patch.failing > 0 {
            let length = min(end - RowLength.margin, length(patch.failing))
            let title = "its calls failed: \(patch.failing.grouped)"
            bars.append(Self.bar("bad", RowLength.margin, y + 18, max(1, length), 5, title: title))
        }
        return bars
    }

    // MARK: faults

    /// The most frequent faults.
    var faults: String? {
        var counts: [String: Int] = [:]
        for fault in patches.flatMap(\.faults) {
            let name = fault.code.isEmpty ? fault.event : "\(fault.event): \(fault.code)"
            counts[name, default: 0].addOrMost(fault.count)
        }
        let sorted = counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
            .prefix(Self.mostFaults)
        guard let most = sorted.first?.value else { return nil }
        let room = Self.width - 2 * RowLength.margin
        var body: [String] = []
        var y = RowLength.first
        for (name, count) in sorted {
            let length = room * Double(count) / Double(most)
            body.append(
                Self.text(name, RowLength.margin, y, isName: true)
                    + Self.text(count.grouped, Self.width - RowLength.margin, y, anchor: .end)
                    + Self.bar("bad", RowLength.margin, y + 6, max(1, length), 8))
            y += RowLength.faultRow
        }
        let summary = sorted.map { "\($0.key) \($0.value.grouped) times" }
        return figure("Faults", summary, height: y - RowLength.gap, body)
    }
}

extension FleetReport.Patch {
    fileprivate struct StageCount {
        let name: String
        let count: Int
        let style: String
    }

    /// How many devices are in each stage, in the order of the bars.
    fileprivate func stages(color: String) -> [StageCount] {
        // A patch is good on a device if the app starts with it. Its calls may still fail.
        let styles: [(FleetReport.Stage, String)] = [
            (.good, failing == 0 ? "good" : color), (.shadow, "rest"), (.trial, color), (.rolledBack, "bad"),
            (.refused, "rest"), (.over, "rest"), (.withdrawn, "rest"), (.none, "rest"),
        ]
        return styles.map { StageCount(name: $0.words, count: devices(in: $0), style: $1) }
    }
}
