/// A type whose values can be passed to a script and returned by it.
///
/// The library has `Bool`, the integers, `Double` and `Float`, `String`, `[UInt8]` (a string of bytes), optionals,
/// arrays, and dictionaries whose keys are `String`, `Int`, `UUID` or an enum of such raw values. Your own `Codable`
/// type needs one line. For a class, expose the methods that a script may call (``PatchObject``).
///
///     struct Item: Codable, PatchValue { var name: String; var price: Double }
///
/// Values are not converted: a script's `"10"` is not a number, and a number that is out of range does not fit.
///
/// A type whose values scripts see in another form has its own `encode(to:)` and `init(from:)`. Members that begin with
/// `_` are the library's own: an app neither calls nor implements them, and they may change in any version.
public protocol PatchValue: SendableMetatype {
    /// Pushes the value: exactly one.
    ///
    /// - Parameter stack: The stack to push to.
    func _push(to stack: _PatchStack)

    /// Reads a value.
    ///
    /// - Parameters:
    ///   - stack: The stack that holds the value.
    ///   - index: The value's place on the stack: from 1 upwards, or from -1 downwards if counted from the top.
    /// - Returns: The value, or nil if the value there has another type or another form.
    static func _read(from stack: _PatchStack, at index: Int32) -> Self?

    /// The name of the type for scripts, such as `number` or `Item`. By default, it is the type's own.
    static var patchTypeName: String { get }

    /// The message for a value for which `_read(from:at:)` returned nil: the expected and the given type.
    static func _mismatch(in stack: _PatchStack, at index: Int32) -> String

    /// Whether the type is pushed and read directly inside a `Codable` value, without its own encoding.
    static var _isDirect: Bool { get }

    /// Pushes an array of values. By default it is a table.
    static func _pushArray(_ values: [Self], to stack: _PatchStack)

    /// Reads an array of values.
    ///
    /// - Returns: The values, or nil if the value there has another type or another form.
    static func _readArray(from stack: _PatchStack, at index: Int32) -> [Self]?

    /// The name of an array of values for scripts.
    static var _patchArrayTypeName: String { get }

    /// One of two values of the type, with which a registration checks that the fields of a struct are not swapped.
    /// Both may be the same.
    ///
    /// - Parameters:
    ///   - isSecond: Which of the two.
    ///   - depth: How many values it is in. Deep in others, collections are empty, because a type may contain itself.
    /// - Returns: nil if none can be made.
    static func _sample(_ isSecond: Bool, depth: Int) -> Self?
}

extension PatchValue {
    public static var patchTypeName: String { "\(Self.self)" }

    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        stack.mismatch(expected: patchTypeName, at: index)
    }

    @inlinable public static func _pushArray(_ values: [Self], to stack: _PatchStack) {
        guard stack.pushTable(elements: values.count) else { return }
        for (index, value) in values.enumerated() {
            guard stack.pay(1) else { return }
            value._push(to: stack)
            stack.setElement(index + 1)
        }
    }

    @inlinable public static func _readArray(from stack: _PatchStack, at index: Int32) -> [Self]? {
        guard let count = stack.beginTable(at: index) else { return nil }
        defer { stack.endTable() }
        var values: [Self] = []
        values.reserveCapacity(min(count, 1024))
        for element in 0..<count {
            stack.pushElement(element + 1, of: index)
            defer { stack.pop() }
            guard let value = _read(from: stack, at: -1) else { return nil }
            values.append(value)
        }
        return values
    }

    public static var _isDirect: Bool { true }

    public static var _patchArrayTypeName: String { "array of \(patchTypeName)" }

    public static func _sample(_ isSecond: Bool, depth: Int) -> Self? {
        (Self.self as? any CaseIterable.Type)?.sample(isSecond) as? Self
    }
}

extension CaseIterable {
    /// One of the first two cases, or the only one.
    fileprivate static func sample(_ isSecond: Bool) -> Any? {
        allCases.dropFirst(isSecond ? 1 : 0).first ?? allCases.first
    }
}

/// A type whose values can be the keys of a dictionary that is passed to scripts.
///
/// `String` and `Int` are such types. An enum whose raw values are of one of these needs one word; scripts see its raw
/// values:
///
///     enum Meal: String, PatchDictionaryKey { case lunch, dinner }
public protocol PatchDictionaryKey: PatchValue, Hashable {}

extension PatchDictionaryKey where Self: RawRepresentable, RawValue: PatchDictionaryKey {
    public func _push(to stack: _PatchStack) { rawValue._push(to: stack) }
    public static func _read(from stack: _PatchStack, at index: Int32) -> Self? {
        RawValue._read(from: stack, at: index).flatMap(Self.init(rawValue:))
    }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String { rawMismatch(in: stack, at: index) }
    public static var _isDirect: Bool { true }
}

extension PatchDictionaryKey where Self: RawRepresentable, RawValue: PatchDictionaryKey {
    fileprivate static func rawMismatch(in stack: _PatchStack, at index: Int32) -> String {
        guard let value = RawValue._read(from: stack, at: index) else {
            return RawValue._mismatch(in: stack, at: index)
        }
        return "expected \(patchTypeName), got the \(RawValue.patchTypeName) \(_PatchStack.excerpt(of: value))"
    }
}

// The same for a Codable type, which would otherwise be passed in the form of its encoding.
extension PatchDictionaryKey where Self: RawRepresentable & Codable, RawValue: PatchDictionaryKey {
    public func _push(to stack: _PatchStack) { rawValue._push(to: stack) }
    public static func _read(from stack: _PatchStack, at index: Int32) -> Self? {
        RawValue._read(from: stack, at: index).flatMap(Self.init(rawValue:))
    }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String { rawMismatch(in: stack, at: index) }
    public static var _isDirect: Bool { true }
}

extension String: PatchDictionaryKey {}
extension Int: PatchDictionaryKey {}

/// A type with a name of its own that scripts see as one basic value, without cases that could be listed.
package protocol BasicValue: PatchValue {}

/// How a function's result is passed. Used by the functions that register names.
@usableFromInline package protocol PatchResult: SendableMetatype {
    associatedtype Value
    /// How many values a script returns: 1 or 0.
    static var count: Int32 { get }
    static var typeName: String { get }
    /// The type; nil if there is no result.
    static var type: (any PatchValue.Type)? { get }
    /// Pushes a result, and returns `count`.
    static func push(_ value: Value, to stack: _PatchStack) -> Int32
    /// Reads the result that is on top.
    static func read(from stack: _PatchStack) -> Value?
    static func mismatch(in stack: _PatchStack) -> String
}

@usableFromInline enum PatchValueResult<Value: PatchValue>: PatchResult {
    @inlinable static var count: Int32 { 1 }
    @usableFromInline static var typeName: String { Value.patchTypeName }
    @usableFromInline static var type: (any PatchValue.Type)? { Value.self }
    @inlinable static func push(_ value: Value, to stack: _PatchStack) -> Int32 {
        value._push(to: stack)
        return 1
    }
    @inlinable static func read(from stack: _PatchStack) -> Value? { Value._read(from: stack, at: -1) }
    @usableFromInline static func mismatch(in stack: _PatchStack) -> String { Value._mismatch(in: stack, at: -1) }
}

@usableFromInline enum PatchNoResult: PatchResult {
    @inlinable static var count: Int32 { 0 }
    @usableFromInline static var typeName: String { "nothing" }
    @usableFromInline static var type: (any PatchValue.Type)? { nil }
    @inlinable static func push(_ value: Void, to stack: _PatchStack) -> Int32 { 0 }
    @inlinable static func read(from stack: _PatchStack) -> Void? { () }
    @usableFromInline static func mismatch(in stack: _PatchStack) -> String { "" }
}
