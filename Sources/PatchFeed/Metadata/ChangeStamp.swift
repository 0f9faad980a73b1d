package import PatchCrypto

/// When a change was made, by whom and why. A list of patches, its kill switch and a snapshot record it as members of
/// an object.
package struct ChangeStamp: Sendable, Equatable {
    package var time: Timestamp?
    package var author: String?
    package var reason: String?

    package init(time: Timestamp?, author: String?, reason: String?) {
        self.time = time
        self.author = author
        self.reason = reason
    }

    /// Reads a stamp. A member that is not of its type counts as missing.
    ///
    /// - Parameter key: The name of the member that has the time.
    package init(_ object: JSONValue?, time key: String) {
        time = object?[key]?.text.flatMap { Timestamp($0) }
        author = object?[PatchList.Key.author]?.text
        reason = object?[PatchList.Key.reason]?.text
    }

    package func write(to object: inout JSONValue, time key: String) {
        object.set(key, time.map { .string($0.description) })
        object.set(PatchList.Key.author, author.map(JSONValue.string))
        object.set(PatchList.Key.reason, reason.map(JSONValue.string))
    }
}
