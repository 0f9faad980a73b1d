internal import PatchFeed

// An entry in words.
extension PatchEntryDraft {
    /// Whether it is offered, and to whom.
    package var words: String {
        switch state {
        case .withdrawn?: stateText
        case .active?: "\(stateText) \(audience)"
        case .shadow?, .paused?, nil: "\(stateText), \(audience)"
        }
    }

    /// Whether it is offered, and whether it was in shadow when it was paused or withdrawn.
    package var stateText: String {
        switch state {
        case .withdrawn?: resumedState == .shadow ? "withdrawn from shadow" : "withdrawn"
        case .active?: "offered"
        case .shadow?: "in shadow"
        case .paused?: resumedState == .shadow ? "paused in shadow" : "paused"
        case nil: "of an unknown state"
        }
    }

    private var audience: String {
        guard hasKnownAudience else { return "to unknown devices" }
        let isForNone = rollout == nil && groups.isEmpty && users.isEmpty && basisPoints == 0
        let percentage = rollout.map { "\(Rollout.percent($0.basisPoints)) by \($0.unit.rawValue)" }
        let part = isForNone ? "no device" : percentage
        let moment = when == .nextLaunch ? ", at the next launch" : ""
        return Self.audience(part, groups: groups, users: users.count) + moment
    }

    /// Whom a patch is for, in words: a part of all devices, and groups and users, or all if there are none of these.
    static func audience(_ part: String?, groups: [String], users: Int) -> String {
        let groups = groups.isEmpty ? nil : "group\(groups.count == 1 ? "" : "s") \(groups.joined(separator: ", "))"
        let users = users == 0 ? nil : "\(users) user\(users == 1 ? "" : "s")"
        let all = [part, groups, users].compactMap(\.self)
        return all.isEmpty ? "to all" : "to " + all.joined(separator: ", and ")
    }
}
