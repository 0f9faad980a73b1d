import Foundation

/// The machine and the software of the measurements.
struct Machine: Codable {
    let date: String
    let commit: String
    let processor: String
    let cores: Int
    let system: String
    let swift: String
    let libraries: String

    init(_ tools: Tools) throws {
        let format = Date.ISO8601FormatStyle()
        date = Date.now.formatted(format)
        let changes = try Self.answer(["git", "-C", tools.root, "status", "--porcelain", "--", "Sources"])
        let head = try Self.answer(["git", "-C", tools.root, "rev-parse", "--short", "HEAD"])
        commit = changes.isEmpty ? head : "\(head), with changes"
        let information = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let model = information?.split(separator: "\n").first { $0.hasPrefix("model name") }
        processor = model.map { String($0.drop { $0 != ":" }.dropFirst(2)) } ?? "unknown"
        cores = ProcessInfo.processInfo.activeProcessorCount
        system = ProcessInfo.processInfo.operatingSystemVersionString
        swift = try Self.answer(["swift", "--version"]).split(separator: "\n").first.map(String.init) ?? "unknown"
        libraries =
            try Self.answer([tools.patchpack, "doctor"]).split(separator: "\n").first.map(String.init) ?? "unknown"
    }

    /// The output of a command without its last line feed.
    private static func answer(_ command: [String]) throws -> String {
        try Processes.answer(of: command).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The share of all processors' time that other programs use now, from 0 to 1, measured for a second. nil on a
    /// system other than Linux.
    static func othersShare() -> Double? {
        func times() -> (idle: Double, all: Double)? {
            guard let line = try? String(contentsOfFile: "/proc/stat", encoding: .utf8).prefix(while: { $0 != "\n" })
            else { return nil }
            // user, nice, system, idle, iowait and so on
            let times = line.split(separator: " ").dropFirst().compactMap { Double($0) }
            return times.count > 4 ? (times[3] + times[4], times.reduce(0, +)) : nil
        }
        guard let before = times() else { return nil }
        Thread.sleep(forTimeInterval: 1)
        guard let after = times(), after.all > before.all else { return nil }
        return 1 - (after.idle - before.idle) / (after.all - before.all)
    }

    /// The current memory of this process.
    static func residentKilobytes() throws -> Double {
        #if os(Linux)
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line.flatMap { Double($0.filter(\.isNumber)) } ?? 0
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return Double(usage.ru_maxrss)
        #endif
    }
}
