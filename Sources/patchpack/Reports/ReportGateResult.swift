import PatchCrypto
import PatchReport
import PatchRunner
import PatchText

/// The verdict of a gate on one patch, or on all devices, and the reason for it.
struct ReportGateResult {
    let gate: ReportGate
    /// The reported patch, or the requested patch if no device reported it; nil if none was requested, or if the gate
    /// is about all devices.
    private(set) var id: String?
    private(set) var version: Int?
    /// What the verdict is on.
    var name: String {
        guard !gate.measure.isOfFleet else { return "all devices" }
        let patch = id ?? "no patch"
        return version.map { "\(patch) \($0)" } ?? patch
    }
    private let judgement: ReportGate.Judgement
    /// All devices in the events; `Int.max` for a gate on them, if only a sample was counted, or if no patch was
    /// reported.
    private var fleet = Int.max
    /// How many devices rolled the patch back together with other patches.
    private var suspected = 0
    /// The version before, if the bound is relative to it; nil if none has been reported.
    private var previous: Int?
    /// Whether a feed tells which versions may be the one before.
    private var isConfirmed = false
    /// How many events of patches were not counted, for lack of room.
    private var uncounted = 0
    /// Which files could not be read in full, in words; nil if all were.
    private var unread: String?

    /// Whether events are missing, so that the gate is undecided. Any patch may have had them, so no gate is passed.
    /// What is known is enough to cross one.
    fileprivate var lacksEvents: Bool { (uncounted > 0 || unread != nil) && judgement.verdict != .crossed }
    var verdict: ReportGate.Verdict { lacksEvents ? .undecided : judgement.verdict }
    var sequence: ConfidenceSequence { judgement.sequence }
    var share: Share { sequence.share }
    /// How many devices the gate needs for a verdict, if the part stays as it is; nil if it has one, or if it is not a
    /// matter of their number.
    var devicesNeeded: Int? {
        guard verdict == .undecided, !lacksEvents, !gate.isRelative, !gate.isExact, !judgement.isOfUncounted else {
            return nil
        }
        return devicesMissing?.addingOrMost(undecided.share.total * judgement.scale)
    }
    /// How many more devices the gate needs for a verdict, if the part stays as it is; nil if no number is enough.
    private var devicesMissing: Int? { undecided.needed(for: gate.bound.value).map { $0 * judgement.scale } }
    /// What is not certain yet: the gate's share, or the part of the devices that use the function.
    private var undecided: ConfidenceSequence { judgement.users ?? sequence }
    /// The function that decided; nil if the gate is not about functions.
    var function: String? { judgement.function?.function }

    /// The results of gates on each patch of a report, or on all its devices.
    ///
    /// - Parameters:
    ///   - id: The only patch that was asked for, and `version` its only version; nil for any.
    ///   - all: The patches that may be the version before.
    ///   - listed: The patches that a feed lists, of which one that is offered may be the version before; nil without a
    ///     feed. A version that only devices name proves nothing: anyone can name one.
    ///   - unread: Which files could not be read in full, in words; nil if all were, or if the caller decides what
    ///     follows from that.
    static func all(
        _ gates: [ReportGate], _ report: FleetReport, id: String?, version: Int?, _ all: [FleetReport.Patch],
        listed: [FleetReport.Listed]?, unread: String? = nil
    ) -> [ReportGateResult] {
        let offered = listed?.filter { $0.isLive && $0.isOffered }.map { "\($0.id) \($0.version)" }
        let live = offered.map { Set($0) }
        let candidates = all.filter { live?.contains($0.label) ?? true }
        // The patches of a feed have room whatever comes.
        let uncounted = listed == nil ? report.input.droppedPatches : 0
        // A gate that is given twice counts once, because a duplicate series makes a metrics file invalid.
        let gates = gates.enumerated().filter { !gates[..<$0].contains($1) }.map(\.element)
        return gates.flatMap { gate in
            guard !gate.measure.isOfFleet else {
                return [ReportGateResult(gate: gate, judgement: gate.judge(report), unread: unread)]
            }
            guard !report.patches.isEmpty else {
                let judgement = gate.judge(FleetReport.Patch(id: "", version: 0), after: nil, scale: 1)
                return [
                    ReportGateResult(
                        gate: gate, id: id, version: version, judgement: judgement, uncounted: uncounted,
                        unread: unread)
                ]
            }
            return report.patches.map { patch in
                let older = candidates.filter { $0.id == patch.id && $0.version < patch.version }
                let previous = gate.isRelative ? older.max { $0.version < $1.version } : nil
                return ReportGateResult(
                    gate: gate, id: patch.id, version: patch.version,
                    judgement: gate.judge(patch, after: previous, scale: report.scale),
                    fleet: report.scale == 1 ? report.knownDevices : .max, suspected: patch.suspected,
                    previous: previous?.version, isConfirmed: listed != nil, uncounted: uncounted,
                    unread: unread)
            }
        }
    }

    /// Why the verdict is as it is, in words.
    var reason: String {
        guard !lacksEvents else { return lack }
        return function.map { "\($0) \(figures)" } ?? figures
    }

    private var lack: String {
        unread ?? "\(uncounted.counting("event")) of patches \(uncounted == 1 ? "was" : "were") not counted"
    }

    /// The share that decides, in words, and what it lacks for a verdict.
    private var figures: String {
        if judgement.verdict == .undecided, let function = judgement.function, !function.isComparable, let comparable {
            // A reason for which runs failed is a fault of the patch, which another gate decides.
            let cause = function.reasons.first.map { ", mostly because of \($0.text)" } ?? ""
            return "\(comparable), which is too few for a verdict\(cause)"
        }
        if judgement.isOfUncounted {
            let all = judgement.scale > 1 ? "counted devices" : "devices"
            let part = share.value.map { " of the \(all) (\($0.percent))" } ?? ""
            return "too many names: functions of \(share.wholeCount.grouped)\(part) are not counted"
        }
        guard let value = share.value else { return "no device has reported enough for a verdict" }
        let others = comparable.map { "; \($0)" } ?? ""
        guard !gate.isExact else { return exactFigures(value, others) }
        let users = judgement.users.map { users in
            "; used by \(users.share.wholeCount.grouped) of \(counting(users.share.total))"
        }
        let interval = text(value, sequence) + others + (users ?? "")
        if gate.isRelative { return "\(interval); \(figuresBefore)" }
        return verdict == .undecided ? interval + obstacle : interval
    }

    /// How many calls of the function that decided could be compared; nil if there is none.
    private var comparable: String? {
        judgement.function?.comparableShare.value.map { "\($0.percent) of its calls could be compared" }
    }

    /// The figures of an exact gate, which claim no confidence.
    private func exactFigures(_ value: Double, _ others: String) -> String {
        guard !gate.measure.isOfCalls else { return "\(value.percent) of \(whole(share))\(others)" }
        let more = (suspected / judgement.scale).grouped
        let rest = suspected > 0 && gate.measure == .rolledBack ? "; \(more) more suspect it" : ""
        return "\(share.wholeCount.grouped) of \(counting(share.total))\(rest)"
    }

    /// The figures of the version before, for a relative gate, or why there are none.
    private var figuresBefore: String {
        guard let previous else {
            return "no device has reported an earlier version\(isConfirmed ? " that the feed offers" : "")"
        }
        guard let before = judgement.previous else { return "no device has compared it in version \(previous)" }
        let old = text(before.share.value ?? 0, before)
        let source = isConfirmed ? "" : ", which no feed confirms"
        let end = verdict == .undecided ? ": too few for a verdict" : ""
        return "version \(previous)\(source): \(old)\(end)"
    }

    /// Why a gate is undecided that is neither exact nor relative, for the end of its figures.
    private var obstacle: String {
        if gate.measure == .rolledBack, suspected > 0 {
            return "; on \(counting(suspected / judgement.scale)) more it is suspected together with others"
        }
        guard let missing = devicesMissing, let needed = devicesNeeded else {
            return ": too \(judgement.users == nil ? "close to the bound" : "few") for a verdict"
        }
        let known = needed > fleet ? ", but all events are of \(fleet.grouped)" : ""
        return ": too few for a verdict; about \(missing.counting("device")) more would do\(known)"
    }

    private func text(_ value: Double, _ sequence: ConfidenceSequence) -> String {
        let (low, high) = (sequence.interval.lowerBound.percent, sequence.interval.upperBound.percent)
        return "\(value.percent) of \(whole(sequence.share)), between \(low) and \(high)"
    }

    /// A number of devices that a share is about.
    private func counting(_ devices: Int) -> String {
        devices.counting(judgement.scale > 1 ? "counted device" : "device")
    }

    /// What the gate's share is a part of.
    private func whole(_ share: Share) -> String {
        let devices = counting(share.total)
        return switch gate.measure {
        case .failing, .rolledBack, .refused, .syncFailed, .storeFailed: devices
        case .failures, .fallbacks: "the calls on \(devices)"
        case .differs: "the compared calls on \(devices)"
        case .time: "the measured calls on \(devices)"
        }
    }

    /// The error of a run with this gate: `limit` if events were not counted for lack of room, else `script`; nil if
    /// the gate is passed.
    var failure: PatchError? {
        guard verdict != .passed else { return nil }
        guard !lacksEvents || unread != nil else {
            return PatchError(
                .limit, "\(lack), so no patch passes a gate",
                hint: "there are too many patches: give --feed DIR, or --patch ID and --patch-version N")
        }
        return PatchError(.script, "gate \(gate.text): \(verdict.rawValue) for \(name): \(reason)")
    }
}

extension [ReportGateResult] {
    /// The error of a run with these gates; nil if all are passed. A gate that is crossed comes before one for which
    /// events are missing, and that before one that needs more devices.
    var failure: PatchError? {
        let decisive =
            first(where: { $0.verdict == .crossed }) ?? first(where: \.lacksEvents)
            ?? first(where: { $0.verdict != .passed })
        return decisive?.failure
    }

    /// The results with one of these verdicts, in the order of the verdicts.
    func with(_ verdicts: ReportGate.Verdict...) -> [ReportGateResult] {
        verdicts.flatMap { verdict in filter { $0.verdict == verdict } }
    }
}
