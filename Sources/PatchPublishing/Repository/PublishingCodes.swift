internal import PatchCrypto

extension PatchError.Code {
    /// The request does not fit the feed, or lacks something that it needs. Tools use this code for wrong arguments.
    static let usage = Self("usage")
}
