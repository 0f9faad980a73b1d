internal import PatchCrypto

/// Finds the fields of `Codable` types from the encoding of one value.
struct FieldEncoder: Encoder {
    let codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private let found = Found()

    private final class Found {
        /// The fields; nil if the value is not a table with fields.
        var fields: [PatchInterface.Field]?
        /// Whether the value makes a table of its own under a key, so that its keys depend on it: an enum with
        /// associated values.
        var isOpen = false
        /// The type's name, if the value is not a table with fields.
        var type = "table"
        var structs: [PatchInterface.Struct] = []
        /// The types in it whose fields are declared, or that consist of such types.
        var types: [any PatchValue.Type] = []

        /// Records the types in a value, and returns the name of the value's own type.
        func note(_ value: some Encodable) throws -> String {
            let type = Swift.type(of: value) as? any PatchValue.Type
            if let type, type._isDirect || type is any CaseIterable.Type {
                types.append(type)
                // The parts of a container may have fields.
                if !(type is any PatchContainer.Type) { return type.patchTypeName }
            }
            let inner = FieldEncoder()
            try value.encode(to: inner)
            structs += inner.found.structs
            types += inner.found.types
            if let type, type._isDirect { return type.patchTypeName }
            if value is any AnyDictionary || inner.found.isOpen { return "table" }
            guard let fields = inner.found.fields else { return inner.found.type }
            let name = type?.patchTypeName ?? "\(Swift.type(of: value))"
            structs.append(PatchInterface.Struct(name: name, fields: fields))
            return name
        }
    }

    /// The structs in a value, itself included, and the types in it whose fields are declared.
    ///
    /// - Throws: `config` if the value cannot be encoded, or has no fields.
    static func structs(
        of sample: some PatchValue & Encodable
    ) throws(PatchError) -> ([PatchInterface.Struct], [any PatchValue.Type]) {
        let found = Found()
        do { _ = try found.note(sample) } catch {
            throw PatchError(
                .config, "the sample of \(type(of: sample)) cannot be encoded: \(StackDecoder.text(of: error))",
                hint: "give another sample")
        }
        guard !found.structs.isEmpty else {
            throw PatchError(
                .config, "the sample of \(type(of: sample)) has no fields", hint: "describe only types that have some")
        }
        return (found.structs, found.types)
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        if found.fields == nil { found.fields = [] }
        return KeyedEncodingContainer(Keyed(found: found))
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(found: found) }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let codingPath: [any CodingKey] = []
        let found: Found

        private func add(_ key: any CodingKey, _ type: String) {
            found.fields?.append(PatchInterface.Field(name: key.stringValue, type: type))
        }

        private func addOptional<Value: Encodable>(_ value: Value?, _ key: any CodingKey) throws {
            var type = (Value.self as? any PatchValue.Type)?.patchTypeName ?? "value"
            if let value { type = try found.note(value) }
            add(key, "\(type) or nil")
        }

        mutating func encodeNil(forKey key: Key) { add(key, "value or nil") }
        mutating func encode(_ value: some Encodable, forKey key: Key) throws { add(key, try found.note(value)) }
        // Each of these methods has a default that omits nil, so they cannot be replaced by one generic method.
        mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try addOptional(value, key) }
        mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
            try addOptional(value, key)
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy _: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            found.isOpen = true
            return FieldEncoder().container(keyedBy: Nested.self)
        }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            found.isOpen = true
            return Unkeyed(found: found)
        }
        mutating func superEncoder() -> any Encoder {
            found.isOpen = true
            return FieldEncoder()
        }
        mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let codingPath: [any CodingKey] = []
        let found: Found
        var count = 0

        mutating func encodeNil() { count += 1 }
        mutating func encode(_ value: some Encodable) throws {
            _ = try found.note(value)
            count += 1
        }
        mutating func nestedContainer<Nested: CodingKey>(keyedBy _: Nested.Type) -> KeyedEncodingContainer<Nested> {
            FieldEncoder().container(keyedBy: Nested.self)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
        mutating func superEncoder() -> any Encoder { FieldEncoder() }
    }
}

extension FieldEncoder: SingleValueEncodingContainer {
    func encodeNil() { found.type = "value or nil" }
    func encode(_ value: some Encodable) throws { found.type = try found.note(value) }
}

/// A dictionary of any types. Its keys are not fields.
private protocol AnyDictionary {}
extension Dictionary: AnyDictionary {}
