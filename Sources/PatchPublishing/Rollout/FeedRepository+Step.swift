internal import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// Widens, pauses or withdraws a rollout, depending on a step. The other steps change nothing.
    ///
    /// - Parameters:
    ///   - gates: The gates that are passed. They become the reason in the list.
    ///   - details: Gets the reason.
    /// - Returns: The entry after the step; the same entry if the step changes nothing.
    package mutating func take(
        _ step: RolloutStep, of entry: PatchEntryDraft, passing gates: [RolloutStep.Gate],
        in details: inout ChangeDetails
    ) -> PatchEntryDraft {
        var new = entry
        switch step {
        case .widen(let audience):
            // In shadow, it may be for more devices than the first ones that run it.
            if entry.state == .shadow { new.rollout = entry.rollout?.ofNone }
            new.state = .active
            switch audience {
            case .part(let part):
                new.rollout = Rollout(
                    basisPoints: part, unit: entry.rollout?.unit ?? .installation, seed: entry.rollout?.seed)
            case .group(let name): new.groups = entry.groups.filter { !$0.isByteEqual(to: name) } + [name]
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

extension Rollout {
    /// The same unit and seed without a part, for a percentage in a later step; nil if that one has them anyway.
    fileprivate var ofNone: Rollout? {
        unit == .installation && seed == nil ? nil : Rollout(basisPoints: 0, unit: unit, seed: seed)
    }
}
