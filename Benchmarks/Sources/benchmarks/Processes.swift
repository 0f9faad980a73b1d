import Foundation

/// Runs whole processes in turn, and measures their time and peak memory.
struct Processes {
    /// One way to do the work: a command, and its share of the work.
    struct Way {
        let name: String
        let command: [String]
        var against: String?
        var target: Row.Target?
        /// The target for its memory.
        var memoryTarget: Row.Target?
        /// The factor for its time, because it did only a part of the work.
        var factor = 1.0
    }

    let work: String
    let ways: [Way]
    /// Removes the files of a command before each run.
    var prepare: () throws -> Void = {}

    /// Runs all of the commands.
    ///
    /// - Returns: A row of time for each way, and a row of memory if there is a value to compare it with.
    func run() throws -> [Row] {
        var times: [String: [Double]] = [:]
        var sizes: [String: [Double]] = [:]
        try Rounds.repeated { isMeasured in
            for way in ways {
                try prepare()
                let (time, size) = try Self.run(way.command)
                guard isMeasured else { continue }
                times[way.name, default: []].append(time * way.factor)
                sizes[way.name, default: []].append(size)
            }
        }
        func rows(
            _ work: String, _ unit: Row.Unit, _ samples: [String: [Double]], _ target: (Way) -> Row.Target?
        ) -> [Row] {
            ways.map { way in
                Row(
                    work: work, way: way.name, unit: unit, samples: samples[way.name] ?? [], against: way.against,
                    base: way.against.flatMap { samples[$0] }, target: target(way))
            }
        }
        let memory = rows("\(work): memory", .kilobytes, sizes, \.memoryTarget)
        return rows(work, .nanoseconds, times, \.target)
            + (ways.contains { $0.memoryTarget != nil } ? memory : [])
    }

    /// Runs a command without input, and discards its output.
    ///
    /// - Returns: Nanoseconds and kilobytes.
    /// - Throws: `Failure` if its exit status is not 0.
    static func run(_ command: [String]) throws -> (Double, Double) {
        let figures = try answer(of: [Tools.floor, "measure"] + command).split(whereSeparator: \.isWhitespace)
        guard figures.count == 3, let time = Double(figures[0]), let size = Double(figures[1]) else {
            throw Failure(message: "failed: \(command.prefix(12).joined(separator: " "))")
        }
        return (time, size)
    }

    /// The standard output of a command.
    static func answer(of command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The reason that the benchmarks cannot continue.
struct Failure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}
