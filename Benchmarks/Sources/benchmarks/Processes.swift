import Foundation

/// Runs whole processes in turn, and measures their time and the most memory that they took.
struct Processes {
    /// One way: a command, and how many times it stands for.
    struct Way {
        let name: String
        let command: [String]
        var against: String?
        var target: Row.Target?
        /// What its memory is to reach.
        var memoryTarget: Row.Target?
        /// Its time counts so often: it did that much less of the work.
        var factor = 1.0
    }

    let work: String
    let ways: [Way]
    var rounds = Rounds.rounds
    /// Takes away what a command made, before each.
    var prepare: () throws -> Void = {}

    /// Runs all.
    ///
    /// - Returns: For each way a row of time; and one of memory where there is something to hold it against.
    func run() throws -> [Row] {
        var times: [String: [Double]] = [:]
        var sizes: [String: [Double]] = [:]
        for round in 0...rounds {
            for way in ways {
                try prepare()
                let (time, size) = try Self.run(way.command)
                guard round > 0 else { continue }
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

    /// Runs a command with nothing on its input and its output dropped.
    ///
    /// - Returns: Nanoseconds and kilobytes.
    /// - Throws: `Failure` where it does not end with 0.
    static func run(_ command: [String]) throws -> (Double, Double) {
        let figures = try answer(of: [Tools.floor, "measure"] + command).split(whereSeparator: \.isWhitespace)
        guard figures.count == 3, let time = Double(figures[0]), let size = Double(figures[1]) else {
            throw Failure(message: "failed: \(command.prefix(12).joined(separator: " "))")
        }
        return (time, size)
    }

    /// What a command prints on its standard output.
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

/// Why the benchmarks cannot go on.
struct Failure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}
