public import PatchCrypto

extension PatchError.Code {
    /// A script does not parse, fails while it loads, or replaces what it may not.
    public static let script = Self("script")
    /// A script ran past its fuel, its memory or its time.
    public static let scriptLimit = Self("script-limit")
}
