import PatchCrypto
import PatchFeed
import PatchPublishing
import PatchReport
import PatchRunner
import PatchText

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
    /// - Parameters:
    ///   - begin: When devices could first have the step; nil if the entry has no time. Then each device counts as new,
    ///     and the step as old enough.
    ///   - limits: The bounds above which no device may keep the patch.
    init(
        on entry: PatchEntryDraft, of feed: FeedRepository, begin: Timestamp?, gates: [ReportGate],
        limits: [ReportGate], _ rules: RolloutStep.Rules, _ arguments: ParsedArguments, _ console: Console,
        at now: Timestamp
    ) throws(PatchError) {
        let places = arguments.values(of: .events).map(\.path)
        guard !places.isEmpty else { throw .usage("no events", hint: "give --events FILE or DIR") }
        let gates = gates.filter { $0.isAsked(of: entry) }
        let limits = limits.filter { $0.isAsked(of: entry) }
        let soaked =
            Timestamp(secondsSince1970: now.secondsSince1970.addingOrMost(-rules.soak))
            ?? Timestamp(secondsSince1970: 0)
        let filter = ReportFilter(
            patch: entry.id,
            // A bound may be relative to the version before.
            version: (gates + limits).contains(where: \.isRelative) ? nil : entry.version,
            // Events from before a resume do not pause it again.
            since: try arguments.moment(of: .since, before: now) ?? entry.offered,
            heardSince: entry.offered ?? Timestamp(secondsSince1970: 0), newSince: begin,
            newUntil: gates.contains(where: \.isExact) ? soaked : nil, origin: feed.origin)
        let listed = feed.listed.filter { $0.id == entry.id && $0.version <= entry.version }
        let (whole, unread) = try EventFiles.report(on: places, mayBeMissing: true, filter, listed: listed, console)
        var report = whole
        report.patches.removeAll { $0.id != entry.id || $0.version != entry.version }
        func results(_ gates: [ReportGate]) -> [ReportGateResult] {
            ReportGateResult.all(
                gates, report, id: entry.id, version: entry.version, whole.patches, listed: listed)
        }
        let verdicts = results(gates)
        let input = report.input
        ofStep = RolloutStep.Evidence(
            events: input.events + input.earlier, devices: report.knownDevices,
            damage: RolloutStep.Evidence.Damage(
                lines: input.damaged, linesWithoutDevice: input.damagedWithoutDevice, devices: input.damagedDevices),
            newest: report.newest, newDevices: report.patches.first?.newDevices ?? 0, isWhole: unread == nil,
            begin: begin, gates: verdicts.map(\.gateOfStep), limits: results(limits).map(\.gateOfStep))
        self.unread = unread
        let leftOut = [(input.elsewhere, input.elsewhereText), (input.dropped, input.droppedText)]
        let texts = leftOut.filter { $0.0 > 0 }.map(\.1)
        notes = (texts + report.shortages(on: entry, verdicts, new: rules.newDevices)).map { "note  \($0)" }
    }
}

extension ReportGate {
    /// Whether it can be decided as the patch is offered. A patch that is paused may be so because of any gate.
    fileprivate func isAsked(of entry: PatchEntryDraft) -> Bool {
        !entry.isOffered || measure.isDecided(inShadow: entry.state == .shadow)
    }
}

extension FleetReport {
    /// What needs more devices than a step of a rollout can reach, of those in the events, and what would not.
    ///
    /// - Parameter new: How many devices must report the patch for the first time in a step.
    fileprivate func shortages(on entry: PatchEntryDraft, _ gates: [ReportGateResult], new: Int) -> [String] {
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
