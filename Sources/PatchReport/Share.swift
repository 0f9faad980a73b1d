/// A part of a whole, with the interval that contains the true part with a probability of about 95 percent.
package struct Share: Sendable, Equatable {
    /// A whole number, except for a sum of parts.
    package let count: Double
    package let total: Int

    package init(_ count: Int, of total: Int) { self.init(count: Double(count), of: total) }

    package init(count: Double, of total: Int) {
        self.count = count
        self.total = total
    }

    /// The count as a whole number; `Int.max` if it is larger. Devices can make counts up, and the largest `Int` is
    /// 2^63 as a `Double`, which is one too many.
    package var wholeCount: Int {
        if let whole = Int(exactly: count.rounded()) { return whole }
        return count > 0 ? .max : 0
    }

    /// The part, from 0 to 1; nil if there is no whole.
    package var value: Double? { total > 0 ? count / Double(total) : nil }

    /// Wilson's score interval. It is usable for few cases and for parts near 0, where the usual interval is not.
    package var interval: ClosedRange<Double> {
        guard total > 0 else { return 0...1 }
        let n = Double(total)
        let p = count / n
        // 97.5 percent of a normal distribution are below it.
        let z = 1.959964
        let middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        return max(0, min(middle - half, p))...min(1, max(middle + half, p))
    }
}

/// The mean of parts, of which each device has one: the share of its calls, whether these are ten or a million.
///
/// The parts are added as billionths, so that their order does not matter.
struct MeanShare {
    private var billionths = 0
    private(set) var devices = 0

    mutating func add(_ count: Float, of total: Float) {
        guard total > 0 else { return }
        devices += 1
        billionths += Int((Double(min(count, total)) / Double(total) * 1e9).rounded())
    }

    var share: Share { Share(count: Double(billionths) / 1e9, of: devices) }
}
