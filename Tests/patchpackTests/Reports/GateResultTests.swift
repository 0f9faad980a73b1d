import PatchReport
import TestSupport
import Testing

@testable import patchpack

/// The words that explain the verdict of a gate.
@Suite(.ownThreads) struct GateResultTests {
    /// The result of a gate for the last of these patches.
    ///
    /// - Parameters:
    ///   - scale: How many devices each counted one represents.
    ///   - known: How many devices are in the events.
    private func result(
        _ gate: String, _ patches: [FleetReport.Patch], scale: Int = 1, known: Int = 0
    ) throws -> ReportGateResult {
        var report = FleetReport()
        report.scale = scale
        report.knownDevices = known
        report.patches = Array(patches.suffix(1))
        let gates = [try #require(ReportGate(gate))]
        let results = ReportGateResult.all(gates, report, id: nil, version: nil, patches, listed: nil)
        return try #require(results.first)
    }

    /// A version whose functions all of these devices have compared, without a difference.
    private func patch(version: Int, _ functions: [String], of devices: Int) -> FleetReport.Patch {
        var patch = FleetReport.Patch(id: "p", version: version)
        patch.shadowed = devices
        patch.comparisons = functions.map { name in
            var function = FleetReport.Comparison(function: name)
            function.differingShare = Share(0, of: devices)
            function.users = Share(devices, of: devices)
            function.votes = devices * 1_000_000_000
            return function
        }
        return patch
    }

    @Test func anExactGateCountsTheDevicesOfFunctionsWithoutRoom() throws {
        var patch = patch(version: 1, ["a"], of: 600)
        patch.uncounted = 300
        let reason = try result("differs=0", [patch]).reason
        #expect(reason == "too many names: functions of 300 of the devices (50.0 %) are not counted")
    }

    @Test func aFunctionThatTheVersionBeforeLacksIsNamed() throws {
        let (old, new) = (patch(version: 1, ["a"], of: 10_000), patch(version: 2, ["a", "b"], of: 10_000))
        let gate = "differs<previous+1%"
        let lone = try result(gate, [new])
        #expect(lone.reason.hasSuffix("; no device has reported an earlier version"), "\(lone.reason)")
        let second = try result(gate, [old, new])
        #expect(second.function == "b" && second.verdict == .undecided)
        #expect(second.reason.hasPrefix("b 0.0 % of the compared calls on 10,000 devices, "), "\(second.reason)")
        #expect(second.reason.hasSuffix("; no device has compared it in version 1"), "\(second.reason)")
    }

    /// Each counted device represents 64, so 64 times as many are needed for the same evidence.
    @Test func theFiguresOfASampleAreOfCountedDevices() throws {
        var (all, sample) = (FleetReport.Patch(id: "p", version: 1), FleetReport.Patch(id: "p", version: 1))
        all.devices = 100
        sample.devices = 6400
        let needed = try #require(try result("failing<1%", [all]).devicesNeeded)
        let few = try result("failing<1%", [sample], scale: 64)
        #expect(needed > 100 && few.devicesNeeded == 64 * needed)
        #expect(few.reason.hasPrefix("0.0 % of 100 counted devices, between"), "\(few.reason)")
        let more = (64 * (needed - 100)).counting("device")
        #expect(few.reason.hasSuffix(": too few for a verdict; about \(more) more would do"), "\(few.reason)")
        sample.suspected = 640
        let unsure = try result("rolled-back<5%", [sample], scale: 64).reason
        #expect(unsure.hasSuffix("; on 10 counted devices more it is suspected together with others"), "\(unsure)")
        let exact = try result("rolled-back=0", [sample], scale: 64).reason
        #expect(exact == "0 of 100 counted devices; 10 more suspect it")
    }

    /// The calls of each fourth device are counted, and the devices in the events are all of them.
    @Test func theDevicesInTheEventsAreComparedWithAllThatAreNeeded() throws {
        var sample = FleetReport.Patch(id: "p", version: 1)
        sample.devices = 400
        sample.failureShare = Share(0, of: 100)
        sample.callScale = 4
        let needed = try #require(try result("failures<1%", [sample]).devicesNeeded)
        let few = try result("failures<1%", [sample], known: needed - 1).reason
        #expect(few.hasSuffix(" more would do, but all events are of \((needed - 1).grouped)"), "\(few)")
        let enough = try result("failures<1%", [sample], known: needed).reason
        #expect(enough.hasSuffix(" more would do"), "\(enough)")
    }
}
