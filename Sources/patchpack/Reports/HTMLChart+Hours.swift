import PatchReport
import PatchText

// The charts of what happened hour by hour.
extension HTMLChart {
    /// Lengths in the pictures.
    private enum Length {
        /// From one base line of text to the next one.
        static let line = 18.0
        /// From a base line to the lower end of a picture.
        static let belowText = 8.0
        /// Between a text and what it is beside or below.
        static let gap = 6.0
        /// The side of the square before a name.
        static let square = 10.0
        /// From the upper side of the square to the base line of the name.
        static let squareHeight = 9.0
        /// From the axis of hours to the base line of the first name.
        static let legend = 42.0
        /// From the upper end of a picture to the axis of hours.
        static let adoption = 190.0
        static let trouble = 120.0
        /// The most that the bar of a patch takes of its hour.
        static let widestBar = 12.0
    }

    /// How much of a moment is written: the day, the hour and the minute.
    private static let hourLength = "2026-11-22T11:00".count

    /// The axes of counts by hours.
    private struct Axes {
        /// In hours since 1970.
        let first: Int
        let last: Int
        /// The largest count.
        let most: Int
        let bottom: Double
        let top = 10.0
        /// The counts are to the left of it.
        let left = 56.0
        let right = HTMLChart.width - 8

        func height(_ count: Int) -> Double { (bottom - top) * Double(count) / Double(most) }

        /// - Parameter width: The width of what is drawn there.
        func x(_ hour: Int, width: Double = 0) -> Double {
            left + (right - left - width) * Double(hour - first) / Double(max(1, last - first))
        }

        func y(_ count: Int) -> Double { bottom - height(count) }

        /// Lines at some counts, and the first and the last hour.
        func elements(_ counts: [Int]) -> [String] {
            let lines = counts.map { count in
                HTMLChart.path("grid", "M\(left.svg) \(y(count).svg)H\(right.svg)")
                    + HTMLChart.text(count.grouped, left - Length.gap, y(count) + 4, anchor: .end)
            }
            let below = bottom + Length.line
            return lines + [
                HTMLChart.text(hourText(first).prefix(HTMLChart.hourLength), left, below),
                HTMLChart.text(hourText(last).prefix(HTMLChart.hourLength), right, below, anchor: .end),
            ]
        }
    }

    /// The first hour that is drawn; nil if no device has a time.
    private var first: Int? { patches.compactMap(\.beginning?.hour).min() }

    /// How many devices had heard of each patch, hour by hour.
    var adoption: String? {
        let known = patches.flatMap(\.hours).filter { $0.newDevices > 0 }.map(\.hour)
        guard let first, let last = known.max() else { return nil }
        let most = patches.map { patch in patch.hours.reduce(0) { $0.addingOrMost($1.newDevices) } }.max() ?? 0
        let axes = Axes(first: first, last: last, most: most, bottom: Length.adoption)
        let curves = patches.enumerated().compactMap { index, patch in
            curve(of: patch, axes).map { Self.path("curve ink \(Self.color(index))", $0) }
        }
        let legend = legend(axes, below: axes.bottom + Length.legend)
        let summary = patches.map { "\($0.label) reached \($0.devices.grouped) devices" }
        let counts = most > 1 ? [0, most / 2, most] : [0, most]
        return figure(
            "Adoption", summary, height: legend.end - Length.gap, axes.elements(counts) + curves + legend.elements)
    }

    /// The steps of a curve that rises with each hour's new devices; nil if there are none.
    private func curve(of patch: FleetReport.Patch, _ axes: Axes) -> String? {
        var count = 0
        var steps = ""
        for hour in patch.hours where hour.newDevices > 0 {
            let before = count
            count.addOrMost(hour.newDevices)
            guard hour.hour >= axes.first else { continue }
            let x = axes.x(hour.hour).svg
            steps += steps.isEmpty ? "M\(x) \(axes.y(before).svg)" : "H\(x)"
            steps += "V\(axes.y(count).svg)"
        }
        return steps.isEmpty ? nil : steps + "H\(axes.right.svg)"
    }

    /// The key of the colours.
    private struct Legend {
        var elements: [String] = []
        /// The base line of a text below it.
        var end: Double
    }

    /// The names of the patches, one below the other, each with the devices that its curve begins with.
    private func legend(_ axes: Axes, below top: Double) -> Legend {
        var legend = Legend(end: top)
        let left = axes.left + Length.square + Length.gap
        for (index, patch) in patches.enumerated() {
            let y = legend.end
            let square = Self.bar(
                Self.color(index), axes.left, y - Length.squareHeight, Length.square, Length.square)
            legend.elements.append(square + Self.text(patch.label, left, y, isName: true))
            legend.end += Length.line
            let before = patch.hours.prefix { $0.hour < axes.first }.reduce(0) { $0.addingOrMost($1.newDevices) }
            guard before > 0 else { continue }
            let text = "\(before.counting("device")) before, by clocks that may be wrong"
            legend.elements.append(Self.text(text, left, legend.end))
            legend.end += Length.line
        }
        return legend
    }

    /// How often each patch failed or was rolled back, hour by hour.
    var trouble: String? {
        let known = patches.flatMap(\.hours).filter { $0.newDevices > 0 || $0.troubles > 0 }.map(\.hour)
        guard let first = first ?? known.min(), let last = known.max() else { return nil }
        let hours = patches.map { $0.hours.filter { $0.hour >= first && $0.troubles > 0 } }
        let most = hours.joined().map(\.troubles).max() ?? 0
        guard most > 0 else { return nil }
        let axes = Axes(first: first, last: last, most: most, bottom: Length.trouble)
        // In each hour the bars of the patches are side by side.
        let room = (axes.right - axes.left) / Double(last - first + 1) / Double(patches.count)
        let width = max(1, min(Length.widestBar, room))
        let bars = hours.enumerated().flatMap { index, hours in
            hours.map { hour in
                let x = axes.x(hour.hour, width: width * Double(patches.count)) + width * Double(index)
                let height = max(1, axes.height(hour.troubles))
                return Self.bar(Self.color(index), x, axes.bottom - height, width, height)
            }
        }
        let summary = zip(patches, hours).map { patch, hours in
            "\(patch.label) \(hours.reduce(0) { $0.addingOrMost($1.troubles) }.grouped) times"
        }
        return figure(
            "Failures and roll-backs in each hour", summary, height: axes.bottom + Length.line + Length.belowText,
            axes.elements([0, most]) + bars)
    }
}

extension FleetReport.Hour {
    fileprivate var troubles: Int { failed.addingOrMost(rolledBack) }
}
