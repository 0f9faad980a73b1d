// The formats of numbers in a report.

extension Double {
    /// A share as a percentage, with as many digits as matter near 0.
    var percent: String {
        let value = self * 100
        if value > 0, value < 0.000_05 { return "under 0.0001 %" }
        let digits = value == 0 || value >= 10 ? 1 : value >= 0.1 ? 2 : 4
        return "\(decimal(value, digits: digits)) %"
    }
}

extension Int {
    var bytes: String {
        var value = Double(self)
        for unit in ["bytes", "KB", "MB"] {
            if value < 1000 { return unit == "bytes" ? "\(self) bytes" : "\(decimal(value, digits: 1)) \(unit)" }
            value /= 1000
        }
        return "\(decimal(value, digits: 2)) GB"
    }

    /// A number of seconds as a duration, in the largest suitable unit.
    var length: String {
        switch self {
        case ..<120: "\(Swift.max(0, self)) s"
        case ..<7200: "\(self / 60) min"
        case ..<172_800: "\(self / 3600) h"
        default: "\(self / 86_400) days"
        }
    }

    /// The number with a noun: `1 device`, `2,000 devices`.
    func counting(_ word: String) -> String { "\(grouped) \(word)\(self == 1 ? "" : "s")" }

    var grouped: String {
        let digits = Array(String(self))
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            })
    }
}

func decimal(_ value: Double, digits: Int) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return "\(value)" }
    let unit = (0..<digits).reduce(UInt(1)) { product, _ in product * 10 }
    let (whole, rest) = UInt((value.magnitude * Double(unit)).rounded()).quotientAndRemainder(dividingBy: unit)
    return "\(value < 0 ? "-" : "")\(whole)\(digits > 0 ? "." + String(unit + rest).dropFirst() : "")"
}
