internal import PatchRunner

// Values as the types of an interface.

extension ScriptValue {
    /// Why a value is not of a type.
    struct Mismatch: Error {
        let description: String
    }

    /// Reads a value as a type of an interface.
    static func read(
        from stack: PatchStack, at index: Int32, as type: String, in interface: PatchInterface?
    ) throws(Mismatch) -> ScriptValue {
        guard let value = read(from: stack, at: index) else {
            throw Mismatch(description: stack.mismatch(expected: type, at: index))
        }
        let type = InterfaceType(type)
        if let fault = value.fault(as: type, in: interface) { throw Mismatch(description: fault) }
        return value.converted(to: type, in: interface)
    }

    /// Why the value could not be read as a type of an interface; nil if it could. A type that only Swift knows accepts
    /// any table.
    func fault(as type: InterfaceType, in interface: PatchInterface?) -> String? {
        let mismatch = "expected \(type), given \(typeName)"
        switch (type, self) {
        case (.optional, .nil), (_, .object): return nil
        case (.optional(let wrapped), _): return fault(as: wrapped, in: interface)
        case (.array(let element), .table(let pairs)):
            for pair in pairs {
                if let fault = pair.value.fault(as: element, in: interface) { return "\(pair.key.place): \(fault)" }
            }
            return nil
        case (.dictionary(let key, let value), .table(let pairs)):
            for pair in pairs {
                if let fault = pair.key.fault(as: .named(key), in: interface) { return "key: \(fault)" }
                if let fault = pair.value.fault(as: value, in: interface) { return "\(pair.key.place): \(fault)" }
            }
            return nil
        case (.array, _), (.dictionary, _): return mismatch
        case (.named(let name), _):
            if let scalar = interface?.scalar(name) {
                return fault(as: .named(scalar.type), in: interface).map { _ in mismatch } ?? faultOfCase(scalar)
            }
            return isOther(than: name, in: interface) ? mismatch : faultOfFields(name, in: interface)
        }
    }

    /// Whether the value cannot be of a type that has a name.
    private func isOther(than name: String, in interface: PatchInterface?) -> Bool {
        switch (self, name) {
        case (_, "nothing"), (_, "value"), (.boolean, "boolean"), (.integer, "integer"), (.integer, "number"),
            (.number, "number"), (.string, "string"), (.object, _):
            false
        case (.number(let value), "integer"): Int64(exactly: value) == nil
        case (_, "boolean"), (_, "integer"), (_, "number"), (_, "string"), (.nil, _): true
        case (.table, _): false
        // A struct is a table; an enum with a raw value is that value.
        default: interface?.structure(name) != nil
        }
    }

    /// The error for a value that an enum does not have, in the words of the app's error.
    private func faultOfCase(_ scalar: PatchInterface.Scalar) -> String? {
        let value: PatchInterface.Scalar.Case
        switch self {
        case .string(let bytes): value = .string(String(decoding: bytes, as: UTF8.self))
        case .integer(let number): value = .integer(Int(number))
        default: return nil
        }
        guard !scalar.cases.isEmpty, !scalar.cases.contains(value) else { return nil }
        return switch value {
        case .string(let text): "expected \(scalar.name), given \(text)"
        case .integer(let number): "expected \(scalar.name), given \(number)"
        }
    }

    /// What is wrong with the fields of a table that is to be a struct, in the words of the app's error.
    private func faultOfFields(_ name: String, in interface: PatchInterface?) -> String? {
        guard case .table = self, let structure = interface?.structure(name) else { return nil }
        for field in structure.fields {
            let value = self[field.name]
            guard let fault = value.fault(as: InterfaceType(field.type), in: interface) else { continue }
            if case .nil = value { return "expected \(name): missing field \(field.name)" }
            return "expected \(name): \(field.name): \(fault)"
        }
        return nil
    }

    /// The words for the place of a value in a table whose key this is.
    private var place: String {
        switch self {
        case .integer(let number): "element \(number)"
        case .string(let bytes): "field \(String(decoding: bytes.prefix(128), as: UTF8.self))"
        default: "a key that is a \(typeName)"
        }
    }

    /// A table's field, which may be nil.
    private subscript(field: String) -> ScriptValue {
        guard case .table(let pairs) = self else { return .nil }
        return pairs.first { pair in
            guard case .string(let bytes) = pair.key else { return false }
            return bytes.elementsEqual(field.utf8)
        }?.value ?? .nil
    }

    /// The value as the app would pass it on: a `Double` is a float in Lua, an `Int` is an integer, and a struct has only
    /// its fields.
    func converted(to type: InterfaceType, in interface: PatchInterface?) -> ScriptValue {
        switch (type, self) {
        case (.optional, .nil): return self
        case (.optional(let wrapped), _): return converted(to: wrapped, in: interface)
        case (.named("nothing"), _): return .nil
        case (.named("number"), .integer(let value)): return .number(Double(value))
        case (.named("integer"), .number(let value)): return Int64(exactly: value).map { .integer($0) } ?? self
        case (.array(let element), .table(let pairs)), (.dictionary(_, let element), .table(let pairs)):
            return .table(pairs.map { ($0.key, $0.value.converted(to: element, in: interface)) })
        case (.named(let name), .table):
            guard let structure = interface?.structure(name) else { return self }
            return .table(
                structure.fields.compactMap { field in
                    let value = self[field.name].converted(to: InterfaceType(field.type), in: interface)
                    if case .nil = value { return nil }
                    return (.string(Array(field.name.utf8)), value)
                })
        case (.named(let name), _):
            return interface?.scalar(name).map { converted(to: .named($0.type), in: nil) } ?? self
        default: return self
        }
    }
}
