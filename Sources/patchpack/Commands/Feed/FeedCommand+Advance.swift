import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchReport
import PatchRunner

extension Option {
    static let events = Option(
        "events", "event logs of devices, as for `patchpack report`", .file("FILE|DIR"), repeats: true)
    static let steps = Option(
        "steps",
        "parts of all devices, besides the patch's groups and users; `shadow` may come first (default: 1%,5%,25%,100%)",
        .text("PERCENTS"))
    static let soak = Option(
        "soak", "how long each step lasts at least, such as 30m or 2d (default: 4h)", .text("TIME"))
    static let fresh = Option("fresh", "how old the newest event may be (default: 1h)", .text("TIME"))
    static let newDevices = Option(
        "new-devices", "devices that must have reported it for the first time in a step (default: 100)", .text("N"))
}

extension FeedCommand {
    static let advanceOptions =
        FeedAction.options + [
            .author, .patchVersion, .events, .gate, .withdrawIf, .steps, .soak, .fresh, .newDevices, .since,
        ]

    /// Widens a rollout by one step if that is safe, and pauses it if a gate is crossed.
    @Sendable static func advance(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let action = try FeedAction(arguments, console)
        let rules = try RolloutStep.Rules(arguments)
        let gates = try ReportGate.all(arguments)
        guard !gates.isEmpty else { throw .usage("no gate", hint: "give --gate BOUND, as in --gate 'failing<0.5%'") }
        if rules.beginsInShadow { try check(gates, inShadow: true) }
        try check(gates, inShadow: false)
        let listing = try action.change.repository()
        let asked = try listing.entry(
            arguments.operands[1].text, version: arguments.number(of: .patchVersion))
        let limits = try ReportGate.all(arguments, of: .withdrawIf)
        let (evidence, unread, leftOut) = try evidence(
            on: asked, of: listing, gates, limits, arguments, console, at: action.change.now)
        var failure: PatchError?
        try action.run(isUrgent: true) { (feed, details) throws(PatchError) in
            let old = try feed.entry(asked.id, version: asked.version)
            let name = old.name
            // The evidence is about the step before this change.
            guard old.since == asked.since else { return ["waits  \(name): it was changed in this moment"] }
            let step = RolloutStep(of: old, isEnabled: feed.list.isEnabled, by: rules, evidence, at: details.now)
            let entry = feed.take(step, of: old, passing: evidence.gates, in: &details)
            func stopped(because bound: RolloutStep.Gate, hint: String) -> [String] {
                failure = PatchError(.script, "\(name) is \(entry.stateText): \(bound.change)", hint: hint)
                let fallback = entry.fallback(of: feed.entries(of: entry.id))
                return ["\(entry.stateText)  \(name)"]
                    + (fallback.map { ["still offered  \($0.name)  \($0.words)"] } ?? []) + leftOut
            }
            switch step {
            case .widen: return ["widened  \(name)  \(old.words) -> \(entry.words)"] + leftOut
            case .pause(let gate):
                return stopped(because: gate, hint: "look into it, and then: patchpack feed withdraw, or resume")
            case .withdraw(let limit):
                return stopped(because: limit, hint: "deploy it, look into it, and publish a higher version")
            case .wait(let reasons): return reasons.map { "waits  \(name): \($0.text)" } + leftOut
            case .complete: return ["complete  \(name): \(old.words), and no gate is crossed"]
            case .stopped(let gate):
                if let gate {
                    failure = PatchError(
                        .script, "\(name) is \(old.stateText) because of \(gate.text), which is now: \(gate.reason)",
                        hint: "patchpack feed withdraw, or resume")
                }
                guard old.state != .shadow else {
                    return ["stopped  \(name): left \(old.words); to go on, let --steps begin with `shadow`"]
                }
                return ["stopped  \(name): \(old.words)\(old.reason.map { " (\($0))" } ?? "")"]
            }
        }
        if let failure { throw failure.about(action.folder.path) }
        console.fail(unread?.code)
    }

    /// Refuses gates of which none can be decided in a state through which the rollout goes.
    private static func check(_ gates: [ReportGate], inShadow: Bool) throws(PatchError) {
        guard !gates.contains(where: { $0.measure.isDecided(inShadow: inShadow) }) else { return }
        let names = gates.map { "'\($0.text)'" }.joined(separator: " and ")
        let states = ["in shadow", "when the patch is live"]
        throw .usage(
            "--gate \(names) decide\(gates.count == 1 ? "s" : "") only \(states[inShadow ? 1 : 0])",
            hint: "give one that decides \(states[inShadow ? 0 : 1]) too, such as --gate 'failing<0.5%'")
    }

    /// The devices' reports on a patch since it was offered, and the verdicts of the gates.
    private static func evidence(
        on entry: PatchEntryDraft, of feed: FeedRepository, _ gates: [ReportGate], _ limits: [ReportGate],
        _ arguments: ParsedArguments, _ console: Console, at now: Timestamp
    ) throws(PatchError) -> (RolloutStep.Evidence, unread: PatchError?, leftOut: [String]) {
        let places = arguments.values(of: .events).map(\.path)
        guard !places.isEmpty else { throw .usage("no events", hint: "give --events FILE or DIR") }
        // Events from before a resume do not pause it again.
        let since = try arguments.moment(of: .since, before: now) ?? entry.offered
        // A bound may be relative to the version before.
        let version = (gates + limits).contains(where: \.isRelative) ? nil : entry.version
        let before = feed.listed.filter { $0.id == entry.id && $0.version < entry.version }
        var (report, unread) = try EventFiles.report(
            on: places, mayBeMissing: true, patch: entry.id, version: version, since: since, newSince: entry.since,
            listed: [FleetReport.Listed(id: entry.id, version: entry.version, isLive: entry.state != .shadow)] + before,
            origin: feed.origin, console)
        let all = report.patches
        report.patches.removeAll { $0.id != entry.id || $0.version != entry.version }
        func judged(_ gates: [ReportGate]) -> [RolloutStep.Gate] {
            // A patch that is paused may be so because of any.
            let asked = gates.filter { !entry.isOffered || $0.measure.isDecided(inShadow: entry.state == .shadow) }
            return ReportGateResult.all(
                asked, report, id: entry.id, version: entry.version, all, listed: before
            )
            .map { RolloutStep.Gate($0.gate.text, .init($0.verdict), $0.reason) }
        }
        let evidence = RolloutStep.Evidence(
            events: report.input.events + report.input.earlier, damaged: report.input.damaged,
            damagedWithoutDevice: report.input.damagedWithoutDevice, damagedDevices: report.input.damagedDevices,
            devices: report.devices, newest: report.newest, newDevices: report.patches.first?.newDevices ?? 0,
            isWhole: unread == nil,
            gates: judged(gates), limits: judged(limits))
        let input = report.input
        let notes = [(input.elsewhere, input.elsewhereText), (input.dropped, input.droppedText)]
        return (evidence, unread, notes.filter { $0.0 > 0 }.map { "note  \($0.1)" })
    }
}

extension RolloutStep.Rules {
    fileprivate init(_ arguments: ParsedArguments) throws(PatchError) {
        let text = try arguments.text(of: .steps) ?? "1%,5%,25%,100%"
        guard let steps = Self.steps(text) else {
            throw .usage("--steps \(text): expected rising percentages, such as 1%,5%,25%,100% or shadow,1%,100%")
        }
        self.init(
            steps: steps, soak: try arguments.seconds(of: .soak) ?? 4 * 3600,
            fresh: try arguments.seconds(of: .fresh) ?? 3600, newDevices: try arguments.number(of: .newDevices) ?? 100)
    }
}

extension RolloutStep.Reason {
    fileprivate var text: String {
        switch self {
        case .unreadableEvents: "a file of events cannot be read"
        case .damagedLines(let count, let events): "\(count) lines beside \(events) events are damaged"
        case .young(let age, let soak): "this step is \(age.length) old, and lasts \(soak.length)"
        case .staleEvents(let lag): "the newest event is \(lag.length) old: are events still collected?"
        case .noEvents: "no event has come"
        case .fewDevices(let count, let needed):
            "\(count) of \(needed) new devices have reported since this step began"
        case .undecided(let gate): gate.change
        case .switchedOff: "all patches are switched off: patchpack feed enable"
        }
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
