package import PatchCrypto
package import PatchFeed

/// The audience that a change sets for a patch. Settings that it leaves out stay as they are.
package struct PatchAudience: Sendable {
    private let basisPoints: Int?
    private let unit: Rollout.Unit?
    private let seed: String?
    private let groups: [String]
    private let users: [String]
    private let moment: PatchList.Entry.Moment?

    /// - Parameters:
    ///   - basisPoints: How many of 10,000 units get the patch; nil leaves that as it is.
    ///   - unit: The unit that is counted; nil for the previous one, or for installations.
    ///   - seed: A seed that shuffles the buckets; nil for the previous one.
    ///   - groups: The names of groups that get the patch too; empty to leave them as they are.
    ///   - users: The own ids of users who get the patch too; empty to leave them as they are.
    ///   - moment: When devices activate the patch; nil leaves that as it is.
    ///   - old: The previous rollout, whose unit and seed stay unless others are given.
    package init(
        basisPoints: Int?, unit: Rollout.Unit?, seed: String?, groups: [String], users: [String],
        moment: PatchList.Entry.Moment?, after old: Rollout? = nil
    ) {
        self.basisPoints = basisPoints
        self.unit = unit ?? old?.unit
        self.seed = seed ?? old?.seed
        self.groups = groups
        self.users = users
        self.moment = moment
    }

    /// Sets whom an entry is for. What is not given stays as it is.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses SHA-256.
    package func apply(to entry: inout PatchEntryDraft) throws(PatchError) {
        // A percentage of 100 is written too, so that a later, smaller one counts the same units. Without a unit and a
        // seed, these are the installations anyway.
        if let basisPoints, !isForAll || entry.basisPoints < 10_000 || entry.rollout != nil {
            entry.rollout = Rollout(basisPoints: basisPoints, unit: unit ?? .installation, seed: seed)
        }
        if !groups.isEmpty { entry.groups = groups }
        if !users.isEmpty {
            entry.users = try users.map { (user) throws(PatchError) in try Rollout.name(of: user, patch: entry.id) }
        }
        if let moment { entry.when = moment }
    }

    private var isForAll: Bool { basisPoints == 10_000 && unit == nil && seed == nil && !isNarrow }

    /// Whether it names groups or users.
    package var isNarrow: Bool { !groups.isEmpty || !users.isEmpty }

    /// The audience in words, as the end of a sentence.
    package var text: String {
        let part = basisPoints.map { Rollout.percent($0) + " by \((unit ?? .installation).rawValue)" }
        return isForAll ? "to all" : PatchEntryDraft.audience(part, groups: groups, users: users.count)
    }
}

extension PatchAudience {
    /// What is wrong with the name of a group. An app that has the group `beta` has none that is called ` beta` or
    /// `beta,qa`.
    package enum GroupFault: Sendable {
        case comma
        /// It begins or ends with a space.
        case outerSpace
    }

    /// What is wrong with the name of a group; nil if nothing is.
    package static func fault(ofGroup name: String) -> GroupFault? {
        if name.utf8.contains(UInt8(ascii: ",")) { return .comma }
        let ends = [name.unicodeScalars.first, name.unicodeScalars.last]
        return ends.contains { $0?.properties.isWhitespace ?? false } ? .outerSpace : nil
    }
}
