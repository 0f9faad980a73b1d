/// The values that go to a script and back as 64 bits: functions of nothing else are called in one step of the bridge.
///
/// What a type is, is known when a call is compiled, and so is whether its function is one of these.
@usableFromInline
enum Scalar {
    /// What the bridge calls a type (`pp_scalar`), as a result or an argument; 0 for a type that is no scalar.
    @inlinable @inline(__always)
    static func kind<Value>(_: Value.Type) -> UInt64 {
        Value.self == Int64.self || Value.self == Int.self && Int.bitWidth == 64
            ? 1 : Value.self == Double.self ? 2 : Value.self == Bool.self ? 3 : Value.self == Void.self ? 4 : 0
    }

    /// A scalar's bits.
    @inlinable @inline(__always)
    static func bits<Value>(_ value: Value) -> UInt64 {
        Value.self == Bool.self
            ? unsafe UInt64(unsafeBitCast(value, to: UInt8.self)) : unsafe unsafeBitCast(value, to: UInt64.self)
    }

    /// A scalar.
    @inlinable @inline(__always)
    static func value<Value>(_ bits: UInt64, as _: Value.Type) -> Value {
        if Value.self == Void.self { return unsafe unsafeBitCast((), to: Value.self) }
        return Value.self == Bool.self
            ? unsafe unsafeBitCast(bits != 0, to: Value.self) : unsafe unsafeBitCast(bits, to: Value.self)
    }
}

/// How a call of scalars went.
@frozen @usableFromInline
enum ScalarAnswer {
    /// The script's answer.
    case value(UInt64)
    /// It was not entered: the original is to answer.
    case original
    /// It gave none, and the call has not ended.
    case none(PatchStack)
}
