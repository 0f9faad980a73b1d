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

    /// Widens a rollout by one step if that is safe, pauses it if a gate is crossed, and withdraws it if a limit is
    /// (`--withdraw-if`).
    ///
    /// - Throws: `script` if a bound is crossed, or if the patch is still paused because of one.
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
        let query = RolloutQuery(
            about: asked, of: listing, begin: try action.change.history().begin(of: asked, until: listing),
            gates: gates, limits: try ReportGate.all(arguments, of: .withdrawIf), rules)
        let evidence = try RolloutEvidence(on: query, arguments, console, at: action.change.now)
        var failure: ((_ isWritten: Bool) -> PatchError?)?
        let isWritten = try action.run(isUrgent: true) { (feed, details) throws(PatchError) in
            failure = nil  // Of an attempt before this one, which another change has overtaken.
            let old = try feed.entry(asked.id, version: asked.version)
            // The evidence is about the step before this change.
            guard old.json.encoded() == asked.json.encoded() else {
                return ["waits  \(old.name): another process has just changed it"]
            }
            let step = RolloutStep(of: old, isEnabled: feed.list.isEnabled, by: rules, evidence.ofStep, at: details.now)
            let new = feed.take(step, of: old, passing: evidence.ofStep.gates, in: &details)
            failure = { step.failure(from: old, to: new, isWritten: $0) }
            let fallback = new.fallback(among: feed.entries(of: new.id))
            return step.lines(from: old, to: new, fallback) + (step.hasNotes ? evidence.notes : [])
        }
        if let failure = failure?(isWritten) { throw failure.about(action.folder.path) }
        console.fail(evidence.unread?.code)
    }

    /// Refuses gates of which none can be decided in a state through which the rollout goes.
    ///
    /// - Throws: `usage` if there is none.
    private static func check(_ gates: [ReportGate], inShadow: Bool) throws(PatchError) {
        guard !gates.contains(where: { $0.measure.isDecided(inShadow: inShadow) }) else { return }
        let names = gates.map { "'\($0.text)'" }.joined(separator: " and ")
        let here = inShadow ? "in shadow" : "when the patch is live"
        let elsewhere = inShadow ? "when the patch is live" : "in shadow"
        throw .usage(
            "--gate \(names) decide\(gates.count == 1 ? "s" : "") only \(elsewhere)",
            hint: "give one that decides \(here) too, such as --gate 'failing<0.5%'")
    }
}

// What a step has done, for people.
extension RolloutStep {
    /// Whether the notes on the evidence are printed: not if the rollout was complete or stopped before.
    fileprivate var hasNotes: Bool {
        switch self {
        case .widen, .pause, .withdraw, .wait: true
        case .complete, .stopped: false
        }
    }

    fileprivate func lines(
        from old: PatchEntryDraft, to new: PatchEntryDraft, _ fallback: PatchEntryDraft?
    ) -> [String] {
        switch self {
        case .widen: return ["widened  \(old.name)  \(old.words) -> \(new.words)"]
        case .pause, .withdraw:
            let rest = fallback.map { ["still offered  \($0.name)  \($0.words)"] } ?? []
            return ["\(new.stateText)  \(old.name)"] + rest
        case .wait(let reasons): return reasons.map { "waits  \(old.name): \($0.text)" }
        case .complete: return ["complete  \(old.name): \(old.words), and no gate is crossed"]
        case .stopped(.inShadow):
            return ["stopped  \(old.name): left \(old.words); to go on, let --steps begin with `shadow`"]
        case .stopped: return ["stopped  \(old.name): \(old.words)\(old.reasonInBrackets)"]
        }
    }

    /// The error with which the command ends: a bound is crossed, or the patch is still paused because of one. nil
    /// otherwise, and for a patch that was withdrawn before.
    fileprivate func failure(
        from old: PatchEntryDraft, to new: PatchEntryDraft, isWritten: Bool
    ) -> PatchError? {
        let word = isWritten ? "is" : "would be"
        return switch self {
        case .pause(let gate):
            PatchError(
                .script, "\(old.name) \(word) \(new.stateText): \(gate.change)",
                hint: "deploy it, look into it, and then: patchpack feed withdraw, or resume")
        case .withdraw(let limit):
            PatchError(
                .script, "\(old.name) \(word) \(new.stateText): \(limit.change)",
                hint: "deploy it, look into it, and publish a higher version")
        case .stopped(.byGate(let gate)):
            PatchError(
                .script, "\(old.name) is \(old.stateText) because of \(gate.text), which is now: \(gate.reason)",
                hint: "patchpack feed withdraw, or resume")
        case .stopped(.byHand(crossed: let gate?)):
            PatchError(
                .script,
                "\(old.name) is \(old.stateText)\(old.reasonInBrackets), and \(gate.text) is crossed: \(gate.reason)",
                hint: "patchpack feed withdraw, or resume")
        case .stopped, .widen, .wait, .complete: nil
        }
    }
}

extension PatchEntryDraft {
    /// The reason of its last change, after a space; empty if there is none.
    fileprivate var reasonInBrackets: String { reason.map { " (\($0))" } ?? "" }
}

extension RolloutStep.Rules {
    fileprivate init(_ arguments: ParsedArguments) throws(PatchError) {
        let text = try arguments.text(of: .steps) ?? "1%,5%,25%,100%"
        guard let steps = Self.steps(text) else {
            throw .usage(
                "--steps \(text): expected rising percentages, such as 1%,5%,25%,100% or shadow,1%,100%, and groups, such as 'group canary,100%', without a space before or after a name"
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
        case .damagedLines(let count, let events):
            "\(count.counting("line")) beside \(events.counting("event")) \(count == 1 ? "is" : "are") damaged"
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
