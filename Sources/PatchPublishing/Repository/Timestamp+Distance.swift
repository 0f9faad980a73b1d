package import PatchCrypto

extension Timestamp {
    /// The whole days until another moment; negative if it has passed.
    package func wholeDays(until other: Timestamp) -> Int {
        Int((Double(other.secondsSince1970 - secondsSince1970) / 86_400).rounded(.down))
    }

    /// Whether a signer's clock is more than five minutes ahead of this one, which is the tolerance between clocks.
    package func isAhead(of now: Timestamp) -> Bool { secondsSince1970 - now.secondsSince1970 > 300 }
}
