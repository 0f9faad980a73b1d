import PatchCrypto
import PatchFeed
import PatchPublishing
import PatchReport
import PatchRunner

/// What devices have reported on a patch of a rollout since it was offered.
struct RolloutEvidence {
    let ofStep: RolloutStep.Evidence
    /// The first error of the files, which is printed already: one cannot be read, or none has an event; nil if there
    /// is none.
    let unread: PatchError?
    /// What else to know about it, in lines.
    let notes: [String]

    /// Reads the events that a command line names.
    ///
    /// - Throws: `usage` if it names none, `no-input` if a folder of them cannot be read.
    init(
        on query: RolloutQuery, _ arguments: ParsedArguments, _ console: Console, at now: Timestamp
    ) throws(PatchError) {
        let places = arguments.values(of: .events).map(\.path)
        guard !places.isEmpty else { throw .usage("no events", hint: "give --events FILE or DIR") }
        let filter = query.filter(since: try arguments.moment(of: .since, before: now), at: now)
        let (all, unread) = try EventFiles.report(
            on: places, mayBeMissing: true, filter, listed: query.listed, console)
        self.unread = unread
        let report = query.only(in: all)
        let gates = query.results(of: query.gates, in: report, of: all)
        let limits = query.results(of: query.limits, in: report, of: all)
        ofStep = RolloutStep.Evidence(report, begin: query.begin, isWhole: unread == nil, gates, limits)
        notes = (report.input.notes + report.shortages(in: query, gates)).map { "note  \($0)" }
    }
}

extension RolloutStep.Evidence {
    /// - Parameters:
    ///   - report: The report on the patch alone.
    ///   - begin: When devices could first have the step; nil if that is not known.
    ///   - isWhole: Whether all files of events were read.
    fileprivate init(
        _ report: FleetReport, begin: Timestamp?, isWhole: Bool, _ gates: [ReportGateResult],
        _ limits: [ReportGateResult]
    ) {
        let input = report.input
        self.init(
            events: input.events + input.earlier, devices: report.knownDevices,
            damage: Damage(
                lines: input.damaged, linesWithoutDevice: input.damagedWithoutDevice, devices: input.damagedDevices),
            newest: report.newest, newDevices: report.patches.first?.newDevices ?? 0, isWhole: isWhole, begin: begin,
            gates: gates.map(\.gateOfStep), limits: limits.map(\.gateOfStep))
    }
}

extension FleetReport.Input {
    /// What was left out of the report. A rollout does not wait because of it.
    fileprivate var notes: [String] {
        [(elsewhere, elsewhereText), (dropped, droppedText)].filter { $0.0 > 0 }.map(\.1)
    }
}

extension FleetReport {
    /// The bounds that need more devices than the step can reach, of those in the events, each in a line with a remedy.
    fileprivate func shortages(in query: RolloutQuery, _ gates: [ReportGateResult]) -> [String] {
        let entry = query.entry
        let new = query.rules.newDevices
        // A sample does not tell how many devices there are.
        guard scale == 1, knownDevices > 0, entry.isOffered else { return [] }
        let part = Int((Double(knownDevices) * Double(entry.basisPoints) / 10_000).rounded(.up))
        // The events do not say who is in a group.
        let isPart = entry.groups.isEmpty && entry.users.isEmpty && entry.basisPoints < 10_000
        let reached = max(isPart ? part : knownDevices, patches.first?.devices ?? 0)
        let all = "the \(knownDevices.counting("device")) in the events"
        let those = isPart ? "\(Rollout.percent(entry.basisPoints)) of \(all) (about \(part.grouped))" : all
        let exact = "take \(isPart ? "a larger step, or " : "")an exact gate such as failing=0"
        let few = gates.compactMap { result -> String? in
            guard let needed = result.devicesNeeded, !result.gate.measure.isOfFleet, needed > reached else {
                return nil
            }
            return "\(result.gate.text) needs about \(needed.grouped) devices, more than \(those): \(exact)"
        }
        return few + (new > reached ? ["--new-devices \(new) is more than \(those)"] : [])
    }
}

extension ReportGateResult {
    fileprivate var gateOfStep: RolloutStep.Gate {
        RolloutStep.Gate(gate.text, .init(verdict), reason, isExact: gate.isExact)
    }
}

extension RolloutStep.Gate.Verdict {
    fileprivate init(_ verdict: ReportGate.Verdict) {
        self =
            switch verdict {
            case .passed: .passed
            case .crossed: .crossed
            case .undecided: .undecided
            }
    }
}
