internal import Foundation
@testable internal import PatchText
@testable internal import PatchCrypto
@testable internal import PatchFiles
@testable internal import PatchReport
@testable internal import patchpack

/// A line of gates, separated by spaces, and a file of events, compressed or not: a report in each format.
func fuzzReport(_ bytes: [UInt8]) throws {
    let (head, file) = bytes.split(at: "\n") ?? ([], bytes)
    let gates = head.split(separator: UInt8(ascii: " ")).prefix(4).compactMap {
        ReportGate(String(decoding: $0, as: UTF8.self))
    }
    for gate in gates { require(ReportGate(gate.text) == gate, "a gate that reads as another one") }
    var limits = ReportBuilder.Limits()
    limits.devices = 64
    limits.patches = 8
    limits.hours = 100
    limits.faults = 8
    var builder = ReportBuilder(now: 1_800_000_000_000, limits: limits)
    let isWhole = try FuzzEvents.read(file, into: &builder)
    let report = builder.report()
    let isPlain = !file.starts(with: [0x1F, 0x8B]) && !file.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
    require(!isPlain || isWhole && report.input.bytes == file.count, "a file that is not read")
    let now = FuzzFeed.now
    let all = ReportGateResult.all(gates, report, id: nil, version: nil, report.patches, listed: nil)
    for result in all {
        require(!result.sequence.interval.isEmpty && result.sequence.interval.upperBound <= 1, "an impossible interval")
        require((result.failure == nil) == (result.verdict == .passed), "a gate that is passed and fails")
    }
    Written.check(json: report.json(all, all.lazy.compactMap(\.failure).first, at: now))
    Written.check(metrics: report.metrics(all, [], at: now))
    Written.check(page: report.page(all, of: nil, at: now))
    for line in report.lines(all) {
        require(!escaped(line.word + line.text).unicodeScalars.contains(where: isUnprintable), "an unprintable line")
    }
}

/// Reads events as the tool does.
enum FuzzEvents {
    private static let path = Path(FuzzFolder.path + "-events.jsonl")

    /// Reads a file, and returns whether the whole file could be read.
    static func read(_ file: [UInt8], into builder: inout ReportBuilder) throws -> Bool {
        try Data(file).write(to: URL(filePath: path.description))
        return (try? EventInput().read(path, into: &builder)) != nil
    }
}
