/// A generator that makes the same numbers in each run (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// At least 0, and less than 1.
    public mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// At least 0, and less than a bound, which is greater than 0.
    public mutating func next(below bound: Int) -> Int { Int(unit() * Double(bound)) }

    public mutating func one<Value>(of values: [Value]) -> Value { values[next(below: values.count)] }
}
