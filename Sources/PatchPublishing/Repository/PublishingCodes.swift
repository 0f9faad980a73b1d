internal import PatchCrypto

extension PatchError.Code {
    /// What is asked for does not fit the feed, or something is not given that it takes. It is the code of a tool's wrong arguments.
    static let usage = Self("usage")
}
