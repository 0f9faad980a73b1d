import PatchCrypto
import PatchFeed
import PatchPublishing
import PatchReport

/// What happens to a rollout that goes from step to step.
enum RolloutStep: Equatable {
    /// It is offered to more devices: so many of 10,000.
    case widen(Int)
    /// A gate is crossed.
    case pause(String)
    /// It is too early, for these reasons.
    case wait([String])
    /// It is on its last step, and no gate is crossed.
    case complete
    /// It is paused or withdrawn.
    case stopped

    /// What a step needs before the next one.
    struct Rules {
        /// The parts of 10,000, in rising order.
        var steps: [Int]
        /// How long each step lasts at least, in seconds.
        var soak: Int
        /// How old the newest event may be, in seconds.
        var fresh: Int
        /// How many devices must have reported the patch for the first time since the step began.
        var newDevices: Int
    }

    /// - Parameters:
    ///   - entry: The patch as it is listed.
    ///   - report: What devices have told of it since it was offered.
    ///   - gates: The gates, on that report.
    ///   - isWhole: Whether all files of events could be read.
    init(
        of entry: PatchEntryDraft, by rules: Rules, _ report: FleetReport, _ gates: [ReportGateResult],
        isWhole: Bool = true, at now: Timestamp
    ) {
        guard entry.state == .active else {
            self = .stopped
            return
        }
        if let crossed = gates.first(where: { $0.verdict == .crossed }) {
            self = .pause("\(crossed.gate.text): \(crossed.reason)")
            return
        }
        // Without a percentage, it is for all, or only for groups and users.
        let part = entry.rollout?.permyriad ?? (entry.groups.isEmpty && entry.users.isEmpty ? 10_000 : 0)
        guard let next = rules.steps.first(where: { $0 > part }) else {
            self = .complete
            return
        }
        var reasons: [String] = []
        if !isWhole { reasons.append("a file of events cannot be read") }
        let events = report.input.events + report.input.earlier
        if report.input.damaged > events / 10 {
            reasons.append("\(report.input.damaged) lines beside \(events) events are damaged")
        }
        let age = entry.since.map { now.secondsSince1970 - $0.secondsSince1970 } ?? .max
        if age < rules.soak {
            reasons.append("this step is \(age.length) old, and lasts \(rules.soak.length)")
        }
        if let newest = report.newest {
            let lag = now.secondsSince1970 - newest.secondsSince1970
            if lag > rules.fresh {
                reasons.append("the newest event is \(lag.length) old: are events still collected?")
            }
        } else {
            reasons.append("no event has come")
        }
        let devices = report.patches.first { $0.id == entry.id && $0.version == entry.version }?.newDevices ?? 0
        if devices < rules.newDevices {
            reasons.append("\(devices) of \(rules.newDevices) new devices have reported since this step began")
        }
        for gate in gates where gate.verdict == .undecided { reasons.append("\(gate.gate.text): \(gate.reason)") }
        self = reasons.isEmpty ? .widen(next) : .wait(reasons)
    }
}

extension Int {
    /// Seconds as a length of time, in the largest unit that shows them well.
    var length: String {
        switch self {
        case ..<120: "\(Swift.max(0, self)) s"
        case ..<7200: "\(self / 60) min"
        case ..<172_800: "\(self / 3600) h"
        default: "\(self / 86_400) days"
        }
    }
}
