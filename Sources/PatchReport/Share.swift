/// A part of a whole, with the interval that contains the true part with a probability of 95 percent.
package struct Share: Sendable, Equatable {
    package let count: Int
    package let total: Int

    package init(_ count: Int, of total: Int) {
        self.count = count
        self.total = total
    }

    /// The part, from 0 to 1; nil if there is no whole.
    package var value: Double? { total > 0 ? Double(count) / Double(total) : nil }

    /// Wilson's score interval. It is usable for few cases and for parts near 0, where the usual interval is not.
    package var interval: ClosedRange<Double> {
        guard total > 0 else { return 0...1 }
        let (n, p, z) = (Double(total), Double(count) / Double(total), 1.959964)
        let middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        return max(0, min(middle - half, p))...min(1, max(middle + half, p))
    }
}
