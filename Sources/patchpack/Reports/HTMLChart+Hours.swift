import PatchReport
import PatchText

// The charts of what happened hour by hour.
extension HTMLChart {
    /// The axes of counts by hours.
    private struct Axes {
        /// In hours since 1970.
        let first: Int
        let last: Int
        /// The largest count.
        let most: Int
        let bottom: Double
        let top = 10.0
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
                    + HTMLChart.text(count.grouped, left - 6, y(count) + 4, anchor: .end)
            }
            return lines + [
                HTMLChart.text(hourText(first).prefix(16), left, bottom + 18),
                HTMLChart.text(hourText(last).prefix(16), right, bottom + 18, anchor: .end),
            ]
        }
    }

    /// The first hour that is drawn; nil if no device has a time.
    private var first: Int? { patches.compactMap(\.beginning?.hour).min() }

    /// How many devices had heard of each patch, hour by hour.
    var adoption: String? {
        let known = patches.flatMap(\.hours).filter { $0.newDevices > 0 }.map(\.hour)
        guard let first, let last = known.max() else { return nil }
        let most = patches.map { patch in patch.hours.reduce(0) { $0 + $1.newDevices } }.max() ?? 0
        let axes = Axes(first: first, last: last, most: most, bottom: 190)
        let curves = patches.enumerated().compactMap { index, patch in
            curve(of: patch, axes).map { Self.path("curve ink c\(Self.color(index))", $0) }
        }
        let legend = legend(axes, below: axes.bottom + 42)
        let summary = patches.map { "\($0.label) reached \($0.devices.grouped) devices" }
        return figure(
            "Adoption", summary, height: legend.end - 6, axes.elements([0, most / 2, most]) + curves + legend.elements)
    }

    /// The steps of a curve that rises with each hour's new devices; nil if there are none.
    private func curve(of patch: FleetReport.Patch, _ axes: Axes) -> String? {
        var count = 0
        var steps = ""
        for hour in patch.hours where hour.newDevices > 0 {
            let before = count
            count += hour.newDevices
            guard hour.hour >= axes.first else { continue }
            let x = axes.x(hour.hour).svg
            steps += steps.isEmpty ? "M\(x) \(axes.y(before).svg)" : "H\(x)"
            steps += "V\(axes.y(count).svg)"
        }
        return steps.isEmpty ? nil : steps + "H\(axes.right.svg)"
    }

    /// The names of the patches, one below the other, and the devices that the curves begin with.
    private func legend(_ axes: Axes, below top: Double) -> (elements: [String], end: Double) {
        var elements: [String] = []
        var y = top
        for (index, patch) in patches.enumerated() {
            let name = Self.text(patch.label, axes.left + 16, y, isName: true)
            elements.append(Self.bar("c\(Self.color(index))", axes.left, y - 9, 10, 10) + name)
            y += 18
        }
        let before = patches.reduce(0) { sum, patch in
            patch.hours.prefix { $0.hour < axes.first }.reduce(sum) { $0.addingOrMost($1.newDevices) }
        }
        if before > 0 {
            let text = "\(before.counting("device")) before, by clocks that may be wrong"
            elements.append(Self.text(text, axes.left, y))
            y += 18
        }
        return (elements, y)
    }

    /// How often each patch failed or was rolled back, hour by hour.
    var trouble: String? {
        let known = patches.flatMap(\.hours).filter { $0.newDevices > 0 || $0.troubles > 0 }.map(\.hour)
        guard let first = first ?? known.min(), let last = known.max() else { return nil }
        let hours = patches.map { $0.hours.filter { $0.hour >= first && $0.troubles > 0 } }
        let most = hours.joined().map(\.troubles).max() ?? 0
        guard most > 0 else { return nil }
        let axes = Axes(first: first, last: last, most: most, bottom: 120)
        // In each hour the bars of the patches are side by side.
        let room = (axes.right - axes.left) / Double(last - first + 1) / Double(patches.count)
        let width = max(1, min(12, room))
        let bars = hours.enumerated().flatMap { index, hours in
            hours.map { hour in
                let x = axes.x(hour.hour, width: width * Double(patches.count)) + width * Double(index)
                let height = max(1, axes.height(hour.troubles))
                return Self.bar("c\(Self.color(index))", x, axes.bottom - height, width, height)
            }
        }
        let summary = zip(patches, hours).map { patch, hours in
            "\(patch.label) \(hours.reduce(0) { $0.addingOrMost($1.troubles) }.grouped) times"
        }
        return figure("Failures and roll-backs in each hour", summary, height: 146, axes.elements([0, most]) + bars)
    }
}

extension FleetReport.Hour {
    fileprivate var troubles: Int { failed.addingOrMost(rolledBack) }
}
