package import PatchCrypto

/// When a feed is changed, by whom and why, and what holds for all parts of that change.
package struct ChangeDetails: Sendable {
    /// The time of signing.
    package let now: Timestamp
    /// Who makes the change, as the list says it.
    package var author: String?
    /// Why it is made, as the list says it.
    package var reason: String?
    /// What is signed gets versions above this one, which a thief may have used.
    package var versionFloor = 0
    /// Roles whose metadata wait for signatures, so that no other change touches them.
    package var locked: Set<FeedRepository.Role> = []
    /// The lowest versions that have no files yet. They count once devices forget which versions they have seen.
    package var free: [FeedRepository.Role: Int] = [:]

    /// The longest reason in bytes. Each device downloads it with the list.
    package static let longestReason = 500
    /// What `above` has to be below of.
    package static let highest = 1 << 52
    private static let longestAuthor = 100

    package init(at now: Timestamp) { self.now = now }

    /// A name as the list has it: cut to 100 characters; nil if it is empty.
    package static func author(_ name: String) -> String? {
        name.isEmpty ? nil : String(name.prefix(longestAuthor))
    }
}

extension FeedRepository {
    /// When something was changed, by whom and why.
    package struct Change: Sendable, Equatable {
        package let time: Timestamp?
        package let author: String?
        package let reason: String?

        package init(time: Timestamp?, author: String?, reason: String?) {
            self.time = time
            self.author = author
            self.reason = reason
        }
    }
}
