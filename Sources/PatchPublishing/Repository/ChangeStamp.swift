package import PatchCrypto

/// The time, author and reason of a change.
package struct ChangeStamp: Sendable, Equatable {
    package let time: Timestamp?
    package let author: String?
    package let reason: String?

    package init(time: Timestamp?, author: String?, reason: String?) {
        self.time = time
        self.author = author
        self.reason = reason
    }
}
