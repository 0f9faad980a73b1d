extension PatchValue where Self: Codable {
    public func _push(to stack: _PatchStack) { StackEncoder.push(self, to: stack) }
    public static func _read(from stack: _PatchStack, at index: Int32) -> Self? {
        try? StackDecoder.read(Self.self, from: stack, at: index)
    }
    public static var _isDirect: Bool { false }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        if _isDirect { return stack.mismatch(expected: patchTypeName, at: index) }
        do {
            _ = try StackDecoder.read(Self.self, from: stack, at: index, explains: true)
            return "expected \(patchTypeName), got another value"
        } catch {
            return "expected \(patchTypeName): " + StackDecoder.text(of: error)
        }
    }
}

/// Writes a `Codable` value directly as tables.
///
/// A container is a table on the stack. Its values are added as they are encoded. `Encoder` cannot refuse a container.
/// If the stack has no room for one, or the run has ended, it returns a container that has no table (0) and takes no
/// value.
struct StackEncoder: Encoder {
    let stack: _PatchStack
    let codingPath: [any CodingKey]
    let target: Target
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    enum Target {
        /// The place for the value, which holds nil until then.
        case place(Int32)
        /// A table that already exists. A class's superclass is encoded into it.
        case table(Int32)
    }

    /// Pushes a value. If it cannot be encoded, the run that was to receive it fails.
    static func push(_ value: some Encodable, to stack: _PatchStack) {
        let base = stack.top
        do {
            try encode(value, to: stack, path: [])
        } catch {
            stack.top = base
            stack.refuse("\(type(of: value)) cannot be encoded: \(StackDecoder.text(of: error))")
        }
    }

    fileprivate static func encode(_ value: some Encodable, to stack: _PatchStack, path: [any CodingKey]) throws {
        guard stack.makeRoom(), stack.pay(1) else {
            throw noRoom(value, path)
        }
        if let value = value as? any PatchValue, type(of: value)._isDirect { return value._push(to: stack) }
        stack.pushNil()
        let place = stack.top
        try value.encode(to: StackEncoder(stack: stack, codingPath: path, target: .place(place)))
        stack.top = place
    }

    /// Returns the place of the table for the value, and makes the table if there is none yet; 0 if it has no room.
    private func pushTable() -> Int32 {
        switch target {
        case .table(let table): return table
        case .place(let place):
            // A class and its superclass may each ask for the container, and get the same one.
            if !stack.isTable(at: place) {
                guard stack.pushNestedTable() != 0 else { return 0 }
                stack.replace(place)
            }
            return place
        }
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(StackKeyedEncoding(stack: stack, codingPath: codingPath, table: pushTable()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        StackUnkeyedEncoding(stack: stack, codingPath: codingPath, table: pushTable())
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        switch target {
        case .place(let place): return StackSingleEncoding(stack: stack, codingPath: codingPath, place: place)
        case .table:
            guard stack.makeRoom() else { return StackSingleEncoding(stack: stack, codingPath: codingPath, place: 0) }
            stack.pushNil()  // a superclass that is not a table has no place
            return StackSingleEncoding(stack: stack, codingPath: codingPath, place: stack.top)
        }
    }
}

private func noRoom(_ value: some Encodable, _ path: [any CodingKey]) -> EncodingError {
    .invalidValue(value, .init(codingPath: path, debugDescription: "too large, or nested too deep"))
}

extension _PatchStack {
    /// Pushes a table that stays until the outermost value is encoded. Returns its place; 0 if there is no room, or the
    /// run has ended.
    fileprivate func pushNestedTable() -> Int32 {
        guard pay(1) else { return 0 }
        guard makeRoom() else {
            refuseRun("too large, or nested too deep")
            return 0
        }
        return pushTable() ? top : 0
    }
}

private struct StackKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let stack: _PatchStack
    let codingPath: [any CodingKey]
    let table: Int32

    mutating func encodeNil(forKey key: Key) {}

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        guard table != 0, stack.makeRoom() else { throw noRoom(value, codingPath) }
        stack.push(name: key.stringValue)
        try StackEncoder.encode(value, to: stack, path: codingPath + [key])
        stack.setPair(of: table)
    }

    /// Adds a table under a key. The table stays on the stack while its values are encoded.
    private func pushNestedTable(_ key: any CodingKey) -> Int32 {
        guard table != 0, case let nested = stack.pushNestedTable(), nested != 0 else { return 0 }
        stack.push(name: key.stringValue)
        stack.pushCopy(of: nested)
        stack.setPair(of: table)
        return nested
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy _: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(
            StackKeyedEncoding<Nested>(stack: stack, codingPath: codingPath + [key], table: pushNestedTable(key)))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        StackUnkeyedEncoding(stack: stack, codingPath: codingPath + [key], table: pushNestedTable(key))
    }

    mutating func superEncoder() -> any Encoder { superEncoder(under: StackKey("super")) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder(under: key) }

    private func superEncoder(under key: any CodingKey) -> any Encoder {
        StackEncoder(stack: stack, codingPath: codingPath + [key], target: .table(pushNestedTable(key)))
    }
}

private struct StackUnkeyedEncoding: UnkeyedEncodingContainer {
    let stack: _PatchStack
    let codingPath: [any CodingKey]
    let table: Int32
    var count = 0

    mutating func encodeNil() throws {
        throw EncodingError.invalidValue(
            Optional<Int>.none as Any, .init(codingPath: codingPath, debugDescription: "a sequence cannot hold nil"))
    }

    mutating func encode(_ value: some Encodable) throws {
        guard table != 0 else { throw noRoom(value, codingPath) }
        try StackEncoder.encode(value, to: stack, path: codingPath + [StackKey(count)])
        count += 1
        stack.setElement(count, of: table)
    }

    private mutating func pushNestedTable() -> Int32 {
        guard table != 0, case let nested = stack.pushNestedTable(), nested != 0 else { return 0 }
        stack.pushCopy(of: nested)
        count += 1
        stack.setElement(count, of: table)
        return nested
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy _: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let path = codingPath + [StackKey(count)]
        return KeyedEncodingContainer(
            StackKeyedEncoding<Nested>(stack: stack, codingPath: path, table: pushNestedTable()))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let path = codingPath + [StackKey(count)]
        return StackUnkeyedEncoding(stack: stack, codingPath: path, table: pushNestedTable())
    }

    mutating func superEncoder() -> any Encoder {
        let path = codingPath + [StackKey(count)]
        return StackEncoder(stack: stack, codingPath: path, target: .table(pushNestedTable()))
    }
}

private struct StackSingleEncoding: SingleValueEncodingContainer {
    let stack: _PatchStack
    let codingPath: [any CodingKey]
    let place: Int32

    mutating func encodeNil() {}

    mutating func encode(_ value: some Encodable) throws {
        guard place != 0 else { throw noRoom(value, codingPath) }
        try StackEncoder.encode(value, to: stack, path: codingPath)
        stack.replace(place)
    }
}

/// A coding key that is not declared by a type: an index, or `super`.
struct StackKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ index: Int) {
        stringValue = String(index + 1)  // as Lua counts
        intValue = index
    }
    init(_ name: String) {
        stringValue = name
        intValue = nil
    }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
}
