import Foundation

/// The rows of a run, in all output formats.
struct Report: Codable {
    let machine: Machine
    let rounds: Int
    private(set) var rows: [Row] = []
    /// The largest share of the processors' time that other programs used before a group of rows; nil if it was not
    /// measured.
    private(set) var others: Double?

    init(_ machine: Machine) {
        self.machine = machine
        rounds = Rounds.rounds
    }

    mutating func note(others share: Double) { others = max(others ?? 0, share) }

    /// The share of other programs in percent.
    var othersText: String { others.map { String(format: "%.0f percent", $0 * 100) } ?? "an unknown share" }

    /// Adds rows and prints them.
    mutating func add(_ rows: [Row]) {
        self.rows += rows
        for (work, rows) in Self.works(of: rows) {
            print("\n\(work)")
            let width = rows.map(\.way.count).max() ?? 0
            for row in rows {
                let name = row.way.padding(toLength: width, withPad: " ", startingAt: 0)
                let spread = "(\(row.text(row.least)) to \(row.text(row.most)))"
                print("  \(name)  \(row.text(row.median)) \(spread)  \(row.comparison)")
            }
        }
    }

    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return try encoder.encode(self)
        }
    }

    /// Tables and charts in Markdown.
    var markdown: String {
        var text = """
            # Results

            Made by `make bench` on \(machine.date), of commit \(machine.commit); do not edit.

            \(machine.processor), \(machine.cores) cores; \(machine.system); \(machine.swift); \(machine.libraries).

            Other programs used at most \(othersText) of the processors, measured between the groups of rows.

            Each figure is the median of \(rounds) rounds, or of as many as took 90 seconds, followed by the smallest and the largest. The ways of
            one piece of work are run in turn, round after round; a ratio is the median of the rounds' own ratios, so that other work of the
            machine affects both sides of it. C is the same work straight on libcrypto, libzip and the Lua API (`Sources/CFloor`): with new
            contexts of OpenSSL for each file, and a recursive mutex around each call ([README](README.md#what-c-does)). Calls with numbers
            have a Double and an Int. With several threads or tasks, a figure is the time of all calls, divided by their number. A script of
            code has 40 local functions; one of 4 KiB or of 7 MiB is a line of code and a long comment.

            """
        for chart in ["ratios", "sizes"] {
            text += """

                <picture>
                  <source media="(prefers-color-scheme: dark)" srcset="charts/\(chart)-dark.svg">
                  <img alt="\(chart)" src="charts/\(chart)-light.svg">
                </picture>

                """
        }
        for (work, rows) in Self.works(of: rows) {
            text += "\n## \(work)\n\n| way | median | least to most | against |\n| --- | ---: | ---: | --- |\n"
            for row in rows {
                text +=
                    "| \(row.way) | \(row.text(row.median)) | \(row.text(row.least)) to \(row.text(row.most)) | \(row.comparison) |\n"
            }
        }
        return text
    }

    private static func works(of rows: [Row]) -> [(String, [Row])] {
        var works: [(String, [Row])] = []
        for row in rows {
            if works.last?.0 == row.work {
                works[works.count - 1].1.append(row)
            } else {
                works.append((row.work, [row]))
            }
        }
        return works
    }
}

extension Row {
    /// A value with its unit.
    func text(_ value: Double) -> String {
        let units: [(Double, String)] =
            unit == .kilobytes ? [(1024, "MB"), (1, "KB")] : [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")]
        let (size, name) = units.first { abs(value) >= $0.0 } ?? units[units.count - 1]
        return String(format: "%.\(abs(value / size) < 10 ? 2 : 1)f %@", value / size, name)
    }

    /// The comparison, and whether it reaches the target.
    var comparison: String {
        guard let against, let ratio, let difference else { return "" }
        let verdict = isReached.map { $0 ? ", reached" : ", **not reached**" } ?? ""
        switch target {
        case .more(let limit):
            return "\(text(difference)) more than \(against) (to be at most \(text(limit))\(verdict))"
        case .ratio(let limit): return "\(times(ratio)) \(against) (to be at most \(times(limit))\(verdict))"
        case .atLeast(let limit): return "\(times(ratio)) \(against) (to be at least \(times(limit))\(verdict))"
        case .most(let limit): return "\(times(ratio)) \(against) (itself to be at most \(text(limit))\(verdict))"
        case nil: return "\(times(ratio)) \(against)"
        }
    }

    private func times(_ ratio: Double) -> String { String(format: ratio < 10 ? "%.2f x" : "%.0f x", ratio) }
}
