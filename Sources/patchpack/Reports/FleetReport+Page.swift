import PatchCrypto
import PatchReport

extension FleetReport {
    /// The report as one page of HTML. It needs nothing else: no script, no font, no picture.
    func page(_ gates: [ReportGateResult], at made: Timestamp) -> String {
        let sections = patches.enumerated().map { index, patch in
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
        let verdicts = gates.map { gate in
            "<li class=\"\(gate.verdict.rawValue)\"><b>\(gate.verdict.rawValue)</b> <code>\(gate.gate.text.html)</code> \(gate.patch.html): \(gate.reason.html)</li>"
        }
        let charts = HTMLChart(patches).figures
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>Patches on \(devices.grouped) devices</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <header>
            <h1>Patches on \(devices.grouped) devices</h1>
            <p>Made \(made.description). \(summary.html)</p>
            </header>
            <main>
            \(verdicts.isEmpty ? "" : "<ul class=\"gates\">\n\(verdicts.joined(separator: "\n"))\n</ul>")
            <div class="charts">
            \(charts.joined(separator: "\n"))
            </div>
            \(sections.joined(separator: "\n"))
            </main>
            </body>
            </html>

            """
    }

    private static let style = """
        :root { color-scheme: light dark; --text: #1d2129; --faint: #5d6673; --line: #d8dce2; --back: #fff; --card: #f6f7f9;
          --good: #1a7f37; --bad: #c62828; --c0: #2862c9; --c1: #b3510b; --c2: #7b3fc4; --c3: #0d7d74; --c4: #b0307c; --c5: #6b6f00; }
        @media (prefers-color-scheme: dark) { :root { --text: #e8eaee; --faint: #9aa4b2; --line: #39404a; --back: #15181d; --card: #1d2127;
          --good: #57c173; --bad: #ff7b72; --c0: #7aa7ff; --c1: #f0a35e; --c2: #bf9cff; --c3: #4fc9bd; --c4: #f58cc5; --c5: #c9cc4e; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
        h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.15rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
        header p { color: var(--faint); margin: .25rem 0 1.25rem; }
        .gates { list-style: none; padding: 0; margin: 0 0 1.25rem; } .gates li { color: var(--text); padding: .5rem .75rem; border-left: .3rem solid; margin-bottom: .4rem; background: var(--card); overflow-wrap: anywhere; }
        .gates .passed { border-color: var(--good); } .gates .passed b { color: var(--good); }
        .gates .crossed { border-color: var(--bad); } .gates .crossed b { color: var(--bad); } .gates .undecided { border-color: var(--faint); }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; }
        figure, section { margin: 0; padding: 1rem; background: var(--card); border-radius: .5rem; break-inside: avoid; }
        section { margin-top: 1rem; } figcaption { font-weight: 600; margin-bottom: .5rem; }
        svg { width: 100%; height: auto; display: block; font: 12px system-ui, sans-serif; }
        svg text { fill: var(--faint); } svg .name { fill: var(--text); } .grid { stroke: var(--line); stroke-width: 1; }
        .curve { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
        .c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); } .c4 { color: var(--c4); } .c5 { color: var(--c5); }
        .ink { stroke: currentColor; } .fill { fill: currentColor; } .bad { color: var(--bad); } .good { color: var(--good); } .rest { color: var(--faint); }
        table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 400; color: var(--faint); vertical-align: top; width: 9rem; padding: .1rem 1rem .1rem 0; }
        td { overflow-wrap: anywhere; white-space: pre-wrap; padding: .1rem 0; font-variant-numeric: tabular-nums; }
        @media (max-width: 40rem) { svg { font-size: 15px; } }
        @media print { body { max-width: none; padding: 0; font-size: 11px; } .charts { grid-template-columns: 1fr 1fr; } figure, section { background: none; border: 1px solid var(--line); } }
        """
}

/// The charts of a report, as SVG inside HTML. Each has a title for readers who cannot see it.
struct HTMLChart {
    private let patches: [FleetReport.Patch]
    private let width = 520.0

    /// - Parameter patches: The patches. The first twelve are drawn.
    init(_ patches: [FleetReport.Patch]) { self.patches = Array(patches.prefix(12)) }

    /// The class of the colour of a patch.
    static func color(_ index: Int) -> Int { index % 6 }

    var figures: [String] { [adoption, failures, stages, codes].compactMap(\.self) }

    private func figure(_ caption: String, _ summary: String, height: Double, _ body: [String]) -> String {
        """
        <figure>
        <figcaption>\(caption.html)</figcaption>
        <svg viewBox="0 0 \(number(width)) \(number(height))" role="img" aria-label="\(caption.html): \(summary.html)">
        \(body.joined(separator: "\n"))
        </svg>
        </figure>
        """
    }

    /// How many devices had heard of each patch, hour after hour.
    private var adoption: String? {
        let hours = patches.flatMap(\.hours).filter { $0.newDevices > 0 }.map(\.hour)
        guard let first = hours.min(), let last = hours.max() else { return nil }
        let most = patches.map { patch in patch.hours.reduce(0) { $0 + $1.newDevices } }.max() ?? 0
        guard most > 0 else { return nil }
        let (left, right, top, bottom) = (56.0, width - 8, 10.0, 190.0)
        func x(_ hour: Int) -> Double {
            left + (right - left) * Double(hour - first) / Double(max(1, last - first))
        }
        func y(_ count: Int) -> Double { bottom - (bottom - top) * Double(count) / Double(most) }
        var body = [0, 0.5, 1].map { part -> String in
            let count = Int(Double(most) * part)
            return
                "<path class=\"grid\" d=\"M\(number(left)) \(number(y(count)))H\(number(right))\"/><text x=\"\(number(left - 6))\" y=\"\(number(y(count) + 4))\" text-anchor=\"end\">\(count.grouped)</text>"
        }
        for (index, patch) in patches.enumerated() {
            var count = 0
            var path = ""
            for hour in patch.hours where hour.newDevices > 0 {
                path += path.isEmpty ? "M\(number(x(hour.hour))) \(number(bottom))" : "H\(number(x(hour.hour)))"
                count += hour.newDevices
                path += "V\(number(y(count)))"
            }
            guard !path.isEmpty else { continue }
            body.append("<path class=\"curve ink c\(Self.color(index))\" d=\"\(path)H\(number(right))\"/>")
        }
        body.append("<text x=\"\(number(left))\" y=\"208\">\(hourText(first).prefix(16).html)</text>")
        body.append(
            "<text x=\"\(number(right))\" y=\"208\" text-anchor=\"end\">\(hourText(last).prefix(16).html)</text>")
        var place = 232.0
        for (index, patch) in patches.enumerated() {
            body.append(
                "<rect class=\"fill c\(Self.color(index))\" x=\"\(number(left))\" y=\"\(number(place - 9))\" width=\"10\" height=\"10\"/><text class=\"name\" x=\"\(number(left + 16))\" y=\"\(number(place))\">\(patch.label.html)</text>"
            )
            place += 18
        }
        let summary = patches.map { "\($0.label) reached \($0.devices.grouped) devices" }.joined(separator: ", ")
        return figure("Adoption", summary, height: place - 6, body)
    }

    /// The part of devices on which each patch failed or that took it back, with its interval.
    private var failures: String? {
        let shares = patches.map { Share($0.hurt, of: $0.devices) }
        guard !shares.isEmpty else { return nil }
        let most = max(0.0001, shares.map(\.interval.upperBound).max() ?? 1)
        let (left, right) = (12.0, width - 70)
        func x(_ part: Double) -> Double { left + (right - left) * part / most }
        var body: [String] = []
        var y = 14.0
        for (index, (patch, share)) in zip(patches, shares).enumerated() {
            let (low, high) = (x(share.interval.lowerBound), x(share.interval.upperBound))
            body.append("<text class=\"name\" x=\"\(number(left))\" y=\"\(number(y))\">\(patch.label.html)</text>")
            body.append(
                "<g class=\"c\(Self.color(index))\"><path class=\"ink\" stroke-width=\"2\" d=\"M\(number(low)) \(number(y + 14))H\(number(high))M\(number(low)) \(number(y + 9))v10M\(number(high)) \(number(y + 9))v10\"/><circle class=\"fill\" cx=\"\(number(x(share.value ?? 0)))\" cy=\"\(number(y + 14))\" r=\"5\"/></g><text x=\"\(number(width - 4))\" y=\"\(number(y + 18))\" text-anchor=\"end\">\((share.value ?? 0).percent)</text>"
            )
            y += 40
        }
        let summary = zip(patches, shares).map { "\($0.label) \(($1.value ?? 0).percent), between \($1.interval.text)" }
        return figure(
            "Devices on which it failed or was taken back", summary.joined(separator: "; "), height: y - 8, body)
    }

    /// Where the devices are in the life of each patch.
    private var stages: String? {
        guard patches.contains(where: { $0.devices > 0 }) else { return nil }
        var body: [String] = []
        var y = 14.0
        var summary: [String] = []
        for (index, patch) in patches.enumerated() where patch.devices > 0 {
            let parts: [(name: String, count: Int, style: String)] = [
                ("good", patch.good, "good"), ("trial", patch.trial, "c\(Self.color(index))"),
                ("rolled back", patch.rolledBack, "bad"), ("withdrawn", patch.withdrawn, "rest"),
            ]
            body.append("<text class=\"name\" x=\"12\" y=\"\(number(y))\">\(patch.label.html)</text>")
            var x = 12.0
            body.append("<path class=\"grid\" d=\"M12 \(number(y + 14))H\(number(width - 12))\"/>")
            for part in parts where part.count > 0 {
                let length = min(width - 12 - x, (width - 24) * Double(part.count) / Double(patch.devices))
                body.append(
                    "<rect class=\"fill \(part.style)\" x=\"\(number(x))\" y=\"\(number(y + 7))\" width=\"\(number(max(1, length)))\" height=\"14\"><title>\(part.name): \(part.count.grouped)</title></rect>"
                )
                x += length
            }
            let text = parts.filter { $0.count > 0 }.map { "\($0.count.grouped) \($0.name)" }.joined(separator: ", ")
            body.append(
                "<text x=\"12\" y=\"\(number(y + 36))\">\(text.isEmpty ? "no stage reported" : text)</text>")
            summary.append("\(patch.label): \(text)")
            y += 62
        }
        return figure("Where devices are", summary.joined(separator: "; "), height: y - 10, body)
    }

    /// What went wrong most often.
    private var codes: String? {
        var counts: [String: Int] = [:]
        for patch in patches {
            for fault in patch.faults { counts["\(fault.event): \(fault.code)", default: 0].addOrMost(fault.count) }
        }
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8)
        guard let most = sorted.first?.value else { return nil }
        var body: [String] = []
        var y = 14.0
        for (name, count) in sorted {
            let length = (width - 24) * Double(count) / Double(most)
            body.append(
                "<text class=\"name\" x=\"12\" y=\"\(number(y))\">\(name.html)</text><text x=\"\(number(width - 12))\" y=\"\(number(y))\" text-anchor=\"end\">\(count.grouped)</text><rect class=\"fill bad\" x=\"12\" y=\"\(number(y + 6))\" width=\"\(number(max(1, length)))\" height=\"8\"/>"
            )
            y += 34
        }
        return figure(
            "What went wrong", sorted.map { "\($0.key) \($0.value.grouped) times" }.joined(separator: ", "),
            height: y - 8,
            body)
    }

    private func number(_ value: Double) -> String { decimal(value, digits: 1) }
}

extension FleetReport.Patch {
    fileprivate var label: String { "\(id) \(version)" }
}

extension StringProtocol {
    /// The text as it is written in HTML, without control characters.
    fileprivate var html: String {
        escaped(String(self)).flatMap { character -> String in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            default: String(character)
            }
        }.map(String.init).joined()
    }
}
