package import PatchCrypto
package import PatchFeed

/// Whom a patch is offered to, as a change says it. What is not said stays as it is.
package struct PatchAudience: Sendable {
    /// How many of 10,000 are in.
    private let basisPoints: Int?
    private let unit: Rollout.Unit?
    private let seed: String?
    private let groups: [String]
    private let users: [String]
    private let moment: PatchList.Entry.Moment?

    /// - Parameters:
    ///   - basisPoints: How many of 10,000 are in; nil for all, or for what is listed.
    ///   - unit: What is counted.
    ///   - seed: Mixes the buckets.
    ///   - users: The users' own ids.
    ///   - moment: When devices activate the patch.
    ///   - old: The rollout before, whose unit and seed stay.
    package init(
        basisPoints: Int?, unit: Rollout.Unit?, seed: String?, groups: [String], users: [String],
        moment: PatchList.Entry.Moment?, after old: Rollout? = nil
    ) {
        self.basisPoints = basisPoints
        self.unit = unit ?? old?.unit
        self.seed = seed ?? old?.seed
        (self.groups, self.users, self.moment) = (groups, users, moment)
    }

    /// Says in the list's entry whom it is offered to. What is not said again stays.
    package func apply(to entry: inout PatchEntryDraft) throws(PatchError) {
        // All of them are written as a percentage too, so that a later, smaller one counts the same units.
        if let basisPoints {
            entry.rollout = Rollout(basisPoints: basisPoints, unit: unit ?? .installation, seed: seed)
        }
        if !groups.isEmpty { entry.groups = groups }
        if !users.isEmpty {
            var names: [String] = []
            for user in users { names.append(try Rollout.name(of: user, patch: entry.id)) }
            entry.users = names
        }
        if let moment { entry.when = moment }
    }

    /// In words.
    package var text: String {
        let groups = groups.isEmpty ? [] : ["groups \(groups.joined(separator: ", "))"]
        let users = users.isEmpty ? [] : ["\(users.count) users"]
        let part = basisPoints.map { Rollout.percent($0) + " by \((unit ?? .installation).rawValue)" }
        let all = (part.map { [$0] } ?? []) + groups + users
        return all.isEmpty ? "to all" : "to " + all.joined(separator: ", and ")
    }
}
