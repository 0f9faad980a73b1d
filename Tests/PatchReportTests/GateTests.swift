import PatchReport
import PatchText
import TestSupport
import Testing

/// The point at which a gate decides, and how often it is wrong.
@Suite(.ownThreads) struct GateTests {
    /// A generator that produces the same numbers in each run.
    private struct Random {
        private var state: UInt64
        init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

        /// From 0 to 1.
        mutating func next() -> Double {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Double(state >> 11) / Double(1 << 53)
        }
    }

    /// A rule's first decision, and the number of devices until it.
    private struct Outcome {
        var isAbove: Bool?
        var devices = 0
    }

    /// Checks a growing fleet after every 40 devices.
    private func outcome(of rate: Double, seed: UInt64, _ rule: (Share) -> Bool?) -> Outcome {
        var random = Random(seed)
        var failing = 0
        for devices in 1...4000 {
            failing += random.next() < rate ? 1 : 0
            guard devices.isMultiple(of: 40), let isAbove = rule(Share(failing, of: devices)) else { continue }
            return Outcome(isAbove: isAbove, devices: devices)
        }
        return Outcome(devices: 4000)
    }

    /// The share of fleets in which a rule decides wrongly at any check, and the median number of devices until it
    /// decides.
    private func wrong(_ rate: Double, _ bound: Double, _ rule: (Share) -> Bool?) -> (part: Double, devices: Int) {
        let outcomes = (1...400).map { outcome(of: rate, seed: UInt64($0), rule) }
        let wrong = outcomes.count { outcome in
            // A rate that equals the bound is neither above nor below it.
            switch outcome.isAbove {
            case true?: rate <= bound
            case false?: rate >= bound
            case nil: false
            }
        }
        return (Double(wrong) / Double(outcomes.count), outcomes.map(\.devices).sorted()[outcomes.count / 2])
    }

    /// A rule that is correct for one check: crossed if the share is not below the bound, passed if Wilson's interval
    /// is below it.
    private func byWilson(_ bound: Double) -> (Share) -> Bool? {
        { share in
            guard let value = share.value else { return nil }
            if value >= bound { return true }
            return share.interval.upperBound < bound ? false : nil
        }
    }

    @Test(
        arguments: [
            ("differs<1%", 0.01, false), ("failures<0.1%", 0.001, false), ("refused<100%", 1, false),
            ("rolled-back<previous+5%", 0.05, true),
            ("time-p1<100us", 0.99, false), ("time-p99<500ms", 0.01, false), ("failures<0%", nil, false),
            ("failures<100.1%", nil, false), ("failures<0.5", nil, false), ("failures<%", nil, false),
            ("failures<-1%", nil, false),
            ("failures<1e1%", nil, false), ("failures<1%%", nil, false), ("failures<1<2%", nil, false),
            ("failures", nil, false),
            ("crashes<1%", nil, false), ("time<1%", nil, false), ("time-p0<5ms", nil, false),
            ("time-p100<5ms", nil, false),
            ("time-p095<5ms", nil, false), ("time-p95<6ms", nil, false), ("previous+failures<1%", nil, false),
            ("failures<previous+%", nil, false), ("time-p95<previous+5ms", nil, false),
        ] as [(String, Double?, Bool)])
    func aGateIsReadOrRefused(text: String, bound: Double?, isRelative: Bool) throws {
        guard let bound else {
            #expect(ReportGate(text) == nil)
            return
        }
        let gate = try #require(ReportGate(text))
        #expect(gate.bound.value == bound && gate.isRelative == isRelative && gate.text == text)
    }

    /// docs/operations.md has a part of this table.
    @Test(arguments: [
        (0.001, 0.005), (0.005, 0.005), (0.02, 0.005), (0.002, 0.01), (0.01, 0.01), (0.05, 0.01), (0.01, 0.05),
        (0.05, 0.05), (0.3, 0.05),
    ])
    func aGateMayBeLookedAtAsOftenAsOneLikes(rate: Double, bound: Double) {
        let (part, devices) = wrong(rate, bound) { ConfidenceSequence($0, around: bound).isAbove(bound) }
        let before = wrong(rate, bound, byWilson(bound))
        print(
            "gate: rate \(rate), bound \(bound): \(part) wrong after \(devices); Wilson \(before.part), \(before.devices)"
        )
        #expect(part <= 0.05)
        if rate == bound { #expect(before.part > 0.5, "a test of the test") }
    }

    /// A bad release is stopped soon.
    @Test(arguments: [(0.02, 800), (0.05, 200), (0.3, 40)])
    func aBadReleaseIsStopped(rate: Double, most: Int) {
        let outcomes = (1...400).map { seed in
            outcome(of: rate, seed: UInt64(seed)) { ConfidenceSequence($0, around: 0.005).isAbove(0.005) }
        }
        let devices = outcomes.map(\.devices).sorted()
        let (median, late) = (devices[devices.count / 2], devices[devices.count * 95 / 100])
        print("gate: a rate of \(rate) crosses 0.5 % after \(median) devices, 95 % after \(late)")
        #expect(outcomes.allSatisfy { $0.isAbove == true })
        #expect(median <= most)
    }

    /// The outcome of the rollouts of two patches, one of which crashes.
    private struct Pair {
        var isGoodPaused = false
        /// After how many devices the good patch has passed, and the bad one is stopped.
        var goodPassed: Int?, badStopped: Int?
    }

    /// A good patch that is offered to all devices, and a bad one that is offered to a part of them until its gate is
    /// crossed. A device that gets both rolls both back, and then tries each alone. It has confirmed the good one three
    /// checks later on average.
    ///
    /// - Parameters:
    ///   - silent: The share of these devices that never report again.
    ///   - blames: Whether both are counted as rolled back for good, as in an earlier version.
    private func pair(part: Double, silent: Double, blames: Bool, seed: UInt64, _ gate: ReportGate) -> Pair {
        var random = Random(seed)
        var (good, bad) = (FleetReport.Patch(id: "good", version: 1), FleetReport.Patch(id: "bad", version: 1))
        var pair = Pair()
        // The checks at which devices have found out which one was bad.
        var found: [Int: Int] = [:]
        for look in 1...100 {
            for _ in 0..<40 {
                good.devices += 1
                guard pair.badStopped == nil, random.next() < part else { continue }
                bad.devices += 1
                good.suspected += 1
                var end = look + 1
                while random.next() < 2.0 / 3 { end += 1 }
                if random.next() >= silent { found[end, default: 0] += 1 }
            }
            bad.rolledBack += found[look] ?? 0
            good.suspected -= found[look] ?? 0
            bad.suspected = good.suspected
            var seen = [good, bad]
            if blames {
                for index in seen.indices {
                    seen[index].rolledBack = bad.devices
                    seen[index].suspected = 0
                }
            }
            switch gate.judge(seen[0], scale: 1).verdict {
            case .crossed: pair.isGoodPaused = true
            case .passed:
                if !pair.isGoodPaused, pair.goodPassed == nil { pair.goodPassed = good.devices }
            case .undecided: break
            }
            if pair.badStopped == nil, gate.judge(seen[1], scale: 1).verdict == .crossed {
                pair.badStopped = good.devices
            }
        }
        return pair
    }

    /// docs/operations.md says what follows from it.
    @Test(arguments: [(0.05, 0.0), (0.25, 0.0), (0.05, 0.05), (0.25, 0.05)])
    func theNeighbourOfABadPatchGoesOn(part: Double, silent: Double) throws {
        let gate = try #require(ReportGate("rolled-back<0.5%"))
        func pairs(blames: Bool) -> (paused: Double, passed: Int?, stopped: Int?) {
            let pairs = (1...400).map { pair(part: part, silent: silent, blames: blames, seed: UInt64($0), gate) }
            let (passed, stopped) = (pairs.map { $0.goodPassed ?? .max }, pairs.map { $0.badStopped ?? .max })
            func median(_ devices: [Int]) -> Int? {
                let middle = devices.sorted()[devices.count / 2]
                return middle == .max ? nil : middle
            }
            return (Double(pairs.count(where: \.isGoodPaused)) / Double(pairs.count), median(passed), median(stopped))
        }
        let (before, now) = (pairs(blames: true), pairs(blames: false))
        print("gate: beside a bad patch on \(part), \(silent) of these silent: \(before), now \(now)")
        #expect(now.paused == 0)
        #expect(try #require(now.passed) < 4000 && now.stopped != nil)
        #expect(before.paused > 0.5, "a test of the test")
    }

    @Test func aSequenceKnowsWhatItNeeds() {
        let none = ConfidenceSequence(Share(0, of: 0), around: 0.005)
        #expect(none.isAbove(0.005) == nil && none.interval == 0...1)
        let few = ConfidenceSequence(Share(0, of: 100), around: 0.005)
        #expect(few.isAbove(0.005) == nil)
        let needed = few.needed(for: 0.005) ?? 0
        #expect((600...900).contains(needed))
        #expect(ConfidenceSequence(Share(0, of: 100 + needed), around: 0.005).isAbove(0.005) == false)
        #expect(ConfidenceSequence(Share(0, of: 100 + needed - 20), around: 0.005).isAbove(0.005) == nil)
        #expect(ConfidenceSequence(Share(5, of: 1000), around: 0.005).needed(for: 0.005) == nil)
        #expect(ConfidenceSequence(Share(1, of: 60), around: 0.005).isAbove(0.005) == nil)
        #expect(ConfidenceSequence(Share(5, of: 10), around: 0.005).isAbove(0.005) == true)
        for (count, total) in [(0, 1), (1, 1), (3, 3), (0, 50), (7, 90), (1, .max), (.max, .max), (.max / 2, .max)] {
            for bound in [1e-9, 0.005, 0.5, 1] {
                let sequence = ConfidenceSequence(Share(count, of: total), around: bound)
                let (interval, part) = (sequence.interval, Double(count) / Double(total))
                #expect(interval.contains(part) && interval.lowerBound >= 0 && interval.upperBound <= 1)
                switch sequence.isAbove(bound) {
                case true?: #expect(interval.lowerBound >= bound)
                case false?: #expect(interval.upperBound <= bound)
                case nil: #expect(interval.contains(bound))
                }
            }
        }
    }

    @Test func gatesAreSureOrNotPassed() throws {
        var patch = FleetReport.Patch(id: "p", version: 1)
        let gate = try #require(ReportGate("failing<0.5%"))
        #expect(gate.judge(patch, scale: 1).verdict == .undecided)
        patch.devices = 100
        patch.failing = 0
        #expect(gate.judge(patch, scale: 1).verdict == .undecided)
        patch.devices = 1000
        #expect(gate.judge(patch, scale: 1).verdict == .passed)
        #expect(gate.judge(patch, scale: 2).verdict == .undecided, "half of them were not counted")
        patch.failing = 5
        #expect(gate.judge(patch, scale: 1).verdict == .undecided)
        patch.failing = 30
        #expect(gate.judge(patch, scale: 1).verdict == .crossed)
        patch.failureShare = Share(400, of: 1_000_000)
        #expect(ReportGate("failures<0.1%")?.judge(patch, scale: 4).verdict == .passed)
        #expect(ReportGate("failures<0.03%")?.judge(patch, scale: 1).verdict == .crossed)
        for wrong in [
            "", "failing", "failing<", "failing<x", "failing<0", "failing<0.5", "failing<1", "failing<previous+0.5",
            "failing<101%", "failing<1e-3", "crashes<1%",
            "failing<<1%", "failing>1%", "failing<-1%", "failing<nan",
        ] {
            #expect(ReportGate(wrong) == nil, "\(wrong)")
        }
    }

    /// An exact gate is crossed by the first device, and passed as long as there is none.
    @Test func reportGateExactIsCrossedByFirstDevice() throws {
        var patch = FleetReport.Patch(id: "p", version: 1)
        for (text, path) in [
            ("failing=0", \FleetReport.Patch.failing), ("rolled-back=0", \.rolledBack), ("refused=0", \.refused),
        ] {
            let gate = try #require(ReportGate(text))
            #expect(gate.isExact && !gate.isRelative && gate.text == text)
            patch.devices = 0
            #expect(gate.judge(patch, scale: 1).verdict == .undecided)
            patch.devices = 1
            #expect(gate.judge(patch, scale: 1).verdict == .passed)
            patch.devices = 100_000
            patch[keyPath: path] = 1
            #expect(gate.judge(patch, scale: 1).verdict == .crossed)
            patch[keyPath: path] = 0
        }
        patch.suspected = 1
        #expect(ReportGate("rolled-back=0")?.judge(patch, scale: 1).verdict == .undecided)
        #expect(ReportGate("failing=0")?.judge(patch, scale: 1).verdict == .passed)
        let gate = try #require(ReportGate("differs=0"))
        #expect(gate.judge(patch, scale: 1).verdict == .undecided, "nothing was compared")
        patch.comparisons = [function("a", differing: Share(0, of: 3))]
        #expect(gate.judge(patch, scale: 1).verdict == .passed)
        patch.uncounted = 1
        #expect(gate.judge(patch, scale: 1).verdict == .undecided)
        patch.comparisons.append(function("b", differing: Share(count: 0.01, of: 3)))
        let crossed = gate.judge(patch, scale: 1)
        #expect(crossed.verdict == .crossed && crossed.function?.function == "b")
        patch.uncounted = 0
        patch.comparisons[1] = function("b", differing: Share(0, of: 3), comparable: 0.1)
        #expect(gate.judge(patch, scale: 1).verdict == .undecided, "hardly a call of b was compared")
        for wrong in ["failing=1", "failing<0", "failing<=0", "time-p95=0", "sync-failed=0", "failures=0", "=0"] {
            #expect(ReportGate(wrong) == nil, "\(wrong)")
        }
    }

    /// A function of which devices compared calls, with the mean of their shares.
    private func function(
        _ name: String, differing: Share, comparable: Double = 1, of devices: Int = 1000
    ) -> FleetReport.Comparison {
        var function = FleetReport.Comparison(function: name)
        function.differingShare = differing
        function.users = Share(differing.total, of: devices)
        function.votes = differing.total * 1_000_000_000
        function.comparableShare = Share(count: comparable * Double(differing.total), of: differing.total)
        return function
    }

    @Test func reportGateSeveralFunctionsWorstDecides() throws {
        var patch = FleetReport.Patch(id: "p", version: 1)
        let gate = try #require(ReportGate("differs<1%"))
        func judge(_ functions: FleetReport.Comparison..., scale: Int = 1) -> ReportGate.Judgement {
            patch.comparisons = functions
            return gate.judge(patch, scale: scale)
        }
        #expect(gate.measure.isOfCalls && gate.judge(patch, scale: 1).verdict == .undecided)
        patch.devices = 100_000
        patch.counts.calls = 100_000
        #expect(judge(function("a", differing: Share(0, of: 0))).verdict == .undecided, "nothing was compared")
        #expect(judge(function("a", differing: Share(0, of: 100))).verdict == .undecided, "too few")
        let good = function("a", differing: Share(count: 0.5, of: 1000))
        #expect(judge(good).verdict == .passed)
        #expect(judge(good, scale: 64).verdict == .passed, "the counted devices are the evidence")
        // A share of 3 in 1,000 over both functions, and wrong in every order.
        let order = function("Order.ship", differing: Share(1000, of: 1000))
        #expect(judge(good, order).verdict == .crossed && judge(good, order).function?.function == "Order.ship")
        let few = judge(good, function("b", differing: Share(0, of: 90)))
        #expect(few.verdict == .undecided && few.function?.function == "b")
        // Fewer devices than the bound allows use it at all, so it holds nothing up, and stops nothing.
        #expect(judge(good, function("b", differing: Share(0, of: 2))).verdict == .passed)
        #expect(judge(good, function("b", differing: Share(1, of: 1))).verdict == .passed)
        #expect(judge(good, function("b", differing: Share(4, of: 4), of: 20_000)).verdict == .passed)
        #expect(judge(good, function("b", differing: Share(6, of: 6))).verdict == .undecided)
        let users = judge(good, function("b", differing: Share(6, of: 6))).users
        #expect(users?.share == Share(6, of: 1000) && users?.isAbove(0.01) == nil)
        #expect(few.users == nil, "there are too few calls, whoever uses it")
        #expect(judge(good, function("b", differing: Share(40, of: 40))).verdict == .crossed)
        // With more functions, each needs more evidence. Functions that few devices use take little of it.
        let some = function("z", differing: Share(12, of: 300))
        #expect(judge(some).verdict == .crossed)
        patch.comparisons = (0..<100).map { function("f\($0)", differing: Share(0, of: 1000)) } + [some]
        #expect(gate.judge(patch, scale: 1).verdict == .undecided)
        patch.comparisons = (0..<100).map { function("f\($0)", differing: Share(0, of: 1)) } + [some]
        #expect(gate.judge(patch, scale: 1).verdict == .crossed)
        // Functions that are not counted may differ in every call.
        patch.comparisons = [good]
        patch.shadowed = 1000
        for (uncounted, verdict) in [(1, ReportGate.Verdict.passed), (100, .undecided)] {
            patch.uncounted = uncounted
            #expect(gate.judge(patch, scale: 1).verdict == verdict)
        }
        patch.comparisons = [order]
        #expect(gate.judge(patch, scale: 1).verdict == .crossed, "what is counted is enough")
        patch.uncounted = 0
        // A failed run crosses another gate.
        patch.failing = 1000
        #expect(ReportGate("failing<0.5%")?.judge(patch, scale: 1).verdict == .crossed)
    }

    @Test func reportGateHardlyComparableDecidesNothing() throws {
        var patch = FleetReport.Patch(id: "p", version: 1)
        let gate = try #require(ReportGate("differs<1%"))
        for differing in [0, 1000] {
            patch.comparisons = [function("a", differing: Share(differing, of: 1000), comparable: 0.4)]
            #expect(gate.judge(patch, scale: 1).verdict == .undecided)
            patch.comparisons = [function("a", differing: Share(differing, of: 1000), comparable: 0.6)]
            #expect(gate.judge(patch, scale: 1).verdict == (differing > 0 ? .crossed : .passed))
        }
        patch.comparisons = [
            function("a", differing: Share(0, of: 1000)), function("b", differing: Share(1, of: 2), comparable: 0),
        ]
        #expect(gate.judge(patch, scale: 1).verdict == .passed, "two devices in a thousand use it")
    }

    /// A version is compared with the one before, function by function.
    @Test func reportGateDiffersMoreThanBeforeComparesFunctions() throws {
        var (old, new) = (FleetReport.Patch(id: "p", version: 1), FleetReport.Patch(id: "p", version: 2))
        let gate = try #require(ReportGate("differs<previous+1%"))
        old.comparisons = [function("a", differing: Share(100, of: 10_000))]
        new.comparisons = [function("a", differing: Share(100, of: 10_000))]
        #expect(gate.judge(new, after: old, scale: 1).verdict == .passed)
        #expect(gate.judge(new, scale: 1).verdict == .undecided)
        new.comparisons.append(function("b", differing: Share(0, of: 10_000)))
        #expect(gate.judge(new, after: old, scale: 1).verdict == .undecided, "nothing to compare it with")
        new.comparisons[0] = function("a", differing: Share(900, of: 10_000))
        #expect(gate.judge(new, after: old, scale: 1).verdict == .crossed)
    }

    /// A fleet that refuses its feed reports nothing about a patch.
    @Test func aGateMayBeOfAllDevices() throws {
        var report = FleetReport()
        let sync = try #require(ReportGate("sync-failed<5%"))
        let store = try #require(ReportGate("store-failed<1%"))
        #expect(sync.measure.isOfFleet && store.measure.isOfFleet && !ReportGate.Measure.failing.isOfFleet)
        #expect(sync.judge(report).verdict == .undecided)
        report.devices = 1000
        report.unsynced = 20
        report.troubled = [.syncFailed: 900, .storeFailed: 50]
        #expect(sync.judge(report).sequence.share == Share(20, of: 1000) && sync.judge(report).verdict == .passed)
        #expect(store.judge(report).sequence.share == Share(50, of: 1000) && store.judge(report).verdict == .crossed)
        report.unsynced = 100
        #expect(sync.judge(report).verdict == .crossed)
        report.scale = 64
        #expect(sync.judge(report).verdict == .undecided, "15 devices were counted")
        #expect(ReportGate("sync-failed<previous+1%") == nil && ReportGate("store-failed<previous+1%") == nil)
    }

    @Test func timesHaveBounds() throws {
        var patch = FleetReport.Patch(id: "p", version: 1)
        let gate = try #require(ReportGate("time-p95<5ms"))
        #expect(gate.measure == .time && abs(gate.bound.value - 0.05) < 1e-12)
        #expect(ReportGate.times.count == EventRecord.timeBounds.count)
        for (text, bound) in zip(ReportGate.times, EventRecord.timeBounds) {
            let isMicro = text.hasSuffix("us")
            #expect(Int(text.dropLast(2)).map { $0 * (isMicro ? 1000 : 1_000_000) } == bound)
        }
        #expect(gate.judge(patch, scale: 1).verdict == .undecided && patch.counts.time95 == nil)
        // Above 100 µs, 1 ms, 2 ms and 5 ms, and below these and 10 ms.
        patch.slowerShares.replaceSubrange(..<4, with: [5000, 5000, 5000, 100].map { Share($0, of: 10_000) })
        for index in 4..<10 { patch.slowerShares[index] = Share(0, of: 10_000) }
        patch.counts.times.replaceSubrange(..<5, with: [5000, 0, 0, 4900, 100])
        #expect(gate.judge(patch, scale: 1).sequence.share == Share(100, of: 10_000))
        #expect(gate.judge(patch, scale: 1).verdict == .passed && patch.counts.time95 == 5_000_000)
        #expect(ReportGate("time-p95<2ms")?.judge(patch, scale: 1).verdict == .crossed)
        #expect(ReportGate("time-p50<2ms")?.judge(patch, scale: 1).verdict == .undecided)
        #expect(ReportGate("time-p99<500ms")?.judge(patch, scale: 1).verdict == .passed)
        for wrong in [
            "time<5%", "time-p<5ms", "time-p0<5ms", "time-p100<5ms", "time-p95<3ms", "time-p95<5", "time-p095<5ms",
            "time-p95<previous+1%", "time-p95<5 ms", "time-p95<5ms<5ms",
        ] {
            #expect(ReportGate(wrong) == nil, "\(wrong)")
        }
    }

    /// A bound that is relative to the previous version decides only if both versions have enough data.
    @Test func aBoundMayBeRelative() throws {
        let gate = try #require(ReportGate("failing<previous+0.2%"))
        #expect(gate.isRelative && gate.bound.value == 0.002)
        #expect(ReportGate("failing<previous") == nil && ReportGate("failing<previous+0%") == nil)
        func patch(_ version: Int, _ failing: Int, of devices: Int) -> FleetReport.Patch {
            var patch = FleetReport.Patch(id: "com.example.a", version: version)
            patch.devices = devices
            patch.failing = failing
            return patch
        }
        let old = patch(1, 100, of: 10_000)
        #expect(gate.judge(patch(2, 0, of: 10_000), scale: 1).verdict == .undecided, "nothing to compare with")
        #expect(gate.judge(patch(2, 100, of: 10_000), after: patch(1, 0, of: 3), scale: 1).verdict == .undecided)
        #expect(gate.judge(patch(2, 300, of: 10_000), after: old, scale: 1).verdict == .crossed)
        #expect(gate.judge(patch(2, 20, of: 10_000), after: old, scale: 1).verdict == .passed)
        #expect(gate.judge(patch(2, 100, of: 10_000), after: old, scale: 1).verdict == .undecided)
        #expect(
            gate.judge(patch(2, 10_000, of: 1_000_000), after: patch(1, 10_000, of: 1_000_000), scale: 1).verdict
                == .passed)
        // Two versions that grow together and are checked repeatedly: wrong in at most one of twenty fleets.
        var wrong = 0
        for seed in 1...200 {
            var random = Random(UInt64(seed))
            var failing = [0, 0]
            var isWrong = false
            for devices in 1...4000 {
                for index in 0..<2 where random.next() < (index == 0 ? 0.01 : 0.012) { failing[index] += 1 }
                guard devices.isMultiple(of: 40) else { continue }
                let verdict = gate.judge(
                    patch(2, failing[1], of: devices), after: patch(1, failing[0], of: devices), scale: 1
                ).verdict
                if verdict != .undecided { isWrong = true }
            }
            wrong += isWrong ? 1 : 0
        }
        #expect(wrong <= 10, "\(wrong) of 200")
    }

    /// There is room for the comparisons of fewer devices than for devices, so their sample is a smaller one.
    @Test func theScaleIsThatOfTheSampleWhichTheGateReads() throws {
        var limits = ReportBuilder.Limits()
        limits.devices = 64
        let lines = (1...15).map { device in
            ReportTests.line("compared", device: device, #","code.function.name":"A.a","shadow.agreed":1"#)
        }
        let report = try ReportTests.report(lines, limits: limits)
        let patch = try #require(report.patches.first)
        func judge(_ text: String) throws -> ReportGate.Judgement {
            try #require(ReportGate(text)).judge(patch, scale: report.scale)
        }
        #expect(report.scale == 1 && patch.shadowed == 15)
        #expect(try judge("failing<1%").scale == 1)
        let compared = try judge("differs<1%")
        #expect(compared.scale > 1 && compared.sequence.share.total < 15)
    }
}
