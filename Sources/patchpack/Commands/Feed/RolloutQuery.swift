import PatchCrypto
import PatchFeed
import PatchPublishing
import PatchReport

/// What a step of a rollout asks of the reports of devices: about which patch, since when, and within which bounds.
struct RolloutQuery {
    let entry: PatchEntryDraft
    /// When devices could first have the step; nil if the entry has no time. Then each device counts as new, and the
    /// step as old enough.
    let begin: Timestamp?
    /// The gates, and the bounds above which no device may keep the patch, that can be decided as the patch is offered.
    let gates, limits: [ReportGate]
    let rules: RolloutStep.Rules
    /// The patch in this version and in earlier ones, as the feed lists them.
    let listed: [FleetReport.Listed]
    private let origin: FleetReport.Origin

    init(
        about entry: PatchEntryDraft, of feed: FeedRepository, begin: Timestamp?, gates: [ReportGate],
        limits: [ReportGate], _ rules: RolloutStep.Rules
    ) {
        self.entry = entry
        self.begin = begin
        self.gates = gates.filter { $0.isAsked(of: entry) }
        self.limits = limits.filter { $0.isAsked(of: entry) }
        self.rules = rules
        listed = feed.listed.filter { $0.id == entry.id && $0.version <= entry.version }
        origin = feed.origin
    }

    /// What of the event logs counts.
    ///
    /// - Parameter since: The time from which events count; nil for the last offer. Events from before a resume do not
    ///   pause the patch again.
    func filter(since: Timestamp?, at now: Timestamp) -> ReportFilter {
        let soaked = Timestamp(secondsSince1970: max(0, now.secondsSince1970 - rules.soak))
        return ReportFilter(
            patch: entry.id,
            // A bound may be relative to the version before.
            version: (gates + limits).contains(where: \.isRelative) ? nil : entry.version,
            since: since ?? entry.offered,
            heardSince: entry.offered ?? Timestamp(secondsSince1970: 0), newSince: begin,
            // For an exact gate, only devices count that have had the patch for as long as a step lasts.
            newUntil: gates.contains(where: \.isExact) ? soaked : nil, origin: origin)
    }

    /// The results of gates on the asked version.
    ///
    /// - Parameters:
    ///   - report: The report on that version alone.
    ///   - all: The report on all versions that count.
    func results(of gates: [ReportGate], in report: FleetReport, of all: FleetReport) -> [ReportGateResult] {
        ReportGateResult.all(gates, report, id: entry.id, version: entry.version, all.patches, listed: listed)
    }

    /// The report on the asked version alone.
    func only(in report: FleetReport) -> FleetReport {
        var report = report
        report.patches.removeAll { $0.id != entry.id || $0.version != entry.version }
        return report
    }
}

extension ReportGate {
    /// Whether it can be decided as the patch is offered. A patch that is paused may be so because of any gate.
    fileprivate func isAsked(of entry: PatchEntryDraft) -> Bool {
        !entry.isOffered || measure.isDecided(inShadow: entry.state == .shadow)
    }
}
