/// An app's version: one to four dotted numbers, such as `10.1.68`. Missing parts count as 0.
public struct AppVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The version as it was written.
    public let description: String
    private let parts: [Int32]

    /// Reads a version.
    ///
    /// - Parameter text: One to four numbers below 2^31, without leading zeros, joined by dots.
    /// - Returns: nil for any other string.
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

    /// The fault of a string that is not a version, worded to follow the string; nil if it is a version.
    package static func fault(in text: String) -> String? {
        guard AppVersion(text) == nil else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let numbers = text.utf8.prefix { digits.contains($0) || $0 == UInt8(ascii: ".") }
        let rest = Substring(text.utf8.dropFirst(numbers.count))
        guard !numbers.isEmpty else {
            return text.isEmpty ? "is empty" : "does not begin with a number"
        }
        guard rest.isEmpty else { return "has \"\(rest)\" after its numbers" }
        let fields = numbers.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if fields.contains(where: \.isEmpty) { return "has a dot without a number" }
        if fields.count > 4 { return "has more than four numbers" }
        if fields.contains(where: { $0.count > 1 && $0.first == digits.lowerBound }) {
            return "has a number that begins with 0"
        }
        return "has a number above 2147483647"
    }

    /// A number in plain digits: no sign, no leading zero.
    private static func number(_ field: Substring.UTF8View) -> Int32? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard field.allSatisfy(digits.contains), field.count == 1 || field.first != digits.lowerBound else {
            return nil
        }
        return Int32(Substring(field))
    }

    private init(parts: [Int32]) {
        self.parts = parts
        description = parts.map(String.init).joined(separator: ".")
    }

    fileprivate static let lowest = AppVersion(parts: [0, 0, 0, 0])

    /// The version right after this one; nil if this is the last one.
    fileprivate var next: AppVersion? {
        guard let last = parts.lastIndex(where: { $0 < .max }) else { return nil }
        return AppVersion(
            parts: Array(parts[..<last]) + [parts[last] + 1] + Array(repeating: 0, count: parts.count - last - 1))
    }

    /// How many numbers were written.
    fileprivate var count: Int { description.utf8.count { $0 == UInt8(ascii: ".") } + 1 }

    /// The index of the first number that is not 0, and of the last one that was written if all are 0.
    fileprivate var firstThatCounts: Int { parts.firstIndex { $0 > 0 } ?? count - 1 }

    /// The version whose number at an index is one more, without the numbers after it; nil if there is none.
    fileprivate func after(_ index: Int) -> AppVersion? {
        guard parts[index] < .max else { return nil }
        var numbers = Array(parts[...index])
        numbers[index] += 1
        return AppVersion(numbers.map(String.init).joined(separator: "."))
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
    /// - Returns: nil for any other string.
    public init?(_ text: String) {
        if text.isByteEqual(to: "*") {
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

    /// The lowest version that satisfies every comparison, and the lowest one above all that do; nil if there is none
    /// above. If no version satisfies them, the second one is not above the first.
    private var bounds: (from: AppVersion, end: AppVersion?) {
        var from = AppVersion.lowest
        var ends: [AppVersion?] = []
        for (sign, version) in comparisons {
            switch sign {
            case .atLeast: from = max(from, version)
            case .above:
                // No version is above the highest one.
                guard let next = version.next else { return (.lowest, .lowest) }
                from = max(from, next)
            case .atMost: ends.append(version.next)
            case .below: ends.append(version)
            case .exactly:
                from = max(from, version)
                ends.append(version.next)
            }
        }
        return (from, ends.compactMap(\.self).min())
    }

    /// Whether no version satisfies every comparison, as in `>=2.5.0 <2.3.0`.
    package var isEmpty: Bool {
        let own = bounds
        guard let end = own.end else { return false }
        return own.from >= end
    }

    /// Whether every version in another range is in this one. An empty range is in all.
    package func covers(_ other: VersionRange) -> Bool {
        guard !other.isEmpty else { return true }
        let own = bounds
        let others = other.bounds
        guard own.from <= others.from else { return false }
        guard let end = own.end else { return true }
        guard let otherEnd = others.end else { return false }
        return otherEnd <= end
    }

    /// The fault of a string that is not a range, and a hint; nil if it is a range.
    package static func fault(in text: String) -> (fault: String, hint: String)? {
        guard VersionRange(text) == nil else { return nil }
        let hint = "use a range such as '>=2.3.0 <2.5.0', or '*'"
        if text.isEmpty { return ("it is empty", hint) }
        for field in text.utf8.split(separator: UInt8(ascii: " ")) {
            guard let sign = Sign.allCases.first(where: { field.starts(with: $0.rawValue.utf8) }) else {
                if let foreign = fault(ofForeign: field) { return foreign }
                return ("\(Substring(field)) does not begin with >=, <=, >, < or =", hint)
            }
            let version = String(Substring(field.dropFirst(sign.rawValue.utf8.count)))
            if version.isEmpty { return ("a version must follow \(sign.rawValue), without a space", hint) }
            if let fault = AppVersion.fault(in: version) { return ("the version \(version) \(fault)", hint) }
        }
        return ("one space must be between its parts", hint)
    }

    /// The fault of a part in a form of npm or Cargo, such as `^2.3`, `~2.3` or `2.3.x`, and the comparisons to write
    /// instead; nil for any other part.
    private static func fault(ofForeign part: Substring.UTF8View) -> (fault: String, hint: String)? {
        let isPrefixed = "^~".utf8.contains(part.first ?? 0)
        let hasWildcard = [".x", ".*"].contains { part.suffix(2).elementsEqual($0.utf8) }
        guard isPrefixed || hasWildcard else { return nil }
        let version: Substring.UTF8View = isPrefixed ? part.drop { "^~".utf8.contains($0) } : part.dropLast(2)
        guard let low = AppVersion(String(Substring(version))) else { return nil }
        // The number that rises at the end of the range.
        let index =
            switch part.first {
            case UInt8(ascii: "^"): low.firstThatCounts
            case UInt8(ascii: "~"): min(1, low.count - 1)
            default: low.count - 1
            }
        guard let high = low.after(index) else { return nil }
        let form: Substring.UTF8View = isPrefixed ? part.prefix(1) : part.suffix(1)
        return ("ranges have no \(Substring(form))", "write '>=\(low) <\(high)'")
    }

    /// The comparison signs, in the order in which they are tried: the longer ones first.
    private enum Sign: String, CaseIterable {
        case atLeast = ">="
        case atMost = "<="
        case above = ">"
        case below = "<"
        case exactly = "="
    }
}
