internal import PatchRunner

// Values as the types of an interface, which has them by name.

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
        if let fault = value.fault(as: type, in: interface) { throw Mismatch(description: fault) }
        return value.converted(to: type, in: interface)
    }

    /// Why the value could not be read as a type of an interface; nil if it could. A type that only Swift knows accepts
    /// any table.
    func fault(as type: String, in interface: PatchInterface?) -> String? {
        if type.hasSuffix(" or nil") {
            if case .nil = self { return nil }
            return fault(as: String(type.dropLast(" or nil".count)), in: interface)
        }
        let mismatch = "expected \(type), given \(typeName)"
        switch (self, type) {
        case (_, "nothing"), (_, "value"), (.boolean, "boolean"), (.integer, "integer"), (.integer, "number"),
            (.number, "number"), (.string, "string"), (.object, _):
            return nil
        case (.number(let value), "integer"): return Int64(exactly: value) != nil ? nil : mismatch
        case (_, "boolean"), (_, "integer"), (_, "number"), (_, "string"): return mismatch
        case (.table(let pairs), _):
            for prefix in ["array of ", "table of "] where type.hasPrefix(prefix) {
                let element = String(type.dropFirst(prefix.count))
                for pair in pairs {
                    if let fault = pair.value.fault(as: element, in: interface) { return "\(pair.key.place): \(fault)" }
                }
                return nil
            }
            guard let structure = interface?.structure(type) else { return nil }
            return faultOfFields(structure, in: interface).map { "expected \(type): \($0)" }
        // A struct is a table; an enum with a raw value is that value.
        case (.nil, _): return mismatch
        default: return type.contains(" of ") || interface?.structure(type) != nil ? mismatch : nil
        }
    }

    /// What is wrong with the fields of a table that is to be a struct, in the words of the app's error.
    private func faultOfFields(_ structure: PatchInterface.Struct, in interface: PatchInterface?) -> String? {
        for field in structure.fields {
            let value = self[field.name]
            guard let fault = value.fault(as: field.type, in: interface) else { continue }
            if case .nil = value { return "missing field \(field.name)" }
            return "\(field.name): \(fault)"
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
    func converted(to type: String, in interface: PatchInterface?) -> ScriptValue {
        if type.hasSuffix(" or nil") {
            if case .nil = self { return self }
            return converted(to: String(type.dropLast(" or nil".count)), in: interface)
        }
        switch (self, type) {
        case (_, "nothing"): return .nil
        case (.integer(let value), "number"): return .number(Double(value))
        case (.number(let value), "integer"): return Int64(exactly: value).map { .integer($0) } ?? self
        case (.table(let pairs), _):
            for prefix in ["array of ", "table of "] where type.hasPrefix(prefix) {
                let element = String(type.dropFirst(prefix.count))
                return .table(pairs.map { ($0.key, $0.value.converted(to: element, in: interface)) })
            }
            guard let structure = interface?.structure(type) else { return self }
            return .table(
                structure.fields.compactMap { field in
                    let value = self[field.name].converted(to: field.type, in: interface)
                    if case .nil = value { return nil }
                    return (.string(Array(field.name.utf8)), value)
                })
        default: return self
        }
    }
}
