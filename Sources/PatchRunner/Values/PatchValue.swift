/// A type whose values a script can be given and can answer with.
///
/// The library has `Bool`, the integers, `Double` and `Float`, `String`, `[UInt8]` (a string of bytes), optionals, arrays and
/// dictionaries with string keys. A type of your own that is `Codable` needs one line, and a class one that says what of it a
/// script may call (``PatchObject``):
///
///     struct Item: Codable { var name: String; var price: Double }
///     extension Item: PatchValue {}
///
/// Nothing is converted on the way: a script's `"10"` is no number, and a number out of range is none that fits.
///
/// A type of another form implements ``push(to:)`` and ``read(from:at:)``, by means of types that the library has. Everything else
/// has a default, which only the library's own types replace.
public protocol PatchValue: SendableMetatype {
    /// Pushes the value: one value, with `push(to:)` of a type that the library has.
    ///
    /// - Parameter stack: Takes the value.
    func push(to stack: PatchStack)

    /// Reads a value.
    ///
    /// - Parameters:
    ///   - stack: Where it is.
    ///   - index: Its place on the stack: from 1, or from -1 downwards, counting from the top.
    /// - Returns: nil if the value there is of another type, or of another form.
    static func read(from stack: PatchStack, at index: Int32) -> Self?

    /// What a script calls the type, such as `number`, or `Item`.
    static var patchTypeName: String { get }

    /// Why ``read(from:at:)`` returned nil: what was expected, and what is there.
    static func mismatch(in stack: PatchStack, at index: Int32) -> String

    /// Whether the type keeps its own form within a `Codable` value, and is not asked how it is encoded.
    static var isDirect: Bool { get }

    /// Pushes an array of values; a table unless the type does better.
    static func push(_ values: [Self], to stack: PatchStack)

    /// Reads an array of values.
    ///
    /// - Returns: nil if the value there is of another type, or of another form.
    static func readArray(from stack: PatchStack, at index: Int32) -> [Self]?

    /// What a script calls an array of values.
    static var patchArrayTypeName: String { get }
}

extension PatchValue {
    public static var patchTypeName: String { "\(Self.self)" }

    public static func mismatch(in stack: PatchStack, at index: Int32) -> String {
        stack.mismatch(expected: patchTypeName, at: index)
    }

    public static func push(_ values: [Self], to stack: PatchStack) {
        stack.pushTable(elements: values.count)
        for (index, value) in values.enumerated() {
            guard stack.pays(1) else { return }
            value.push(to: stack)
            stack.setElement(index + 1)
        }
    }

    public static func readArray(from stack: PatchStack, at index: Int32) -> [Self]? {
        guard let count = stack.beginTable(at: index) else { return nil }
        defer { stack.endTable() }
        var values: [Self] = []
        values.reserveCapacity(min(count, 1024))
        for element in 0..<count {
            stack.pushElement(element + 1, of: index)
            defer { stack.pop() }
            guard let value = read(from: stack, at: -1) else { return nil }
            values.append(value)
        }
        return values
    }

    public static var isDirect: Bool { true }

    public static var patchArrayTypeName: String { "array of \(patchTypeName)" }
}

/// How a function's result passes; what the functions that register names use.
@usableFromInline package protocol PatchResult: SendableMetatype {
    /// The result's type.
    associatedtype Value
    /// How many values a script answers with: 1, or 0 for none.
    static var count: Int32 { get }
    /// What a script calls the type.
    static var typeName: String { get }
    /// Pushes a result, and returns `count`.
    static func push(_ value: Value, to stack: PatchStack) -> Int32
    /// Reads the result that is on top.
    static func read(from stack: PatchStack) -> Value?
    /// Why there is none.
    static func mismatch(in stack: PatchStack) -> String
}

extension PatchResult {
    /// Runs what was entered, with so many arguments, and reads its result; on success the call is over.
    ///
    /// - Returns: nil where the run failed or answered with something else; the call goes on then.
    @inlinable static func finish(_ stack: PatchStack, arguments: Int32) -> Value? {
        guard stack.runs(arguments, count), let value = read(from: stack) else { return nil }
        stack.leave()
        return value
    }
}

/// The result of a function that returns a value.
@usableFromInline enum PatchValueResult<Value: PatchValue>: PatchResult {
    @inlinable static var count: Int32 { 1 }
    @usableFromInline static var typeName: String { Value.patchTypeName }
    @inlinable static func push(_ value: Value, to stack: PatchStack) -> Int32 {
        value.push(to: stack)
        return 1
    }
    @inlinable static func read(from stack: PatchStack) -> Value? { Value.read(from: stack, at: -1) }
    @usableFromInline static func mismatch(in stack: PatchStack) -> String { Value.mismatch(in: stack, at: -1) }
}

/// The result of a function that returns nothing.
@usableFromInline enum PatchNoResult: PatchResult {
    @inlinable static var count: Int32 { 0 }
    @usableFromInline static var typeName: String { "nothing" }
    @inlinable static func push(_ value: Void, to stack: PatchStack) -> Int32 { 0 }
    @inlinable static func read(from stack: PatchStack) -> Void? { () }
    @usableFromInline static func mismatch(in stack: PatchStack) -> String { "" }
}
