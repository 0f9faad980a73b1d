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
    /// Nothing is done until someone decides.
    case stopped(Stop)

    /// The devices that a step adds.
    package enum Audience: Sendable, Hashable {
        /// The first devices, which run it in shadow.
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
                entry.state == .active
                    && (entry.isForEachDevice || entry.groups.contains { $0.isByteEqual(to: name) })
            case .part(let part): entry.state == .active && entry.basisPoints >= part
            }
        }

        fileprivate func isGroup(_ name: String) -> Bool {
            if case .group(let own) = self { own.isByteEqual(to: name) } else { false }
        }
    }

    /// Why a rollout takes no step by itself.
    package enum Stop: Sendable, Equatable {
        /// It is paused because of a gate, which has its present verdict. The alarm lasts until a decision is made.
        case byGate(Gate)
        /// It is paused for another reason.
        ///
        /// - Parameter crossed: A gate that is crossed nevertheless.
        case byHand(crossed: Gate?)
        case withdrawn
        /// It is in shadow, and shadow is not a step of the rollout.
        case inShadow
        /// Only a later version of the library knows its state.
        case unknownState
        /// Only a later version of the library knows whom it is for.
        case unknownAudience

        /// Why an entry is not offered; nil if it is.
        fileprivate init?(of entry: PatchEntryDraft, _ gates: [Gate]) {
            switch entry.state {
            case .active?, .shadow?: return nil
            case .withdrawn?: self = .withdrawn
            case nil: self = .unknownState
            case .paused?:
                if let gate = gates.first(where: { $0.isReason(of: entry) }) {
                    self = .byGate(gate)
                } else {
                    self = .byHand(crossed: gates.first { $0.verdict == .crossed })
                }
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
        /// first of several, if a group is named twice, if one comes after 100 percent, or if percentages do not rise.
        package static func steps(_ text: String) -> [Audience]? {
            var steps: [Audience] = []
            var most = 0
            for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                if word == "shadow", steps.isEmpty {
                    steps.append(.shadow)
                } else if word.hasPrefix("group "), case let name = String(word.dropFirst("group ".count)),
                    !name.isEmpty, PatchAudience.fault(ofGroup: name) == nil,
                    !steps.contains(where: { $0.isGroup(name) }), most < 10_000
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

        /// Whether an entry has been changed because of the gate, whatever the numbers were.
        fileprivate func isReason(of entry: PatchEntryDraft) -> Bool {
            entry.reason?.utf8.starts(with: "\(text): ".utf8) ?? false
        }
    }

    /// The reports of devices about a patch since it was offered.
    package struct Evidence: Sendable {
        /// The damaged lines beside the events.
        package struct Damage: Sendable {
            package let lines: Int
            /// How many of them do not name their device.
            package let linesWithoutDevice: Int
            /// How many devices the others name.
            package let devices: Int

            package init(lines: Int, linesWithoutDevice: Int, devices: Int) {
                self.lines = lines
                self.linesWithoutDevice = linesWithoutDevice
                self.devices = devices
            }
        }

        /// The number of events.
        package let events: Int
        /// The number of devices in the events.
        package let devices: Int
        package var damage: Damage
        /// The time of the newest event; nil if there is none.
        package var newest: Timestamp?
        /// How many devices have reported the patch for the first time since the step began, and have had it for the
        /// soak time if a gate is exact.
        package var newDevices: Int
        /// Whether all events could be read.
        package var isWhole: Bool
        /// When devices could first have the step; nil for the time of the change, which may have waited for
        /// signatures.
        package var begin: Timestamp?
        package var gates: [Gate]
        /// Bounds above which no device may keep the patch. Below them, they have no effect.
        package var limits: [Gate]

        package init(
            events: Int, devices: Int, damage: Damage, newest: Timestamp?, newDevices: Int, isWhole: Bool = true,
            begin: Timestamp? = nil, gates: [Gate], limits: [Gate] = []
        ) {
            self.events = events
            self.devices = devices
            self.damage = damage
            self.newest = newest
            self.newDevices = newDevices
            self.isWhole = isWhole
            self.begin = begin
            self.gates = gates
            self.limits = limits
        }

        /// Whether there is more than one damaged line for ten events, and so many devices sent them, or no one knows
        /// which did. One device can send any number of them.
        private var isDamaged: Bool {
            damage.lines > events / 10
                && (damage.linesWithoutDevice > events / 10 || damage.devices > devices / 10)
        }

        /// Why a rollout must wait.
        ///
        /// - Parameter listed: When the entry was changed last; nil for an entry of an older version of this library.
        fileprivate func reasonsToWait(by rules: Rules, since listed: Timestamp?, at now: Timestamp) -> [Reason] {
            var reasons: [Reason] = []
            if !isWhole { reasons.append(.unreadableEvents) }
            if isDamaged { reasons.append(.damagedLines(damage.lines, events: events)) }
            if let start = begin ?? listed {
                let age = now.secondsSince1970 - start.secondsSince1970
                if age < rules.soak { reasons.append(.young(age, soak: rules.soak)) }
            }
            if let newest {
                let lag = now.secondsSince1970 - newest.secondsSince1970
                if lag > rules.fresh { reasons.append(.staleEvents(lag)) }
            } else {
                reasons.append(.noEvents)
            }
            if newDevices < rules.newDevices {
                let soak = gates.contains(where: \.isExact) ? rules.soak : nil
                reasons.append(.fewDevices(newDevices, needed: rules.newDevices, soak: soak))
            }
            return reasons + gates.filter { $0.verdict == .undecided }.map(Reason.undecided)
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
        let limit = evidence.limits.first { $0.verdict == .crossed }
        self =
            if let limit, entry.state != .withdrawn {
                .withdraw(limit)
            } else if let stop = Stop(of: entry, evidence.gates) {
                .stopped(stop)
            } else if let crossed = evidence.gates.first(where: { $0.verdict == .crossed }) {
                .pause(crossed)
            } else if !isEnabled {
                .wait([.switchedOff])
            } else if !entry.hasKnownAudience {
                .stopped(.unknownAudience)
            } else if entry.state == .shadow, !rules.beginsInShadow {
                .stopped(.inShadow)
            } else if let next = rules.steps.first(where: { !$0.isReached(by: entry) }) {
                Self.step(to: next, unless: evidence.reasonsToWait(by: rules, since: entry.since, at: now))
            } else {
                .complete
            }
    }

    private static func step(to audience: Audience, unless reasons: [Reason]) -> RolloutStep {
        reasons.isEmpty ? .widen(audience) : .wait(reasons)
    }
}
