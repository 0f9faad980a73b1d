internal import Foundation
import PatchText
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
    let (report, isWhole) = try FuzzEvents.report(on: file)
    if isWhole, file.count > 4, !file.starts(with: [0x1F, 0x8B]), !file.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
        require(FuzzEvents.report(parsing: file) == report, "another report of a file than of its bytes")
    }
    let now = FuzzFeed.now
    let all = ReportGateResult.all(gates, report, id: nil, version: nil)
    for result in all {
        require(!result.sequence.interval.isEmpty && result.sequence.interval.upperBound <= 1, "an impossible interval")
        require((result.failure == nil) == (result.verdict == .passed), "a gate that is passed and fails")
    }
    Written.check(json: report.json(all, all.lazy.compactMap(\.failure).first, at: now))
    Written.check(metrics: report.metrics(all, [], at: now))
    Written.check(page: report.page(all, at: now))
    for line in report.lines(all) {
        require(!escaped(line.word + line.text).unicodeScalars.contains(where: isUnprintable), "an unprintable line")
    }
}

/// Reads events as the tool does, and also all at once.
private enum FuzzEvents {
    private static let path = Path(FuzzFolder.path + "-events.jsonl")

    private static func builder() throws -> ReportBuilder {
        var limits = ReportBuilder.Limits()
        (limits.devices, limits.patches, limits.hours, limits.faults) = (64, 8, 100, 8)
        guard let builder = ReportBuilder(now: 1_800_000_000_000, limits: limits) else { throw Unavailable() }
        return builder
    }

    private struct Unavailable: Error {}

    /// The report on a file, and whether the whole file could be read.
    static func report(on file: [UInt8]) throws -> (FleetReport, isWhole: Bool) {
        try Data(file).write(to: URL(filePath: path.description))
        let lines = EventLines(try builder(), jobs: 1)
        let isWhole = (try? EventInput().read(path, into: lines)) != nil
        return (lines.report(), isWhole)
    }

    static func report(parsing file: [UInt8]) -> FleetReport? {
        guard var builder = try? builder() else { return nil }
        var parser = builder.parser()
        var read = 0
        let text = file.last == UInt8(ascii: "\n") ? file : file + [UInt8(ascii: "\n")]
        text.withUnsafeBytes { text in
            while case let size = parser.parse(UnsafeRawBufferPointer(rebasing: text[read...])), size > 0 {
                builder.add(parser)
                read += size
            }
        }
        return builder.report()
    }
}
