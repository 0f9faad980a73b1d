internal import Libc

/// Bounds on a part of a whole that hold however often one looks while the whole grows.
///
/// An ordinary interval of 95 percent is wrong in one of twenty looks, so it soon misleads if one looks each hour. A
/// confidence sequence is wrong for one in twenty parts over all looks together. This one is Robbins' beta-binomial
/// mixture; see Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences"
/// (2021).
///
/// The cases must be independent of each other, as devices are, and the calls of one device are not. A case counts as
/// 0, 1 or any number between them: the likelihood ratio is convex in it, so that its expectation is highest for cases
/// of 0 and 1.
package struct ConfidenceSequence: Sendable {
    package let share: Share
    /// The middle of the mixture, from 0 to 1. The sequence decides soonest about a bound that is near it.
    private let middle: Double

    /// The evidence at which a part is excluded, as the logarithm of a likelihood ratio. A ratio of 20 excludes the
    /// true part in one of twenty samples, over all looks.
    private let enough: Double

    /// - Parameters:
    ///   - middle: The part that is asked about, from 0 to 1.
    ///   - errors: The part of all samples in which the true part may be excluded, above 0 and at most 1.
    package init(_ share: Share, around middle: Double, errors: Double = 0.05) {
        self.share = share
        enough = -log(errors)
        // At 0 and 1, no sample could be evidence for the other side.
        self.middle = min(max(middle, 1e-9), 1 - 1e-9)
    }

    /// The evidence against a part, as the logarithm of a likelihood ratio.
    private func evidence(against part: Double, _ count: Double, of total: Double) -> Double {
        // The parameters of the beta distribution whose mean is the middle.
        let a = 0.5
        let b = a * (1 - middle) / middle
        return logBeta(a + count, b + total - count) - logBeta(a, b) - count * log(part)
            - (total - count) * log1p(-part)
    }

    private func logBeta(_ a: Double, _ b: Double) -> Double { logGamma(a) + logGamma(b) - logGamma(a + b) }

    /// Whether the true part is certainly above a bound (true) or below it (false); nil if that is not certain yet.
    package func isAbove(_ bound: Double) -> Bool? {
        guard let value = share.value else { return nil }
        // A part of 1 is neither above a bound of 1 nor below it.
        guard bound < 1 || value < 1, isSure(bound, share.count, Double(share.total)) else { return nil }
        return value > bound
    }

    /// Whether a sample excludes a part. The bound is kept off 0 and 1, whose logarithms are infinite.
    private func isSure(_ bound: Double, _ count: Double, _ total: Double) -> Bool {
        evidence(against: min(max(bound, 1e-12), 1 - 1e-12), count, of: total) >= enough
    }

    /// How many more cases are needed to be certain of a bound if the part stays as it is; nil if there would be more
    /// than a billion in all.
    package func needed(for bound: Double) -> Int? {
        guard isAbove(bound) == nil else { return 0 }
        guard share.total <= 1_000_000_000 else { return nil }
        let part = share.value ?? 0
        var low = Double(share.total)
        var high = max(1, low)
        while !isSure(bound, part * high, high) {
            low = high
            high *= 2
            guard high <= 1e9 else { return nil }
        }
        while high - low > max(1, high / 100) {
            let half = ((low + high) / 2).rounded()
            if isSure(bound, part * half, half) { high = half } else { low = half }
        }
        return max(1, Int(high) - share.total)
    }

    /// The parts that are not excluded.
    package var interval: ClosedRange<Double> {
        guard let value = share.value else { return 0...1 }
        let count = share.count
        let total = Double(share.total)
        func end(between value: Double, and limit: Double) -> Double {
            var inside = value
            var outside = limit
            // The evidence grows with the distance from the sample's own part. 60 steps are as exact as a `Double`.
            for _ in 0..<60 {
                let half = (inside + outside) / 2
                if evidence(against: half, count, of: total) < enough { inside = half } else { outside = half }
            }
            return inside
        }
        let lower = count == 0 ? 0 : end(between: value, and: 0)
        let upper = value == 1 ? 1 : end(between: value, and: 1)
        return lower...upper
    }
}

/// The logarithm of the gamma function. The C library's `lgamma` writes a global variable.
private func logGamma(_ value: Double) -> Double {
    var sign: Int32 = 0
    return unsafe lgamma_r(value, &sign)
}
