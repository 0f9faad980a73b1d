internal import PatchCrypto

extension Timestamp {
    /// - Parameter milliseconds: Since 1970; 0 if the time is not known.
    /// - Returns: nil for 0, and after the year 9999.
    init?(milliseconds: UInt64) {
        guard milliseconds > 0 else { return nil }
        self.init(secondsSince1970: Int(milliseconds / 1000))
    }
}
