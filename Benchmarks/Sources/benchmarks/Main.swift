import Foundation

/// Measures patchpack: `benchmarks ROOT [GROUP...]`, where ROOT is the checkout with a release build of the tool;
/// `benchmarks count KIND COUNT` does only one kind of work, for counting its instructions;
/// `benchmarks prepare TOOL PATCHES` makes the folder that `count launch-PATCHES` needs;
/// `benchmarks scripts FOLDER COUNT` writes scripts of code; and `benchmarks soak COUNT` looks for memory leaks.
@main
struct Main {
    static func main() {
        do {
            try run()
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func run() throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.last.flatMap { Int($0) }) {
        case ("count", let count?) where arguments.count == 3:
            return try Envelopes.only(arguments[2], count) ?? Install.only(arguments[2], count)
                ?? Launch.only(arguments[2], count) ?? Calls.only(arguments[2], count)
        case ("prepare", let patches?) where arguments.count == 3:
            let tools = Tools(root: "", patchpack: arguments[2])
            return try Launch.prepare(patches, tools, in: "launch-\(patches)")
        case ("scripts", let count?) where arguments.count == 3:
            return try ReleaseFixture.write(count, into: arguments[2])
        case ("soak", let count?): return try Soak.run(count)
        default: break
        }
        guard let root = arguments.first else {
            throw Failure(message: "usage: benchmarks ROOT [GROUP...]")
        }
        let tools = Tools(root: root, patchpack: "\(root)/.build/release/patchpack")
        // RSA takes most of the time, so signed work is also measured with Ed25519.
        let workshop = try ReleaseFixture(patchpack: tools.patchpack, algorithm: "rsa")
        let both = [workshop, try ReleaseFixture(patchpack: tools.patchpack, algorithm: "ed25519")]
        let processes = both.map { WholeProcesses($0, tools) }
        let groups: [(String, () throws -> [Row])] = [
            ("calls", { try Calls.run(workshop) }),
            ("threads", { try Contention.run(workshop) }),
            ("install", { try Install.run(workshop) }),
            ("launch", { try Launch.run(workshop, tools) }), ("launch-50", { try Launch.fifty(workshop, tools) }),
            ("sync", { try Sync.run(workshop, tools) }),
            ("envelopes", { try both.flatMap(Envelopes.run) }),
            ("lint", { try processes[0].lint() }), ("pack", { try processes.flatMap { try $0.pack() } }),
            ("verify", { try processes.flatMap { try $0.verify() } }), ("start", { try processes[0].start() }),
            ("large", { try processes[0].large() }),
            ("memory", { try Calls.memory(workshop) }),
        ]
        let chosen = arguments.dropFirst()
        if let unknown = chosen.first(where: { name in !groups.contains { $0.0 == name } }) {
            throw Failure(message: "no group \(unknown): there are \(groups.map(\.0).joined(separator: ", "))")
        }
        var report = Report(try Machine(tools))
        print("medians of \(Rounds.rounds) rounds, one way after the other in each; least and most in brackets")
        var failed: [String] = []
        for (name, run) in groups where chosen.isEmpty || chosen.contains(name) {
            if let share = Machine.othersShare() { report.note(others: share) }
            do {
                report.add(try run())
            } catch {
                // The others take minutes.
                complain("\(name): \(error)")
                failed.append(name)
            }
        }
        if let share = report.others, share > 0.1 {
            complain(
                "other programs used \(report.othersText) of the processors: figures with several threads need a quiet machine"
            )
        }
        try write(report, isWhole: chosen.isEmpty && failed.isEmpty, into: URL(filePath: "\(root)/Benchmarks"))
        guard failed.isEmpty else {
            throw Failure(message: "RESULTS.md is not written, because of \(failed.joined(separator: ", "))")
        }
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("benchmarks: \(message)\n".utf8))
    }

    /// Writes `results.json` and, after a run of everything, `RESULTS.md` and its charts.
    private static func write(_ report: Report, isWhole: Bool, into folder: URL) throws {
        try report.json.write(to: folder.appending(path: "results.json"))
        guard isWhole else { return }
        let results = folder.appending(path: "RESULTS.md")
        // The last section is of ways that are measured no more.
        let once = try String(contentsOf: results, encoding: .utf8).components(separatedBy: "\n## Measured once")
        let section = once.count == 2 ? "\n## Measured once" + once[1] : ""
        try Data((report.markdown + section).utf8).write(to: results)
        let charts = folder.appending(path: "charts")
        try FileManager.default.createDirectory(at: charts, withIntermediateDirectories: true)
        for (isDark, name) in [(false, "light"), (true, "dark")] {
            let drawn = Charts(report: report, isDark: isDark)
            try Data(drawn.ratios.utf8).write(to: charts.appending(path: "ratios-\(name).svg"))
            try Data(drawn.sizes.utf8).write(to: charts.appending(path: "sizes-\(name).svg"))
        }
        print("\nwritten: \(folder.path)/RESULTS.md, results.json and charts; now run scripts/check/docs.py --write")
    }
}
