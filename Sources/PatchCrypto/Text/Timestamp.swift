/// A moment in UTC to the second, written `YYYY-MM-DDTHH:MM:SSZ` (RFC 3339).
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The only spelling of the moment. Two moments compare as their bytes do.
    public let description: String

    /// Reads a moment.
    ///
    /// - Parameter text: `YYYY-MM-DDTHH:MM:SSZ`. The day must exist; years are from 0001, and seconds at most 59.
    /// - Returns: nil for any other string.
    public init?(_ text: String) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard text.utf8.count == 20 else { return nil }
        var fields = [0]
        for (byte, pattern) in zip(text.utf8, "0000-00-00T00:00:00Z".utf8) {
            if pattern == digits.lowerBound {
                guard digits.contains(byte) else { return nil }
                fields[fields.count - 1] = fields[fields.count - 1] * 10 + Int(byte - digits.lowerBound)
            } else {
                guard byte == pattern else { return nil }
                fields.append(0)
            }
        }
        let (year, month, day) = (fields[0], fields[1], fields[2])
        guard year >= 1, (1...12).contains(month), (1...Self.days(inMonth: month, of: year)).contains(day),
            fields[3] <= 23, fields[4] <= 59, fields[5] <= 59
        else { return nil }
        description = text
    }

    /// The fault of a string that is not a moment, worded to follow the string; nil if it is a moment.
    package static func fault(in text: String) -> String? {
        guard Timestamp(text) == nil else { return nil }
        func isLike(_ pattern: String) -> Bool {
            text.utf8.count == pattern.utf8.count
                && zip(text.utf8, pattern.utf8).allSatisfy {
                    $1 == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) : $0 == $1
                }
        }
        if isLike("0000-00-00T00:00:00Z") { return "is not an existing day or time of day" }
        if isLike("0000-00-00") { return "has no time of day" }
        if ["+", "-"].contains(where: { isLike("0000-00-00T00:00:00\($0)00:00") }) {
            return "is not in UTC, which ends in Z"
        }
        if isLike("0000-00-00T00:00:00") { return "has no Z at its end, for UTC" }
        return "is not a time"
    }

    /// Makes a moment from POSIX time.
    ///
    /// - Parameter secondsSince1970: Seconds from a clock or from `SOURCE_DATE_EPOCH`.
    /// - Returns: nil before 1970 and after the year 9999.
    public init?(secondsSince1970: Int) {
        guard (0...Self.latest).contains(secondsSince1970) else { return nil }
        description = Self.text(of: secondsSince1970)
    }

    /// - Parameter secondsSince1970: From 0 to `latest`.
    private static func text(of secondsSince1970: Int) -> String {
        let (days, rest) = secondsSince1970.quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSince1970: days)
        func padded(_ number: Int, to width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: width - digits.utf8.count) + digits
        }
        return "\(padded(date.year, to: 4))-\(padded(date.month))-\(padded(date.day))"
            + "T\(padded(rest / 3600)):\(padded(rest / 60 % 60)):\(padded(rest % 60))Z"
    }

    /// Reads the time of an HTTP header, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    ///
    /// - Returns: nil for any other string, including the RFC's two obsolete forms.
    package static func httpDate(_ text: String) -> Timestamp? {
        let fields = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard fields.count == 6, fields[5] == "GMT", let month = months.firstIndex(of: fields[2]) else { return nil }
        return Timestamp("\(fields[3])-\(month < 9 ? "0" : "")\(month + 1)-\(fields[1])T\(fields[4])Z")
    }

    /// The moment in POSIX time, in seconds; negative before 1970.
    public var secondsSince1970: Int {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let fields = description.utf8.split { !digits.contains($0) }.map { Int(Substring($0)) ?? 0 }
        let days = CivilDate(year: fields[0], month: fields[1], day: fields[2]).daysSince1970
        return days * 86_400 + fields[3] * 3600 + fields[4] * 60 + fields[5]
    }

    /// The moment of the years 1970 to 9999 that is nearest to a POSIX time in seconds.
    package init(nearestTo seconds: Int) {
        description = Self.text(of: max(0, min(seconds, Self.latest)))
    }

    private static let latest = 253_402_300_799

    /// The moment some days later, or earlier if the number is negative; this moment if that is before 1970 or after
    /// the year 9999.
    package func adding(days: Int) -> Timestamp {
        Timestamp(secondsSince1970: secondsSince1970 + days * 86_400) ?? self
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        let isLeapYear = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
        return [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.description.hasBytes(before: right.description)
    }
}
