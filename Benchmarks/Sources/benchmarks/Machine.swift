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
