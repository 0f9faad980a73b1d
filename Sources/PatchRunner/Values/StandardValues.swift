extension Bool: PatchValue {
    public func _push(to stack: _PatchStack) { stack.push(self) }
    public static func _read(from stack: _PatchStack, at index: Int32) -> Bool? { stack.bool(at: index) }
    @_documentation(visibility: internal)
    public static var patchTypeName: String { "boolean" }
    public static var _isDirect: Bool { true }
    public static func _sample(_ isSecond: Bool, depth: Int) -> Bool? { isSecond }
}

extension Double: PatchValue {
    public func _push(to stack: _PatchStack) { stack.push(self) }
    public static func _read(from stack: _PatchStack, at index: Int32) -> Double? { stack.number(at: index) }
    @_documentation(visibility: internal)
    public static var patchTypeName: String { "number" }
    public static var _isDirect: Bool { true }
    public static func _pushArray(_ values: [Double], to stack: _PatchStack) { stack.push(values) }
    public static func _readArray(from stack: _PatchStack, at index: Int32) -> [Double]? { stack.numbers(at: index) }
    public static func _sample(_ isSecond: Bool, depth: Int) -> Double? { isSecond ? 2 : 1 }
}

extension Float: PatchValue {
    public func _push(to stack: _PatchStack) { stack.push(Double(self)) }
    /// Reads a number, unless it is outside of the range of `Float`. Precision may be lost.
    public static func _read(from stack: _PatchStack, at index: Int32) -> Float? {
        guard let number = stack.number(at: index) else { return nil }
        let value = Float(number)
        return value.isFinite || !number.isFinite ? value : nil
    }
    public static func _sample(_ isSecond: Bool, depth: Int) -> Float? { isSecond ? 2 : 1 }
    @_documentation(visibility: internal)
    public static var patchTypeName: String { "number" }
    public static var _isDirect: Bool { true }
}

extension Int: PatchValue {
    public func _push(to stack: _PatchStack) { stack.push(Int64(self)) }
    public static func _read(from stack: _PatchStack, at index: Int32) -> Int? {
        stack.integer(at: index).flatMap(Int.init(exactly:))
    }
    @_documentation(visibility: internal)
    public static var patchTypeName: String { "integer" }
    public static func _pushArray(_ values: [Int], to stack: _PatchStack) { stack.push(values) }
    public static func _readArray(from stack: _PatchStack, at index: Int32) -> [Int]? { stack.integers(at: index) }
    public static func _sample(_ isSecond: Bool, depth: Int) -> Int? { isSecond ? 2 : 1 }
}

extension PatchValue where Self: FixedWidthInteger & Codable {
    public static var _isDirect: Bool { true }
    public func _push(to stack: _PatchStack) {
        guard let integer = Int64(exactly: self) else {
            return stack.refuse("\(self) does not fit into a Lua integer")
        }
        stack.push(integer)
    }
    public static func _read(from stack: _PatchStack, at index: Int32) -> Self? {
        stack.integer(at: index).flatMap(Self.init(exactly:))
    }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        guard let integer = stack.integer(at: index) else {
            return stack.mismatch(expected: patchTypeName, at: index)
        }
        return "expected \(patchTypeName) from \(min) to \(max), got \(integer)"
    }
    public static func _sample(_ isSecond: Bool, depth: Int) -> Self? { isSecond ? 2 : 1 }
    @_documentation(visibility: internal)
    public static var patchTypeName: String { "integer" }
}

extension Int8: PatchValue {}
extension Int16: PatchValue {}
extension Int32: PatchValue {}
extension Int64: PatchValue {}
extension UInt16: PatchValue {}
extension UInt32: PatchValue {}
extension UInt64: PatchValue {}
extension UInt: PatchValue {}

/// An array of bytes is passed as a string, because Lua strings hold bytes.
extension UInt8: PatchValue {
    public static func _pushArray(_ values: [UInt8], to stack: _PatchStack) { stack.push(bytes: values) }
    public static func _readArray(from stack: _PatchStack, at index: Int32) -> [UInt8]? { stack.bytes(at: index) }
    public static var _patchArrayTypeName: String { "bytes" }
}

extension String: PatchValue {
    public func _push(to stack: _PatchStack) { stack.push(self) }
    public static func _read(from stack: _PatchStack, at index: Int32) -> String? { stack.string(at: index) }
    @_documentation(visibility: internal)
    public static var patchTypeName: String { "string" }
    public static var _isDirect: Bool { true }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        if let fault = stack.takeReadFault() { return fault }
        let given = stack.typeName(at: index)
        return "expected string, got \(given == "string" ? "a string that is not UTF-8" : given)"
    }
    public static func _sample(_ isSecond: Bool, depth: Int) -> String? { isSecond ? "b" : "a" }
}

extension Optional: PatchValue where Wrapped: PatchValue {
    @inlinable public func _push(to stack: _PatchStack) {
        if let self { self._push(to: stack) } else { stack.pushNil() }
    }
    @inlinable public static func _read(from stack: _PatchStack, at index: Int32) -> Wrapped?? {
        if stack.isNil(at: index) { return .some(nil) }
        return Wrapped._read(from: stack, at: index).map { .some($0) }
    }
    /// Pushes an array, unless it holds nil: a Lua sequence ends at nil.
    @inlinable public static func _pushArray(_ values: [Wrapped?], to stack: _PatchStack) {
        let present = values.compactMap { $0 }
        guard present.count == values.count else { return stack.refuse("a sequence cannot hold nil") }
        Wrapped._pushArray(present, to: stack)
    }
    @inlinable public static func _readArray(from stack: _PatchStack, at index: Int32) -> [Wrapped?]? {
        Wrapped._readArray(from: stack, at: index)
    }
    public static var _patchArrayTypeName: String { Wrapped._patchArrayTypeName }
    @_documentation(visibility: internal)
    public static var patchTypeName: String { "\(Wrapped.patchTypeName) or nil" }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        Wrapped._mismatch(in: stack, at: index)
    }
    public static func _sample(_ isSecond: Bool, depth: Int) -> Wrapped?? {
        .some(isSecond ? sampleOfPart(Wrapped.self, depth) : nil)
    }
}

extension Array: PatchValue where Element: PatchValue {
    @inlinable public func _push(to stack: _PatchStack) { Element._pushArray(self, to: stack) }
    @inlinable public static func _read(from stack: _PatchStack, at index: Int32) -> [Element]? {
        Element._readArray(from: stack, at: index)
    }
    @_documentation(visibility: internal)
    public static var patchTypeName: String { Element._patchArrayTypeName }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        if let fault = stack.takeReadFault() { return fault }
        guard Element._patchArrayTypeName != UInt8._patchArrayTypeName, let count = stack.beginTable(at: index)
        else {
            return "expected \(patchTypeName), got \(stack.typeName(at: index))"
        }
        defer { stack.endTable() }
        for element in 0..<count {
            stack.pushElement(element + 1, of: index)
            defer { stack.pop() }
            if Element._read(from: stack, at: -1) == nil {
                return "element \(element + 1): " + Element._mismatch(in: stack, at: -1)
            }
        }
        return "expected \(patchTypeName), got another table"
    }
    public static func _sample(_ isSecond: Bool, depth: Int) -> [Element]? {
        guard isSecond, let element = sampleOfPart(Element.self, depth) else { return [] }
        return [element]
    }
}

extension Dictionary: PatchValue where Key: PatchDictionaryKey, Value: PatchValue {
    @inlinable public func _push(to stack: _PatchStack) {
        guard stack.pushTable(fields: count) else { return }
        for (key, value) in self {
            guard stack.pay(1) else { return }
            key._push(to: stack)
            value._push(to: stack)
            stack.setPair()
        }
    }
    @inlinable public static func _read(from stack: _PatchStack, at index: Int32) -> [Key: Value]? {
        // A table's number of pairs is not known in advance, and a dictionary that grows hashes each key again and
        // again.
        var pairs: [(key: Key, value: Value)] = []
        let isRead = stack.forEachPair(at: index) {
            guard let key = Key._read(from: stack, at: -2), let value = Value._read(from: stack, at: -1) else {
                return false
            }
            pairs.append((key, value))
            return true
        }
        guard isRead else { return nil }
        var values = [Key: Value](minimumCapacity: pairs.count)
        for (key, value) in pairs { values[key] = value }
        // Lua compares bytes. Keys that only Swift takes for the same one would lose a value, and chance would decide
        // which.
        guard values.count == pairs.count else { return nil }
        return values
    }
    @_documentation(visibility: internal)
    public static var patchTypeName: String {
        var values = Value.patchTypeName
        // A key whose value is nil is not in the table.
        while values.hasSuffix(" or nil") { values.removeLast(" or nil".count) }
        return Key.self == String.self ? "table of \(values)" : "\(Key.patchTypeName) table of \(values)"
    }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        if let fault = stack.takeReadFault() { return fault }
        var found = "expected \(patchTypeName), got \(stack.typeName(at: index))"
        var keys: Set<Key> = []
        _ = stack.forEachPair(at: index) {
            guard let key = Key._read(from: stack, at: -2) else {
                found = "key: " + Key._mismatch(in: stack, at: -2)
                return false
            }
            guard keys.insert(key).inserted else {
                found = "two keys are the same in Swift: \(_PatchStack.excerpt(of: key))"
                return false
            }
            guard Value._read(from: stack, at: -1) == nil else { return true }
            found = "field \(_PatchStack.excerpt(of: key)): " + Value._mismatch(in: stack, at: -1)
            return false
        }
        return found
    }
    public static func _sample(_ isSecond: Bool, depth: Int) -> [Key: Value]? {
        guard isSecond, let key = sampleOfPart(Key.self, depth), let value = sampleOfPart(Value.self, depth) else {
            return [:]
        }
        return [key: value]
    }
}

/// A value for a collection; nil deep in others, because a type may contain itself.
private func sampleOfPart<Part: PatchValue>(_: Part.Type, _ depth: Int) -> Part? {
    depth < 2 ? Part._sample(true, depth: depth + 1) : nil
}

/// A type whose values consist of values of another type.
protocol PatchContainer: PatchValue {
    static var contained: [any PatchValue.Type] { get }
    /// How many keys of a table lead to such a value.
    static var keys: Int { get }
}

extension PatchContainer {
    static var keys: Int { 1 }
}

extension Optional: PatchContainer where Wrapped: PatchValue {
    static var contained: [any PatchValue.Type] { [Wrapped.self] }
    static var keys: Int { 0 }
}
extension Array: PatchContainer where Element: PatchValue {
    static var contained: [any PatchValue.Type] { [Element.self] }
}
extension Dictionary: PatchContainer where Key: PatchDictionaryKey, Value: PatchValue {
    static var contained: [any PatchValue.Type] { [Key.self, Value.self] }
}
