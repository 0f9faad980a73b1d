public import PatchCrypto

extension PatchError.Code {
    /// A script does not parse, fails while it loads, or replaces a function that it may not replace.
    public static let script = Self("script")
    /// A script ran past its limit of fuel, memory or time.
    public static let scriptLimit = Self("script-limit")
}
