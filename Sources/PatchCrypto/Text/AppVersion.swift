/// An app's version: one to four dotted numbers, such as `10.1.68`. Missing parts count as 0.
public struct AppVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The version as it was written.
    public let description: String
    private let parts: [Int32]

    /// Reads a version.
    ///
    /// - Parameter text: One to four numbers below 2^31, without leading zeros, joined by dots.
    /// - Returns: nil for any other text.
    public init?(_ text: String) {
        let fields = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard fields.count <= 4 else { return nil }
        var parts: [Int32] = []
        for field in fields {
            guard let number = Self.number(field) else { return nil }
            parts.append(number)
        }
        self.parts = parts + Array(repeating: 0, count: 4 - parts.count)
        description = text
    }

    /// A number in plain digits: no sign, no leading zero.
    private static func number(_ field: Substring.UTF8View) -> Int32? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard field.allSatisfy(digits.contains), field.count == 1 || field.first != digits.lowerBound else {
            return nil
        }
        return Int32(Substring(field))
    }

    public static func == (left: Self, right: Self) -> Bool { left.parts == right.parts }
    public static func < (left: Self, right: Self) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }
    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}

/// Which app versions a patch fits: comparisons that must all hold, such as `>=2.3.0 <2.5.0`, or `*` for all.
public struct VersionRange: Sendable, CustomStringConvertible {
    /// The range as it was written.
    public let description: String
    private let comparisons: [(sign: Sign, version: AppVersion)]

    /// Every version.
    public static let all = VersionRange(description: "*", comparisons: [])

    /// Reads a range.
    ///
    /// - Parameter text: `*`, or comparisons (`>=`, `<=`, `>`, `<` or `=` and a version) with one space between them.
    /// - Returns: nil for any other text.
    public init?(_ text: String) {
        if text.hasBytes(of: "*") {
            self = .all
            return
        }
        var comparisons: [(Sign, AppVersion)] = []
        for field in text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
            guard let sign = Sign.allCases.first(where: { field.starts(with: $0.rawValue.utf8) }),
                let version = AppVersion(String(Substring(field.dropFirst(sign.rawValue.utf8.count))))
            else { return nil }
            comparisons.append((sign, version))
        }
        self.init(description: text, comparisons: comparisons)
    }

    private init(description: String, comparisons: [(Sign, AppVersion)]) {
        self.description = description
        self.comparisons = comparisons
    }

    /// Whether a version satisfies every comparison.
    public func contains(_ version: AppVersion) -> Bool {
        comparisons.allSatisfy { comparison in
            switch comparison.sign {
            case .atLeast: version >= comparison.version
            case .atMost: version <= comparison.version
            case .above: version > comparison.version
            case .below: version < comparison.version
            case .exactly: version == comparison.version
            }
        }
    }

    /// The signs in the order in which they are tried: those of two characters first.
    private enum Sign: String, CaseIterable {
        case atLeast = ">="
        case atMost = "<="
        case above = ">"
        case below = "<"
        case exactly = "="
    }
}
