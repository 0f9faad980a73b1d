package import PatchFeed

extension Rollout {
    /// A percentage with at most two decimal places, as parts of 10,000; nil if it is malformed.
    ///
    /// A fraction below 1, such as 0.05, needs its percent sign, because it may be meant as a part of 1.
    package static func basisPoints(_ text: String) -> Int? {
        let number = text.hasSuffix("%") ? text.dropLast() : text[...]
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...2).contains(parts.count), parts.allSatisfy({ $0.utf8.allSatisfy(digits.contains) && !$0.isEmpty }),
            parts[0].count <= 3, parts.count == 1 || parts[1].count <= 2, let whole = Int(parts[0]),
            text.hasSuffix("%") || parts.count == 1 || whole > 0
        else { return nil }
        let places = parts.count == 2 ? (parts[1] + "0").prefix(2) : "0"
        guard let hundredths = Int(places), whole * 100 + hundredths <= 10_000 else { return nil }
        return whole * 100 + hundredths
    }

    /// A number of parts of 10,000, as a percentage.
    package static func percent(_ basisPoints: Int) -> String {
        let (whole, rest) = basisPoints.quotientAndRemainder(dividingBy: 100)
        let places = rest.isMultiple(of: 10) ? "\(rest / 10)" : "\(rest < 10 ? "0" : "")\(rest)"
        return rest == 0 ? "\(whole)%" : "\(whole).\(places)%"
    }
}
