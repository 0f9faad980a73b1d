extension Int {
    /// The sum of two counts, or the largest `Int` if that overflows.
    package func addingOrMost(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// Adds a count. A sum that overflows is the largest `Int`.
    package mutating func addOrMost(_ other: Int) { self = addingOrMost(other) }
}

extension Duration {
    /// Whole nanoseconds, from 0 to 146 years, so that twice as much still fits.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return seconds < Int64.max / 2_000_000_000
            ? seconds * 1_000_000_000 + attoseconds / 1_000_000_000 : .max / 2
    }

    /// Whole milliseconds, from 0 to 146 years.
    package var milliseconds: Int { Int(nanoseconds / 1_000_000) }

    /// Whole seconds, from 0 to 146 years. Less than one is one, because 0 often means no limit.
    package var seconds: Int { nanoseconds == 0 ? 0 : Swift.max(1, Int(nanoseconds / 1_000_000_000)) }
}
