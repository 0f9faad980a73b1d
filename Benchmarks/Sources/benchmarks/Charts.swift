import Foundation

/// Charts of a report as SVG, for light and dark pages.
struct Charts {
    let report: Report
    let isDark: Bool

    private var ink: String { isDark ? "#e6edf3" : "#1f2328" }
    private var faint: String { isDark ? "#3d444d" : "#d1d9e0" }
    private var paper: String { isDark ? "#0d1117" : "#ffffff" }
    private var good: String { isDark ? "#3fb950" : "#1a7f37" }
    private var bad: String { isDark ? "#f0883e" : "#bc4c00" }
    private var plain: String { isDark ? "#58a6ff" : "#0969da" }

    /// A bar for each ratio with a target, which is marked on it, on a logarithmic scale.
    var ratios: String {
        let rows = report.rows.compactMap { row -> (Row, Double, Double)? in
            guard let ratio = row.ratio else { return nil }
            switch row.target {
            case .ratio(let limit): return (row, ratio, limit)
            case .more, .atLeast, .most, nil: return nil
            }
        }
        let (left, width, height) = (480.0, 900.0, 24.0)
        let most = max(2, rows.map { max($0.1, $0.2) }.max() ?? 2)
        let least = min(0.5, rows.map { min($0.1, $0.2) }.min() ?? 0.5)
        func x(_ ratio: Double) -> Double {
            left + (width - left - 90) * (log(ratio) - log(least)) / (log(most) - log(least))
        }
        var body = ""
        for (index, (row, ratio, limit)) in rows.enumerated() {
            let y = 40 + height * Double(index)
            let colour = row.isReached == true ? good : bad
            let (from, to) = (min(x(1), x(ratio)), max(x(1), x(ratio)))
            body += text(left - 8, y + 15, "\(row.work): \(row.way)", "end")
            body +=
                "<rect x=\"\(n(from))\" y=\"\(n(y + 4))\" width=\"\(n(max(1, to - from)))\" height=\"14\" fill=\"\(colour)\"/>\n"
            body += line(x(limit), y + 1, x(limit), y + 21, ink, 2)
            body += text(max(to, x(limit)) + 6, y + 15, String(format: "%.2f x", ratio), "start")
        }
        let bottom = 40 + height * Double(rows.count)
        body += line(x(1), 34, x(1), bottom, ink, 1)
        body += text(x(1), 26, "1 x", "middle")
        return page(width, bottom + 20, "Cost against the baseline; the tick is the target", body)
    }

    /// The cost of packing and verifying by size, on logarithmic axes.
    var sizes: String {
        let sizes = [("4 KiB", 4.0 * 1024), ("64 KiB", 65536), ("1 MiB", 1_048_576), ("16 MiB", 16_777_216)]
        var lines: [(String, String, [(Double, Double)])] = []
        for (verb, colour) in [("pack", plain), ("verify", good)] {
            for way in ["C", "patchpack"] {
                let points = sizes.compactMap { title, size in
                    report.rows.first { $0.work == "\(verb) \(title) in process, signed with Ed25519" && $0.way == way }
                        .map {
                            (size, $0.median)
                        }
                }
                if !points.isEmpty { lines.append(("\(verb), \(way)", colour, points)) }
            }
        }
        let (width, height) = (720.0, 420.0)
        func x(_ size: Double) -> Double { 80 + (width - 240) * log(size / 4096) / log(4096) }
        func y(_ time: Double) -> Double { height - 50 - (height - 100) * (log10(time) - 4.5) / 4.5 }
        var body = ""
        for (title, size) in sizes {
            body += line(x(size), 50, x(size), height - 50, faint, 1) + text(x(size), height - 32, title, "middle")
        }
        for (title, time) in [("100 µs", 1e5), ("1 ms", 1e6), ("10 ms", 1e7), ("100 ms", 1e8)] {
            body += line(80, y(time), width - 160, y(time), faint, 1) + text(74, y(time) + 4, title, "end")
        }
        for (name, colour, points) in lines {
            let path = points.map { "\(n(x($0.0))),\(n(y($0.1)))" }.joined(separator: " ")
            let dashes = name.hasSuffix("C") ? " stroke-dasharray=\"5 4\"" : ""
            body += "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"\(dashes)/>\n"
        }
        for (index, (name, colour, _)) in lines.enumerated() {
            let top = 70 + 20 * Double(index)
            let dashes = name.hasSuffix("C") ? " stroke-dasharray=\"5 4\"" : ""
            body +=
                "<path d=\"M\(n(width - 150)) \(n(top - 4))h24\" stroke=\"\(colour)\" stroke-width=\"2\"\(dashes)/>\n"
            body += text(width - 120, top, name, "start")
        }
        return page(width, height, "Time for one envelope by its script's size", body)
    }

    private func page(_ width: Double, _ height: Double, _ title: String, _ body: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(n(width)) \(n(height))" width="\(n(width))" \
        height="\(n(height))" font-family="system-ui, sans-serif" font-size="12" fill="\(ink)">
        <rect width="100%" height="100%" fill="\(paper)"/>
        <text x="12" y="18" font-weight="bold">\(title)</text>
        \(body)</svg>

        """
    }

    private func n(_ value: Double) -> String { String(format: "%.1f", value) }

    private func text(_ x: Double, _ y: Double, _ text: String, _ anchor: String) -> String {
        "<text x=\"\(n(x))\" y=\"\(n(y))\" text-anchor=\"\(anchor)\">\(text)</text>\n"
    }

    private func line(_ x: Double, _ y: Double, _ endX: Double, _ endY: Double, _ colour: String, _ width: Int)
        -> String
    {
        "<path d=\"M\(n(x)) \(n(y))L\(n(endX)) \(n(endY))\" stroke=\"\(colour)\" stroke-width=\"\(width)\"/>\n"
    }
}
