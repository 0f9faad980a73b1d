/// Scalars: values that are passed to and from a script as 64 bits. A function of scalars only is called in one step of
/// the bridge.
///
/// Whether a function is one of these is known when a call of it is compiled.
@usableFromInline
enum Scalar {
    // The bridge's numbers for types (`pp_scalar`), by name. They are literals, because inlined code does not see the
    // bridge.
    @inlinable @inline(__always) static var integer: UInt64 { 1 }
    @inlinable @inline(__always) static var number: UInt64 { 2 }
    @inlinable @inline(__always) static var boolean: UInt64 { 3 }
    @inlinable @inline(__always) static var nothing: UInt64 { 4 }
    @inlinable @inline(__always) static var none: UInt64 { 0 }

    /// The number for a type, as a result or an argument; `none` if the type is not a scalar.
    @inlinable @inline(__always)
    static func kind<Value>(_: Value.Type) -> UInt64 {
        Value.self == Int64.self || Value.self == Int.self && Int.bitWidth == 64
            ? integer
            : Value.self == Double.self
                ? number : Value.self == Bool.self ? boolean : Value.self == Void.self ? nothing : none
    }

    @inlinable @inline(__always)
    static func bits<Value>(_ value: Value) -> UInt64 {
        Value.self == Bool.self
            ? unsafe UInt64(unsafeBitCast(value, to: UInt8.self)) : unsafe unsafeBitCast(value, to: UInt64.self)
    }

    @inlinable @inline(__always)
    static func value<Value>(_ bits: UInt64, as _: Value.Type) -> Value {
        if Value.self == Void.self { return unsafe unsafeBitCast((), to: Value.self) }
        return Value.self == Bool.self
            ? unsafe unsafeBitCast(bits != 0, to: Value.self) : unsafe unsafeBitCast(bits, to: Value.self)
    }
}

/// The outcome of an attempt to enter a patch.
@frozen @usableFromInline
package enum Entrance {
    /// The patch was entered. Its script has not answered, and the call has not ended.
    case entered(_PatchStack)
    /// The script's answer to a call of scalars, which has ended.
    case value(UInt64)
    /// The patch was not entered. The original must answer.
    case original
    /// The patch was not entered. Its script's `otherwise` answers: a reference for ``Otherwise/outcome(_:_:_:)``.
    case otherwise(UInt)
    /// The patch was not entered, because the call is instrumented. The cell holds the layer to be entered.
    case instrumented(LayerCell)
}
