package import PatchCrypto
internal import PatchFeed

/// The next action in a rollout that proceeds step by step.
package enum RolloutStep: Sendable, Equatable {
    /// It is offered to more devices. If it is in shadow, it becomes active.
    case widen(Audience)
    case pause(Gate)
    /// A bound is crossed above which no device may keep the patch.
    case withdraw(Gate)
    case wait([Reason])
    /// It is on its last step, and no gate is crossed.
    case complete
    /// It is withdrawn, or it is paused, possibly by a gate, or in shadow, which is not a step. An alarm lasts until a
    /// decision is made.
    case stopped(by: Gate?)

    /// The devices that a step adds.
    package enum Audience: Sendable, Hashable {
        case shadow
        /// The devices of a group.
        case group(String)
        /// So many of 10,000 devices.
        case part(Int)

        /// Whether an entry that is offered reaches them.
        fileprivate func isReached(by entry: PatchEntryDraft) -> Bool {
            switch self {
            case .shadow: true
            case .group(let name):
                entry.state == .active && (entry.basisPoints == 10_000 || entry.groups.contains(name))
            case .part(let part): entry.state == .active && entry.basisPoints >= part
            }
        }
    }

    package struct Rules: Sendable {
        /// The steps, of which each adds devices to the ones before.
        package let steps: [Audience]
        /// The minimum duration of each step, in seconds.
        package let soak: Int
        /// How old the newest event may be, in seconds.
        package let fresh: Int
        /// How many devices must have reported the patch for the first time since the step began.
        package let newDevices: Int

        /// Whether a patch in shadow goes to the first percentage.
        package var beginsInShadow: Bool { steps.first == .shadow }

        package init(steps: [Audience], soak: Int, fresh: Int, newDevices: Int) {
            self.steps = steps
            self.soak = soak
            self.fresh = fresh
            self.newDevices = newDevices
        }

        /// The steps in a list, such as `shadow,group canary,5%,100%`; nil if they are invalid, if `shadow` is not the
        /// first of several, if a group is named twice, or if percentages do not rise.
        package static func steps(_ text: String) -> [Audience]? {
            var steps: [Audience] = []
            var most = 0
            for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                if word == "shadow", steps.isEmpty {
                    steps.append(.shadow)
                } else if word.hasPrefix("group "), case let name = String(word.dropFirst("group ".count)),
                    !name.isEmpty,
                    !steps.contains(.group(name)), most < 10_000
                {
                    steps.append(.group(name))
                } else if let part = Rollout.basisPoints(String(word)), part > most {
                    steps.append(.part(part))
                    most = part
                } else {
                    return nil
                }
            }
            return steps == [.shadow] ? nil : steps
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
        /// Whether the first device crosses it, and no number of devices makes it sure.
        package let isExact: Bool

        package init(_ text: String, _ verdict: Verdict, _ reason: String, isExact: Bool = false) {
            self.text = text
            self.verdict = verdict
            self.reason = reason
            self.isExact = isExact
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
        /// The time of the newest event; nil if there is none.
        package var newest: Timestamp?
        /// How many devices have reported the patch for the first time since the step began, and have had it for the
        /// soak time if a gate is exact.
        package var newDevices: Int
        package var isWhole: Bool
        /// When devices could first have the step; nil for the time of the change, which may have waited for
        /// signatures.
        package var begin: Timestamp?
        package var gates: [Gate]
        /// Bounds above which no device may keep the patch. Below them, they have no effect.
        package var limits: [Gate]

        package init(
            events: Int, damaged: Int, damagedWithoutDevice: Int, damagedDevices: Int, devices: Int,
            newest: Timestamp?, newDevices: Int, isWhole: Bool = true, begin: Timestamp? = nil, gates: [Gate],
            limits: [Gate] = []
        ) {
            self.events = events
            self.damaged = damaged
            self.damagedWithoutDevice = damagedWithoutDevice
            self.damagedDevices = damagedDevices
            self.devices = devices
            self.newest = newest
            self.newDevices = newDevices
            self.isWhole = isWhole
            self.begin = begin
            self.gates = gates
            self.limits = limits
        }

        /// Whether more than a tenth of the lines are damaged, and so many devices sent them, or no one knows which
        /// did. One device can send any number of them.
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
        /// - Parameter soak: The seconds for which devices must have had the patch; nil if they need only have reported
        ///   it.
        case fewDevices(Int, needed: Int, soak: Int?)
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
        let age = (evidence.begin ?? entry.since).map { now.secondsSince1970 - $0.secondsSince1970 } ?? .max
        if age < rules.soak { reasons.append(.young(age, soak: rules.soak)) }
        if let newest = evidence.newest {
            let lag = now.secondsSince1970 - newest.secondsSince1970
            if lag > rules.fresh { reasons.append(.staleEvents(lag)) }
        } else {
            reasons.append(.noEvents)
        }
        if evidence.newDevices < rules.newDevices {
            let soak = evidence.gates.contains(where: \.isExact) ? rules.soak : nil
            reasons.append(.fewDevices(evidence.newDevices, needed: rules.newDevices, soak: soak))
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
            } else if let next = rules.steps.first(where: { !$0.isReached(by: entry) }) {
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
        case .widen(let audience):
            // In shadow, it may be for more devices than the first ones that run it.
            if entry.state == .shadow { new.rollout = nil }
            new.state = .active
            switch audience {
            case .part(let part):
                new.rollout = Rollout(
                    basisPoints: part, unit: entry.rollout?.unit ?? .installation, seed: entry.rollout?.seed)
            case .group(let name): new.groups = entry.groups.filter { $0 != name } + [name]
            case .shadow: break
            }
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
