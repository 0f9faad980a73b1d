import PatchCrypto
import PatchFiles
import PatchReport
import PatchText
import RandomSupport
import TestSupport
import Testing

/// An installation has one vote in each figure and gate, whatever it sends.
@Suite(.ownThreads) struct OneVoteTests {
    private typealias Verdict = ReportGate.Verdict

    private static let listed = [
        FleetReport.Listed(id: "com.example.fix", version: 1, isLive: true),
        FleetReport.Listed(id: "com.example.fix", version: 2),
    ]

    private static func compared(
        _ device: Int, _ function: String, agreed: Int = 0, differed: Int = 0, at seconds: Int = 0
    ) -> String {
        ReportTests.line(
            "compared", device: device, at: seconds, version: 2,
            #","code.function.name":"\#(function)","shadow.agreed":\#(agreed),"shadow.differed":\#(differed)"#)
    }

    private static func verdict(
        _ text: String, _ lines: [String], limits: ReportBuilder.Limits = .init()
    ) throws -> ReportGate.Judgement {
        let report = try ReportTests.report(lines, limits: limits, listed: listed)
        return try judge(text, report)
    }

    private static func judge(_ text: String, _ report: FleetReport) throws -> ReportGate.Judgement {
        let gate = try #require(ReportGate(text))
        guard !gate.measure.isOfFleet else { return gate.judge(report) }
        func patch(_ version: Int) -> FleetReport.Patch? {
            report.patches.first { $0.id == "com.example.fix" && $0.version == version }
        }
        return gate.judge(try #require(patch(2)), after: gate.isRelative ? patch(1) : nil, scale: report.scale)
    }

    /// What one installation sends before and after the lines of the others.
    enum Lie: CaseIterable {
        case madeUpFunctions, onlyMadeUpFunctions, messages, onlyMessages, future, versions, addresses

        var lines: [String] {
            let open = OneVoteTests.compared(9999, "Door.open", agreed: 1)
            func functions(at seconds: Int = 0) -> [String] {
                (0..<10_000).map { OneVoteTests.compared(9999, "Made.up\($0)", agreed: 1, at: seconds) }
            }
            /// - Parameter member: A member of the resource that is another one in each line; nil for none.
            func messages(changing member: String? = nil) -> [String] {
                (0..<65_500).map { number in
                    let changing = member.map { #","\#($0)":"2.\#(number)""# } ?? ""
                    return
                        #"{"schema":"patchpack.event/1","timestamp":"2026-11-22T11:00:00Z","resource":{"app.installation.id":"d9999"\#(changing)},"eventName":"sync-failed","attributes":{"error.type":"clock","error.message":"\#(number)"}}"#
                }
            }
            return switch self {
            case .madeUpFunctions: [open] + functions()
            case .onlyMadeUpFunctions: functions()
            case .messages: [open] + messages()
            case .onlyMessages: messages()
            case .future: functions(at: 12 * 3600)
            case .versions: (1...70_000).map { ReportTests.line("launched", device: 9999, version: 2 + $0) }
            case .addresses: messages(changing: "service.version")
            }
        }
    }

    /// A function that differs everywhere is found, and one that agrees everywhere is not held up.
    @Test(arguments: Lie.allCases) func reportBuilderManyLinesOfOneDeviceHideNothing(_ lie: Lie) throws {
        func fleet(differs: Bool) -> [String] {
            (0..<1200).flatMap { device in
                [
                    Self.compared(device, "Door.open", agreed: 3),
                    Self.compared(device, "Door.tax", agreed: differs ? 0 : 3, differed: differs ? 3 : 0),
                ]
            }
        }
        for isFirst in [true, false] {
            let (bad, good) = (fleet(differs: true), fleet(differs: false))
            let crossed = try Self.verdict("differs<1%", isFirst ? lie.lines + bad : bad + lie.lines)
            #expect(crossed.verdict == .crossed && crossed.function?.function == "Door.tax")
            guard isFirst else { continue }
            let report = try ReportTests.report(lie.lines + good, listed: Self.listed)
            #expect(try Self.judge("differs<1%", report).verdict == .passed)
            #expect(report.input.dropped > 9_000, "what is left out is reported")
            guard lie == .onlyMadeUpFunctions else { continue }
            var limits = ReportBuilder.Limits()
            limits.names = .max
            let crowded = try Self.verdict("differs<1%", lie.lines + bad, limits: limits)
            #expect(crowded.verdict == .undecided && crowded.isOfUncounted, "a test of the test")
        }
    }

    /// A name that few devices report weighs as few.
    @Test func reportGateFunctionOfFourDevicesPausesNothing() throws {
        func fleet(_ devices: Int, differing: Int = 0) -> [String] {
            (0..<devices).map { device in
                let isDiffering = device < differing
                return Self.compared(
                    device, "Door.open", agreed: isDiffering ? 0 : 3, differed: isDiffering ? 3 : 0)
            }
        }
        let four = (2000..<2004).flatMap { device in
            (0..<100).map { Self.compared(device, "Made.up\($0)", differed: 1000) }
        }
        #expect(try Self.verdict("differs<1%", four + fleet(2000)).verdict == .passed)
        // Made-up functions raise the number of devices that a pause needs as little.
        let bad = fleet(150, differing: 20)
        #expect(try Self.verdict("differs<5%", bad).verdict == .crossed)
        let many = (0..<500).map { Self.compared(9999, "Made.up\($0)", agreed: 1) }
        #expect(try Self.verdict("differs<5%", many + bad).verdict == .crossed)
    }

    /// Only a function that many devices could not bring is a reason to wait.
    @Test func reportGateFunctionsWithoutRoomIsUndecided() throws {
        var limits = ReportBuilder.Limits()
        limits.comparisons = 1
        let lines = (0..<600).flatMap { device in
            [Self.compared(device, "Door.open", agreed: 3)]
                + (device < 300 ? [Self.compared(device, "Door.tax", differed: 3)] : [])
        }
        let judgement = try Self.verdict("differs<1%", lines, limits: limits)
        #expect(judgement.verdict == .undecided && judgement.isOfUncounted)
        #expect(judgement.sequence.share == Share(300, of: 600))
        let agreeing = (0..<600).flatMap { device in
            [Self.compared(device, "Door.open", agreed: 3)]
                + (device < 300 ? [Self.compared(device, "Door.tax", agreed: 3)] : [])
        }
        let exact = try Self.verdict("differs=0", agreeing, limits: limits)
        #expect(exact.verdict == .undecided && exact.isOfUncounted && exact.function == nil)
        #expect(exact.sequence.share == Share(300, of: 600))
    }

    /// A function that finds no room among the strings takes no room from its device's faults.
    @Test func reportBuilderFunctionsWithoutRoomLeaveRoomForFaults() throws {
        func failed(_ device: Int, _ function: String, _ code: String) -> String {
            ReportTests.line("failed", device: device, #","code.function.name":"\#(function)","error.type":"\#(code)""#)
        }
        // Installations that fill the table of strings with the patches of their launches.
        let crowd = (100..<240).flatMap { device in
            (0..<8).map { launch in
                let patches = (0..<64).map { #"{"patch.id":"a.p\#(device)-\#(launch)-\#($0)","patch.version":1}"# }
                return ReportTests.line(
                    "launched", device: device, patch: nil, #","patch.running":[\#(patches.joined(separator: ","))]"#)
            }
        }
        var limits = ReportBuilder.Limits()
        limits.patches = 0
        let lines =
            [failed(1, "A.a", "script"), failed(1, "B.b", "memory")] + crowd
            + (0..<600).map { ReportTests.line("compared", device: 2, #","code.function.name":"Made.up\#($0)""#) }
        let report = try ReportTests.report(
            lines + [failed(2, "A.a", "memory")], limits: limits, listed: Self.listed)
        let patch = try #require(report.patches.first)
        #expect(patch.comparisons.isEmpty && report.input.dropped > 600, "a test of the test")
        #expect(patch.faults.map(\.code).sorted() == ["memory", "memory", "script"])
    }

    /// Damage is counted by devices, if they are named.
    @Test func fleetReportDamagedLinesOfOneDeviceAreOfOneDevice() throws {
        let good = (0..<20).map { ReportTests.line("activated", device: $0) }
        let misnamed = ReportTests.line("activated", device: 99, patch: "x")
        let cut = String(ReportTests.line("activated", device: 98).dropLast(20))
        let other = ["{", "x", cut.replacing(#""app.installation.id":"d98","#, with: "")]
        let tooLong = String(repeating: "x", count: 2 << 20)
        let lines = good + (0..<400).map { _ in misnamed } + [cut, cut, tooLong] + other
        let input = try ReportTests.report(lines).input
        #expect([input.damaged, input.damagedDevices, input.damagedWithoutDevice] == [406, 2, 4])
        #expect(try ReportTests.report(lines).devices == 20)
    }

    // MARK: any fleet

    /// A fleet in which devices vote for and against a patch, and installations that send anything.
    private struct Fleet {
        var random: SeededRandom
        let isShadow: Bool
        let devices: Int
        let hostile: Int
        private let bad: Double

        init(_ seed: Int) {
            random = SeededRandom(seed)
            isShadow = random.next(below: 2) > 0
            devices = 30 + random.next(below: 120)
            hostile = 1 + random.next(below: 3)
            bad = random.one(of: [0, 0, 0.02, 0.2, 0.5, 1])
        }

        var listed: [FleetReport.Listed] {
            [
                FleetReport.Listed(id: "com.example.fix", version: 1, isLive: true),
                FleetReport.Listed(id: "com.example.fix", version: 2, isLive: !isShadow),
            ]
        }

        /// The lines of a device that is for the patch, or against it in each way.
        func vote(_ device: Int, isBad: Bool, functions: [String] = ["A.a", "B.b"]) -> [String] {
            func line(_ event: String, at seconds: Int = 0, version: Int = 2, _ more: String = "") -> String {
                ReportTests.line(event, device: device, at: seconds, version: version, more)
            }
            let failure = #","error.type":"script","error.message":"no""#
            // What is bad for the new version is good for the one before.
            var lines = [line("activated", version: 1), line(isBad ? "sync-failed" : "synced")]
            if !isBad { lines.append(line("failed", version: 1, failure)) }
            if isShadow {
                lines += functions.map {
                    OneVoteTests.compared(device, $0, agreed: isBad ? 0 : 9, differed: isBad ? 9 : 0)
                }
                if isBad { lines.append(line("compared", failure)) }
                return lines
            }
            lines += [
                line("activated"),
                line(
                    "called",
                    #","patch.calls":10,"patch.failures":\#(isBad ? 10 : 0),"patch.fallbacks":\#(isBad ? 10 : 0),"patch.times":[\#(isBad ? "0,0,0,0,0,9" : "9")]"#
                ),
            ]
            return lines
                + (isBad ? [line("failed", failure), line("rolled-back", at: 5, #","patch.reason":"no""#)] : [])
        }

        /// The lines of the honest devices, which need not have used each function.
        mutating func honest() -> [String] {
            (0..<devices).flatMap { device in
                let isBad = random.unit() < bad
                return vote(device, isBad: isBad, functions: random.unit() < 0.5 ? ["A.a"] : ["A.a", "B.b"])
            }
        }

        /// Whatever an installation may send.
        mutating func lie(_ device: Int) -> [String] {
            let counts = [0, 1, 9, 1_000_000, Int.max]
            // What it makes up: functions (0), codes of errors (1), or versions (2).
            let own = random.next(below: 3)
            return (0..<100).map { number in
                let members = [
                    "patch.calls", "patch.failures", "patch.fallbacks", "shadow.agreed", "shadow.differed",
                    "shadow.failed", "shadow.incomparable", "event.count",
                ].filter { _ in random.next(below: 3) > 0 }.map { #","\#($0)":\#(random.one(of: counts))"# }
                let function = own == 0 ? "Made.up\(number)" : random.one(of: ["A.a", "B.b", "Made.up"])
                let names =
                    #","code.function.name":"\#(function)","error.type":"\#(own == 1 ? "e\(number)" : "script")","error.message":"\#(number)","patch.reason":"\#(random.one(of: ["no", EventRecord.suspicion]))","patch.times":[\#(random.one(of: counts)),\#(random.one(of: counts))]"#
                let running =
                    #","patch.running":[{"patch.id":"com.example.fix","patch.version":\#(random.one(of: [1, 2, 9]))}]"#
                let isDamaged = random.next(below: 10) == 0
                return ReportTests.line(
                    own == 0 && random.unit() < 0.9 ? "compared" : random.one(of: EventRecord.Name.allCases).rawValue,
                    device: device,
                    at: random.one(of: [-200_000_000, -7200, 0, 60, 3600, 12 * 3600, 2_000_000_000]),
                    patch: isDamaged ? "x" : "com.example.fix",
                    version: random.one(of: [1, 2, 2, 2, own == 2 ? 3 + number : 9]), app: "2.\(number)",
                    members.joined() + names + running)
            }
        }
    }

    private static func rank(_ verdict: Verdict) -> Int {
        switch verdict {
        case .passed: 0
        case .undecided: 1
        case .crossed: 2
        }
    }

    /// The figures of both versions that count devices, by name.
    private static func figures(_ report: FleetReport) -> [String: Int] {
        var figures = ["devices": report.devices, "unsynced": report.unsynced]
        for patch in report.patches where patch.id == "com.example.fix" && patch.version <= 2 {
            let counts = [
                patch.devices, patch.newDevices, patch.running, patch.failing, patch.rolledBack, patch.suspected,
                patch.affected, patch.refused, patch.devices(in: .shadow), patch.devices(in: .trial),
                patch.devices(in: .good), patch.devices(in: .withdrawn), patch.devices(in: .over),
                patch.devices(in: .rolledBack), patch.devices(in: .refused), patch.devices(in: .none),
                patch.shadowed, patch.uncounted, Int(patch.failureShare.count), patch.failureShare.total,
            ]
            for (index, count) in counts.enumerated() { figures["\(patch.version) \(index)"] = count }
            for function in patch.comparisons {
                figures["\(patch.version) \(function.function)"] = function.differingShare.total
                figures["\(patch.version) \(function.function) differs"] = Int(function.differingShare.count)
            }
        }
        return figures
    }

    /// What is wrong in a random fleet: verdicts that its hostile installations cannot make by voting for or against
    /// the patch, and whether a figure of devices changes by more than their number.
    private static func faults(
        _ seed: Int, _ limits: ReportBuilder.Limits, _ verdicts: inout [Verdict: Int]
    ) throws -> (verdicts: [String], isMoved: Bool) {
        let live = [
            "failing<10%", "failing<previous+10%", "rolled-back<5%", "failures<10%", "fallbacks<20%", "time-p95<5ms",
        ]
        let shadow = ["differs<10%", "differs<30%", "failing<10%"]
        var fleet = Fleet(seed)
        let honest = fleet.honest()
        var lies = (0..<fleet.hostile).flatMap { fleet.lie(5000 + $0) }
        let order = fleet.random.next(below: 3)
        if order == 2 { lies.shuffle(using: &fleet.random) }
        func report(_ lines: [String]) throws -> FleetReport {
            try ReportTests.report(lines, limits: limits, listed: fleet.listed)
        }
        let seen = try report(order == 0 ? honest + lies : lies + honest)
        let votes = try [false, true].map { isBad in
            try report(honest + (0..<fleet.hostile).flatMap { fleet.vote(6000 + $0, isBad: isBad) })
        }
        var wrong: [String] = []
        for text in (fleet.isShadow ? shadow : live) + ["sync-failed<10%"] {
            let ranks = try votes.map { rank(try judge(text, $0).verdict) }
            let verdict = try judge(text, seen).verdict
            verdicts[verdict, default: 0] += 1
            if !(ranks[0]...max(ranks[0], ranks[1])).contains(rank(verdict)) {
                wrong.append("\(seed) \(text): \(verdict), \(ranks)")
            }
        }
        let alone = figures(try report(honest))
        let isMoved = figures(seen).contains { abs($1 - alone[$0, default: 0]) > fleet.hostile }
        return (wrong, isMoved)
    }

    /// Small tables, so that few lines fill them.
    private static var small: ReportBuilder.Limits {
        var limits = ReportBuilder.Limits()
        limits.names = 20
        limits.comparisons = 70
        limits.faults = 70
        limits.patches = 70
        return limits
    }

    /// Each verdict is one that so many devices can make by voting for or against the patch, and each figure of devices
    /// changes by at most so many.
    @Test(arguments: 0..<10) func anyFleetWhateverSomeSendDecidesAsTheirVotes(_ part: Int) throws {
        let fleets = testsMayBeLong ? 1000 : 20
        var (wrong, moved, verdicts) = ([String](), [Int](), [Verdict: Int]())
        for seed in 1 + part * fleets...(part + 1) * fleets {
            let faults = try Self.faults(seed, Self.small, &verdicts)
            wrong += faults.verdicts
            if faults.isMoved { moved.append(seed) }
        }
        print("one vote: \(wrong.count) wrong verdicts, \(moved.count) moved figures in \(fleets) fleets: \(verdicts)")
        #expect(wrong.isEmpty && moved.isEmpty, "\(wrong.prefix(10)) \(moved.prefix(10))")
        #expect(verdicts.count == 3, "a test of the test")
    }

    /// A test of the test: an installation that may take all the room makes verdicts wrong.
    @Test func anyFleetWithoutBoundOnNamesDecidesWrongly() throws {
        var limits = Self.small
        limits.names = .max
        var verdicts: [Verdict: Int] = [:]
        #expect(try (1...40).contains { try !Self.faults($0, limits, &verdicts).verdicts.isEmpty })
    }
}
