package import PatchCrypto
internal import PatchFeed

/// The time, author and reason of a change, and the settings for all of its parts.
package struct ChangeDetails: Sendable {
    /// The time of signing.
    package var now: Timestamp
    package var author: String?
    package var reason: String?
    /// A version that a thief may have used. Signed metadata get versions above it.
    package var versionFloor = 0
    /// Whether a person was shown the change of the present state, and has agreed to it.
    package var isConfirmed = false
    /// Roles whose metadata wait for signatures, so that no other change touches them.
    package var locked: Set<FeedRole> = []
    /// The lowest versions that have no files yet. They matter once devices forget the versions that they have seen.
    package var unusedVersions: [FeedRole: Int] = [:]

    /// The maximum length of a reason in bytes. Each device downloads it with the list.
    package static let longestReason = 500
    /// The limit that `versionFloor` must be below. It leaves room below the highest version that metadata can have.
    package static let highest = 1 << 52
    private static let longestAuthor = 100

    package init(at now: Timestamp) { self.now = now }

    var stamp: ChangeStamp { ChangeStamp(time: now, author: author, reason: reason) }

    /// The details for something that is restored with a reason of its own, if it has one: that reason, and the one of
    /// the change if there is room.
    func restoring(_ first: String?) -> ChangeDetails {
        guard let first else { return self }
        let both = reason.map { "\(first); \($0)" } ?? first
        var details = self
        details.reason = both.utf8.count <= Self.longestReason ? both : first
        return details
    }

    /// A name as recorded in the list: cut to 100 Unicode scalars; nil if it is empty.
    package static func author(_ name: String) -> String? {
        // A single `Character` can be of any length.
        name.isEmpty ? nil : String(name.unicodeScalars.prefix(longestAuthor))
    }
}

extension Timestamp {
    /// The whole days until another moment; negative if it has passed.
    package func wholeDays(until other: Timestamp) -> Int {
        Int((Double(other.secondsSince1970 - secondsSince1970) / 86_400).rounded(.down))
    }

    /// By how many seconds the right clocks of two machines may differ.
    static let clockTolerance = 300
    /// By how many seconds the clock of an earlier signer may have been ahead of this one. Beyond that, one of the two
    /// is wrong.
    static let signerTolerance = 3600

    /// Whether this time, at which something was signed, is later than a clock shows, beyond the tolerance.
    package func isAhead(of now: Timestamp) -> Bool {
        secondsSince1970 - now.secondsSince1970 > Self.clockTolerance
    }
}
