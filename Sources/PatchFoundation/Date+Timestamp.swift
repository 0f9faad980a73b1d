public import Foundation
public import PatchRunner

extension Date {
    /// The date of a moment.
    public init(_ timestamp: Timestamp) {
        self.init(timeIntervalSince1970: TimeInterval(timestamp.secondsSince1970))
    }
}

extension Timestamp {
    /// The last whole second that is not after a date.
    ///
    /// - Returns: nil before 1970 and after the year 9999.
    public init?(_ date: Date) {
        guard let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)) else { return nil }
        self.init(secondsSince1970: seconds)
    }
}
