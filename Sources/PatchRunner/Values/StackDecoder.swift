/// Reads a `Codable` value from the tables that a script returns.
struct StackDecoder: Decoder {
    let stack: _PatchStack
    let codingPath: [any CodingKey]
    let place: Int32
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Reads a value.
    ///
    /// - Parameter explains: Whether an error explains the cause. For that, the parts of a value are read again.
    /// - Throws: `DecodingError` if the value has another form, or is past a limit.
    static func read<Value: Decodable>(
        _: Value.Type, from stack: _PatchStack, at index: Int32, explains: Bool = false
    ) throws -> Value {
        let base = stack.top
        let explained = stack.values.explain(explains)
        defer {
            stack.top = base
            _ = stack.values.explain(explained)
        }
        guard stack.enterTable(elements: 0) else { throw limit(stack, []) }
        defer { stack.endTable() }
        _ = stack.takeReadFault()
        let value = try decode(Value.self, from: stack, at: stack.absolute(index), path: [])
        // `allKeys` cannot throw, and a type's own decoder may try another form if one does not fit.
        if let fault = stack.takeReadFault() {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: fault))
        }
        return value
    }

    fileprivate static func decode<Value: Decodable>(
        _: Value.Type, from stack: _PatchStack, at place: Int32, path: [any CodingKey]
    ) throws -> Value {
        guard stack.makeRoom(), stack.pay(1) else { throw mismatch(Value.self, path, "nested too deep") }
        guard let type = Value.self as? any PatchValue.Type, type._isDirect else {
            return try Value(from: StackDecoder(stack: stack, codingPath: path, place: place))
        }
        guard let value = type._read(from: stack, at: place) as? Value else {
            throw mismatch(Value.self, path, stack.values.explains ? type._mismatch(in: stack, at: place) : "")
        }
        return value
    }

    fileprivate static func mismatch(_ type: Any.Type, _ path: [any CodingKey], _ text: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: path, debugDescription: text))
    }

    /// The error for a value that is past a limit, or for a run that must end.
    fileprivate static func limit(_ stack: _PatchStack, _ path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: stack.takeReadFault() ?? "past a limit"))
    }

    /// An error's text in a script's terms: `items.3.price: expected number, got string`.
    static func text(of error: any Error) -> String {
        let context: DecodingError.Context
        let text: String
        switch error {
        case DecodingError.typeMismatch(_, let found), DecodingError.valueNotFound(_, let found),
            DecodingError.dataCorrupted(let found):
            context = found
            text = found.debugDescription
        case DecodingError.keyNotFound(let key, let found):
            context = found
            text = "missing field \(key.stringValue)"
        case EncodingError.invalidValue(_, let found): return found.debugDescription
        default: return "\(error)"
        }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? text : "\(path): \(text)"
    }

    /// Checks that a table here is within the limits, and counts its elements.
    private func checkTable(elements: Int) throws {
        let deepest = stack.values.limits.deepestTable
        guard codingPath.count < deepest else {
            throw Self.mismatch(Any.self, codingPath, "tables nested more than \(deepest) deep")
        }
        guard stack.pay(elements), stack.enterTable(elements: elements) else {
            throw Self.limit(stack, codingPath)
        }
        stack.endTable()
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard stack.isTable(at: place) else {
            throw Self.mismatch([String: Any].self, codingPath, "expected table, got \(stack.typeName(at: place))")
        }
        try checkTable(elements: 1)
        return KeyedDecodingContainer(StackKeyedDecoding(stack: stack, codingPath: codingPath, table: place))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let count = stack.sequenceLength(at: place) else {
            throw Self.mismatch([Any].self, codingPath, "expected sequence, got \(stack.typeName(at: place))")
        }
        try checkTable(elements: count)
        return StackUnkeyedDecoding(stack: stack, codingPath: codingPath, table: place, elements: count)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension StackDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { stack.isNil(at: place) }

    func decode<Value: Decodable>(_: Value.Type) throws -> Value {
        try Self.decode(Value.self, from: stack, at: place, path: codingPath)
    }
}

extension _PatchStack {
    /// Makes room for another value that is pushed to be read. Returns false if the run must end, or, with the reason,
    /// if there is no room.
    fileprivate func makeRoomToRead() -> Bool {
        guard pay(1) else { return false }
        guard makeRoom() else {
            values.refuseRead("too large, or nested too deep")
            return false
        }
        return true
    }
}

private struct StackKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let stack: _PatchStack
    let codingPath: [any CodingKey]
    let table: Int32

    var allKeys: [Key] {
        var keys: [Key] = []
        let base = stack.top
        defer { stack.top = base }
        _ = stack.forEachPair(at: table) {
            let key: Key?
            if let name = stack.string(at: -2) {
                key = Key(stringValue: name)
            } else if let number = stack.integer(at: -2) {
                key = Key(intValue: Int(number))
            } else {
                // A type that reads all keys, such as a dictionary, would lose its value.
                stack.values.refuseRead("key: " + String._mismatch(in: stack, at: -2))
                return false
            }
            if let key { keys.append(key) }
            return true
        }
        // It would also lose a value of keys that are one key in Swift.
        var names: Set<String> = []
        if let twice = keys.first(where: { !names.insert($0.stringValue).inserted }) {
            stack.values.refuseRead("two keys are the same in Swift: \(_PatchStack.excerpt(of: twice.stringValue))")
        }
        return keys
    }

    /// Pushes a field's value, which may be nil. Returns false, and pushes nothing, if there is no room or the run has
    /// ended.
    private func push(_ key: any CodingKey) -> Bool {
        guard stack.makeRoomToRead() else { return false }
        if let number = key.intValue, key.stringValue == String(number) {
            stack.pushElement(number, of: table)
            guard stack.isNil(at: -1) else { return true }
            stack.pop()
        }
        stack.push(name: key.stringValue)
        stack.getValue(of: table)
        return true
    }

    func contains(_ key: Key) -> Bool {
        guard push(key) else { return false }
        defer { stack.pop() }
        return !stack.isNil(at: -1)
    }

    func decodeNil(forKey key: Key) -> Bool { !contains(key) }

    func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
        guard push(key) else { throw StackDecoder.limit(stack, codingPath) }
        let place = stack.top
        defer { stack.top = place - 1 }
        guard !stack.isNil(at: place) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: ""))
        }
        return try StackDecoder.decode(Value.self, from: stack, at: place, path: codingPath + [key])
    }

    /// The decoder of a field. The field's value stays on the stack until the whole value is read.
    private func decoder(of key: any CodingKey) throws -> StackDecoder {
        guard push(key) else { throw StackDecoder.limit(stack, codingPath) }
        return StackDecoder(stack: stack, codingPath: codingPath + [key], place: stack.top)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder(of: key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(of: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(of: StackKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(of: key) }
}

private struct StackUnkeyedDecoding: UnkeyedDecodingContainer {
    let stack: _PatchStack
    let codingPath: [any CodingKey]
    let table: Int32
    let elements: Int
    private(set) var currentIndex = 0

    var count: Int? { elements }
    var isAtEnd: Bool { currentIndex >= elements }

    @inline(__always)
    private func pushNext() throws {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath: codingPath, debugDescription: "the sequence has only \(elements) elements"))
        }
        guard stack.makeRoomToRead() else { throw StackDecoder.limit(stack, codingPath) }
        stack.pushElement(currentIndex + 1, of: table)
    }

    mutating func decodeNil() throws -> Bool {
        try pushNext()
        defer { stack.pop() }
        guard stack.isNil(at: -1) else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_: Value.Type) throws -> Value {
        try pushNext()
        let place = stack.top
        defer { stack.top = place - 1 }
        let value = try StackDecoder.decode(
            Value.self, from: stack, at: place, path: codingPath + [StackKey(currentIndex)])
        currentIndex += 1
        return value
    }

    private mutating func nextDecoder() throws -> StackDecoder {
        try pushNext()
        currentIndex += 1
        return StackDecoder(stack: stack, codingPath: codingPath + [StackKey(currentIndex - 1)], place: stack.top)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try nextDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try nextDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try nextDecoder() }
}
