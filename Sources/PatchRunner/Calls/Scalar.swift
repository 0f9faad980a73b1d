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
        let isWord = Value.self == Int.self && Int.bitWidth == 64
        if Value.self == Int64.self || isWord { return integer }
        if Value.self == Double.self { return number }
        if Value.self == Bool.self { return boolean }
        return Value.self == Void.self ? nothing : none
    }

    /// The bits of a scalar that is not `Void`, as the bridge takes them.
    @inlinable @inline(__always)
    static func bits<Value>(_ value: Value) -> UInt64 {
        Value.self == Bool.self
            ? unsafe UInt64(unsafeBitCast(value, to: UInt8.self)) : unsafe unsafeBitCast(value, to: UInt64.self)
    }

    /// The scalar that the bridge has returned as bits.
    @inlinable @inline(__always)
    static func value<Value>(_ bits: UInt64, as _: Value.Type) -> Value {
        if Value.self == Void.self { return unsafe unsafeBitCast((), to: Value.self) }
        return Value.self == Bool.self
            ? unsafe unsafeBitCast(bits != 0, to: Value.self) : unsafe unsafeBitCast(bits, to: Value.self)
    }
}
