package import PatchCrypto
internal import PatchFeed

/// The next action in a rollout that proceeds step by step.
package enum RolloutStep: Sendable, Equatable {
    /// It is offered to more devices: this many of 10,000. If it is in shadow, it becomes active.
    case widen(Int)
    case pause(Gate)
    /// A bound is crossed above which no device may keep the patch.
    case withdraw(Gate)
    case wait([Reason])
    /// It is on its last step, and no gate is crossed.
    case complete
    /// It is withdrawn, or it is paused, possibly by a gate, or in shadow, which is not a step. An alarm lasts until a decision is
    /// made.
    case stopped(by: Gate?)

    package struct Rules: Sendable {
        /// The parts of 10,000, in ascending order; 0 for shadow.
        package let steps: [Int]
        /// The minimum duration of each step, in seconds.
        package let soak: Int
        /// How old the newest event may be, in seconds.
        package let fresh: Int
        /// How many devices must have reported the patch for the first time since the step began.
        package let newDevices: Int

        /// Whether a patch in shadow goes to the first percentage.
        package var beginsInShadow: Bool { steps.first == 0 }

        package init(steps: [Int], soak: Int, fresh: Int, newDevices: Int) {
            (self.steps, self.soak, self.fresh, self.newDevices) = (steps, soak, fresh, newDevices)
        }

        /// The steps in a list of percentages, which `shadow` may precede; nil if they are invalid, not in ascending order, or only
        /// `shadow`.
        package static func steps(_ text: String) -> [Int]? {
            var steps: [Int] = []
            for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                let step = word == "shadow" ? 0 : Rollout.basisPoints(String(word)).flatMap { $0 > 0 ? $0 : nil }
                guard let step, steps.last.map({ $0 < step }) ?? true else { return nil }
                steps.append(step)
            }
            return steps == [0] ? nil : steps
        }
    }

    /// A bound on the reports of devices, with its verdict.
    package struct Gate: Sendable, Equatable {
        package enum Verdict: String, Sendable {
            case passed, crossed, undecided
        }

        package let text: String
        package let verdict: Verdict
        /// The reported numbers that led to the verdict.
        package let reason: String

        package init(_ text: String, _ verdict: Verdict, _ reason: String) {
            (self.text, self.verdict, self.reason) = (text, verdict, reason)
        }

        /// The reason for pausing or withdrawing a patch, as written to the list.
        package var change: String { "\(text): \(reason)" }
    }

    /// The reports of devices about a patch since it was offered.
    package struct Evidence: Sendable {
        package var events, damaged: Int
        /// The damaged lines that do not name their device, and the devices that the others name.
        package var damagedWithoutDevice, damagedDevices: Int
        /// All devices in the events.
        package var devices: Int
        package var newest: Timestamp?
        /// How many devices have reported the patch for the first time since the step began.
        package var newDevices: Int
        package var isWhole: Bool
        package var gates: [Gate]
        /// Bounds above which no device may keep the patch. Below them, they have no effect.
        package var limits: [Gate]

        package init(
            events: Int, damaged: Int, damagedWithoutDevice: Int, damagedDevices: Int, devices: Int,
            newest: Timestamp?, newDevices: Int, isWhole: Bool = true, gates: [Gate], limits: [Gate] = []
        ) {
            self.events = events
            self.damaged = damaged
            self.damagedWithoutDevice = damagedWithoutDevice
            self.damagedDevices = damagedDevices
            self.devices = devices
            self.newest = newest
            self.newDevices = newDevices
            self.isWhole = isWhole
            self.gates = gates
            self.limits = limits
        }

        /// Whether more than a tenth of the lines are damaged, and so many devices sent them, or no one knows which did. One device
        /// can send any number of them.
        fileprivate var isDamaged: Bool {
            damaged > events / 10 && (damagedWithoutDevice > events / 10 || damagedDevices > devices / 10)
        }
    }

    package enum Reason: Sendable, Equatable {
        case unreadableEvents
        case damagedLines(Int, events: Int)
        /// The step is younger than it has to be, in seconds.
        case young(Int, soak: Int)
        /// How old the newest event is, in seconds.
        case staleEvents(Int)
        case noEvents
        case fewDevices(Int, needed: Int)
        case undecided(Gate)
        /// All patches are switched off, so devices report nothing about this one.
        case switchedOff
    }

    package init(of entry: PatchEntryDraft, isEnabled: Bool, by rules: Rules, _ evidence: Evidence, at now: Timestamp) {
        let crossed = evidence.gates.first { $0.verdict == .crossed }
        let isShadow = entry.state == .shadow
        var reasons: [Reason] = []
        if !evidence.isWhole { reasons.append(.unreadableEvents) }
        if evidence.isDamaged {
            reasons.append(.damagedLines(evidence.damaged, events: evidence.events))
        }
        let age = entry.since.map { now.secondsSince1970 - $0.secondsSince1970 } ?? .max
        if age < rules.soak { reasons.append(.young(age, soak: rules.soak)) }
        if let newest = evidence.newest {
            let lag = now.secondsSince1970 - newest.secondsSince1970
            if lag > rules.fresh { reasons.append(.staleEvents(lag)) }
        } else {
            reasons.append(.noEvents)
        }
        if evidence.newDevices < rules.newDevices {
            reasons.append(.fewDevices(evidence.newDevices, needed: rules.newDevices))
        }
        reasons += evidence.gates.filter { $0.verdict == .undecided }.map(Reason.undecided)
        self =
            if entry.state != .withdrawn, let limit = evidence.limits.first(where: { $0.verdict == .crossed }) {
                .withdraw(limit)
            } else if entry.state == .paused {
                .stopped(by: evidence.gates.first { entry.reason?.hasPrefix("\($0.text): ") ?? false } ?? crossed)
            } else if !entry.isOffered {
                .stopped(by: nil)
            } else if let crossed {
                .pause(crossed)
            } else if !isEnabled {
                .wait([.switchedOff])
            } else if isShadow, !rules.beginsInShadow {
                .stopped(by: nil)
            } else if let next = rules.steps.first(where: { $0 > (isShadow ? 0 : entry.basisPoints) }) {
                reasons.isEmpty ? .widen(next) : .wait(reasons)
            } else {
                .complete
            }
    }
}

extension FeedRepository {
    /// Widens, pauses or withdraws a rollout, depending on a step. The other steps change nothing.
    ///
    /// - Parameter gates: The gates that are passed. They become the reason in the list.
    package mutating func take(
        _ step: RolloutStep, of entry: PatchEntryDraft, passing gates: [RolloutStep.Gate],
        in details: inout ChangeDetails
    ) -> PatchEntryDraft {
        var new = entry
        switch step {
        case .widen(let part):
            new.state = .active
            new.rollout = Rollout(
                basisPoints: part, unit: entry.rollout?.unit ?? .installation, seed: entry.rollout?.seed)
            details.reason = gates.map { "\($0.text) is passed" }.joined(separator: ", ")
        case .pause(let gate):
            new.state = .paused
            details.reason = gate.change
        case .withdraw(let limit):
            new.state = .withdrawn
            details.reason = limit.change
        case .wait, .complete, .stopped: return entry
        }
        replace(entry, with: new, in: details)
        return new
    }
}
