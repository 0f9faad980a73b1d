import FeedTestSupport
import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchReport
import RandomSupport
import TestSupport
import Testing

/// Random fleets through the report, its gates and the step of a rollout: no wrong patch goes on, and no right one is
/// paused.
@Suite(.ownThreads) struct FleetModelTests {
    /// A patch is right if its functions do what they should in all but one of fifty calls, and wrong if one that more
    /// devices than the bound use does not in a quarter.
    private static let bound = 0.1

    private struct Function {
        let name: String
        /// The part of the devices that call it, and the part of its calls that it answers wrongly.
        let users, wrong: Double
    }

    private struct Fleet {
        var random: SeededRandom
        let isShadow: Bool
        let devices: Int
        let functions: [Function]
        /// The parts of the devices that report nothing, and that cannot compare a call.
        let silent, incomparable: Double
        var isWrong: Bool { functions.contains { $0.wrong > bound } }

        init(_ seed: Int) {
            random = SeededRandom(seed)
            isShadow = random.next(below: 3) > 0
            devices = 120 + random.next(below: 80)
            silent = [0, 0.3][random.next(below: 2)]
            incomparable = [0, 0, 0.3, 0.9][random.next(below: 4)]
            let kind = random.next(below: 4)
            let wrong = 0.25 + 0.75 * random.unit()
            guard isShadow else {
                // Live calls are not counted by function.
                functions = [Function(name: "Cart.total", users: 1, wrong: kind < 2 ? wrong : 0.02)]
                return
            }
            functions = [
                Function(name: "Cart.total", users: 1, wrong: kind == 2 ? 0 : 0.02),
                Function(name: "Cart.tax", users: 0.8, wrong: kind == 0 ? wrong : 0.01),
                Function(name: "Order.ship", users: 0.5, wrong: kind == 1 ? 1 : 0),
            ]
        }

        /// The lines of the fleet, device by device.
        mutating func lines() -> [[String]] {
            // Of another version, which is as good as this one is bad.
            let good = isWrong
            var all: [[String]] = (0..<devices).map { device in
                guard random.unit() >= silent else { return [] }
                let comparesNothing = random.unit() < incomparable
                var lines = functions.compactMap { function -> String? in
                    guard random.unit() < function.users else { return nil }
                    let calls = 1 + random.next(below: function.users <= 0.5 ? 3 : 20)
                    let wrong = (0..<calls).count { _ in random.unit() < function.wrong }
                    return line(device, function.name, calls, wrong, comparesNothing)
                }
                lines.append(line(device, "Cart.total", 10, good ? 0 : 10, false, version: 1))
                return lines
            }
            // A busy server, one that lies, and one that makes functions up, among the first.
            all[1] += (0..<20).map { _ in line(1, "Cart.tax", 600, 0, false) }
            all[2] = (0..<20).map { _ in
                line(
                    2, functions[random.next(below: functions.count)].name, 1_000_000_000_000,
                    good ? 0 : 1_000_000_000_000, false)
            }
            all[3] = (0..<20).map { line(3, "Made.up\($0)", 1000, good ? 0 : 1000, false) }
            all[4].append(line(4, "Cart.tax", good ? 1000 : -1000, -1000, false))
            return all
        }

        private func line(
            _ device: Int, _ function: String, _ calls: Int, _ wrong: Int, _ comparesNothing: Bool, version: Int = 2
        ) -> String {
            let counts =
                isShadow
                ? #""code.function.name":"\#(function)","shadow.agreed":\#(comparesNothing ? 0 : calls - wrong),"shadow.differed":\#(comparesNothing ? 0 : wrong),"shadow.incomparable":\#(comparesNothing ? calls : 0)"#
                : #""patch.calls":\#(calls),"patch.failures":\#(wrong),"patch.fallbacks":\#(wrong)"#
            return
                #"{"schema":"patchpack.event/1","timestamp":"2026-11-22T11:00:00Z","resource":{"app.installation.id":"d\#(device)"},"eventName":"\#(isShadow ? "compared" : "called")","attributes":{"patch.id":"com.example.fix","patch.version":\#(version),\#(counts)}}"#
        }
    }

    /// The step of a rollout after the reports of some devices.
    private func step(_ fleet: Fleet, _ lines: ArraySlice<[String]>, in folder: TestFolder) throws -> RolloutStep {
        let path = try folder.write(Array(lines.joined().joined(separator: "\n").utf8), to: "events.jsonl")
        let filter = ReportFilter(patch: "com.example.fix", version: 2)
        var builder = ReportBuilder(now: ReportTests.now, filter: filter)
        builder.add(listed: [FleetReport.Listed(id: "com.example.fix", version: 2, isLive: !fleet.isShadow)])
        try EventInput().read(Path(path), into: &builder)
        let report = builder.report()
        let patch = try #require(report.patches.first)
        let texts = fleet.isShadow ? ["differs<10%"] : ["failures<10%", "fallbacks<10%"]
        let gates = try texts.map { text in
            RolloutStep.Gate(try #require(ReportGate(text)), on: patch, of: report)
        }
        let now = try #require(Timestamp(secondsSince1970: ReportTests.now / 1000))
        var entry = PatchEntryDraft(withdrawing: "com.example.fix", version: 2)
        entry.state = fleet.isShadow ? .shadow : .active
        entry.rollout = Rollout(basisPoints: 100)
        entry.since = Timestamp(secondsSince1970: 0)
        return RolloutStep(
            of: entry, isEnabled: true,
            by: .init(steps: [.shadow, .part(100), .part(10_000)], soak: 0, fresh: 3600, newDevices: 1),
            .init(report, gates: gates), at: now)
    }

    @Test func randomFleetsDecideNothingWrong() throws {
        let folder = try TestFolder()
        var (wrong, right, held, stopped) = ([Int](), 0, 0, 0)
        let fleets = testsMayBeLong ? 1000 : 100
        for seed in 1...fleets {
            var fleet = Fleet(seed)
            let lines = fleet.lines()
            var last = RolloutStep.complete
            for part in [2, 1] {
                last = try step(fleet, lines[..<(fleet.devices / part)], in: folder)
                switch last {
                case .widen: if fleet.isWrong { wrong.append(seed) }
                case .pause: if !fleet.isWrong { wrong.append(seed) }
                default: break
                }
            }
            guard fleet.isWrong else {
                right += 1
                if case .wait = last { held += 1 }
                continue
            }
            if case .pause = last { stopped += 1 }
        }
        print(
            "fleets: \(wrong.count) of \(fleets) wrong; \(held) of \(right) right patches wait, \(stopped) wrong ones are paused"
        )
        #expect(wrong.isEmpty)
        #expect(held < right && stopped > (fleets - right) / 4, "a test of the test")
    }
}
