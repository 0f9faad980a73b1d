import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchReport
import PatchRunner
import PatchText

extension Option {
    static let events = Option(
        "events", "event logs of devices, as for `patchpack report`", .file("FILE|DIR"), repeats: true)
    static let steps = Option(
        "steps",
        "parts of all devices, besides the patch's groups and users; or groups, as in 'group canary,100%'; `shadow` may come first (default: 1%,5%,25%,100%)",
        .text("STEPS"))
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
        let begin = try action.change.history().begin(of: asked, until: listing)
        let (evidence, unread, notes) = try evidence(
            on: asked, since: begin, of: listing, gates, limits, rules, arguments, console, at: action.change.now)
        var failure: PatchError?
        try action.run(isUrgent: true) { (feed, details) throws(PatchError) in
            let old = try feed.entry(asked.id, version: asked.version)
            let name = old.name
            // The evidence is about the step before this change.
            guard old.json.encoded() == asked.json.encoded() else {
                return ["waits  \(name): it was changed in this moment"]
            }
            let step = RolloutStep(of: old, isEnabled: feed.list.isEnabled, by: rules, evidence, at: details.now)
            let entry = feed.take(step, of: old, passing: evidence.gates, in: &details)
            func stopped(because bound: RolloutStep.Gate, hint: String) -> [String] {
                failure = PatchError(.script, "\(name) is \(entry.stateText): \(bound.change)", hint: hint)
                let fallback = entry.fallback(of: feed.entries(of: entry.id))
                return ["\(entry.stateText)  \(name)"]
                    + (fallback.map { ["still offered  \($0.name)  \($0.words)"] } ?? []) + notes
            }
            switch step {
            case .widen: return ["widened  \(name)  \(old.words) -> \(entry.words)"] + notes
            case .pause(let gate):
                return stopped(because: gate, hint: "look into it, and then: patchpack feed withdraw, or resume")
            case .withdraw(let limit):
                return stopped(because: limit, hint: "deploy it, look into it, and publish a higher version")
            case .wait(let reasons): return reasons.map { "waits  \(name): \($0.text)" } + notes
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

    /// The devices' reports on a patch since it was offered, the verdicts of the gates, and what else to know about
    /// them.
    private static func evidence(
        on entry: PatchEntryDraft, since begin: Timestamp?, of feed: FeedRepository, _ gates: [ReportGate],
        _ limits: [ReportGate], _ rules: RolloutStep.Rules, _ arguments: ParsedArguments, _ console: Console,
        at now: Timestamp
    ) throws(PatchError) -> (RolloutStep.Evidence, unread: PatchError?, notes: [String]) {
        let places = arguments.values(of: .events).map(\.path)
        guard !places.isEmpty else { throw .usage("no events", hint: "give --events FILE or DIR") }
        // Events from before a resume do not pause it again.
        let since = try arguments.moment(of: .since, before: now) ?? entry.offered
        // A bound may be relative to the version before.
        let version = (gates + limits).contains(where: \.isRelative) ? nil : entry.version
        let before = feed.listed.filter { $0.id == entry.id && $0.version < entry.version }
        // A patch that is paused may be so because of any.
        func asked(_ gates: [ReportGate]) -> [ReportGate] {
            gates.filter { !entry.isOffered || $0.measure.isDecided(inShadow: entry.state == .shadow) }
        }
        let soaked = Timestamp(secondsSince1970: now.secondsSince1970.addingOrMost(-rules.soak))
        let filter = ReportFilter(
            patch: entry.id, version: version, since: since, newSince: begin,
            newUntil: asked(gates).contains(where: \.isExact) ? soaked : nil, origin: feed.origin)
        let own = FleetReport.Listed(id: entry.id, version: entry.version, isLive: entry.state != .shadow)
        var (report, unread) = try EventFiles.report(
            on: places, mayBeMissing: true, filter, listed: [own] + before, console)
        let all = report.patches
        report.patches.removeAll { $0.id != entry.id || $0.version != entry.version }
        func results(_ gates: [ReportGate]) -> [ReportGateResult] {
            ReportGateResult.all(
                asked(gates), report, id: entry.id, version: entry.version, all, listed: before)
        }
        let verdicts = results(gates)
        let input = report.input
        let evidence = RolloutStep.Evidence(
            events: input.events + input.earlier, damaged: input.damaged,
            damagedWithoutDevice: input.damagedWithoutDevice, damagedDevices: input.damagedDevices,
            devices: report.devices, newest: report.newest, newDevices: report.patches.first?.newDevices ?? 0,
            isWhole: unread == nil, begin: begin, gates: verdicts.map(\.gateOfStep),
            limits: results(limits).map(\.gateOfStep))
        let leftOut = [(input.elsewhere, input.elsewhereText), (input.dropped, input.droppedText)]
        let notes =
            leftOut.filter { $0.0 > 0 }.map(\.1) + report.shortages(on: entry, verdicts, new: rules.newDevices)
        return (evidence, unread, notes.map { "note  \($0)" })
    }
}

extension ReportGateResult {
    fileprivate var gateOfStep: RolloutStep.Gate {
        RolloutStep.Gate(gate.text, .init(verdict), reason, isExact: gate.isExact)
    }
}

extension FleetReport {
    /// What needs more devices than a step of a rollout can reach, of those in the events, and what would not.
    fileprivate func shortages(on entry: PatchEntryDraft, _ gates: [ReportGateResult], new: Int) -> [String] {
        guard scale == 1, knownDevices > 0, entry.isOffered else { return [] }
        let part = (Double(knownDevices) * Double(entry.basisPoints) / 10_000).rounded(.up)
        // The events do not say who is in a group.
        let isPart = entry.groups.isEmpty && entry.users.isEmpty && entry.basisPoints < 10_000
        let reached = max(isPart ? Int(part) : knownDevices, patches.first?.devices ?? 0)
        let those = "the \(knownDevices.counting("device")) in the events"
        let words = isPart ? "\(Rollout.percent(entry.basisPoints)) of \(those) is about \(reached.grouped)" : those
        func few(_ gate: ReportGateResult) -> String? {
            guard let needed = gate.devicesNeeded, !gate.gate.measure.isOfFleet, needed > reached else { return nil }
            let way =
                isPart
                ? "take a larger step, or an exact gate such as failing=0" : "take an exact gate such as failing=0"
            return "\(gate.gate.text) needs about \(needed.grouped) devices, and \(words): \(way)"
        }
        let isRare = new > reached ? ["--new-devices \(new) is more than \(words)"] : []
        return gates.compactMap(few) + isRare
    }
}

extension RolloutStep.Rules {
    fileprivate init(_ arguments: ParsedArguments) throws(PatchError) {
        let text = try arguments.text(of: .steps) ?? "1%,5%,25%,100%"
        guard let steps = Self.steps(text) else {
            throw .usage(
                "--steps \(text): expected rising percentages, such as 1%,5%,25%,100% or shadow,1%,100%, and groups, such as 'group canary,100%'"
            )
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
        case .fewDevices(let count, let needed, let soak?):
            "\(count) of \(needed) new devices have had it for \(soak.length)"
        case .fewDevices(let count, let needed, nil):
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
