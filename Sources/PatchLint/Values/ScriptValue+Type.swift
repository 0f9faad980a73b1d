package import PatchRunner

extension ScriptValue {
    /// Why a value is not of a type.
    package typealias Mismatch = Slot.Mismatch

    package static func read(
        from stack: _PatchStack, at index: Int32, as type: String, in interface: PatchInterface?
    ) throws(Mismatch) -> ScriptValue {
        guard let value = _read(from: stack, at: index) else {
            throw Mismatch(stack.mismatch(expected: type, at: index))
        }
        let type = InterfaceType(type)
        if let fault = value.fault(as: type, in: interface) { throw Mismatch(fault) }
        return value.converted(to: type, in: interface)
    }

    /// Reads the result that a script gives for `otherwise` while it loads.
    package static func readResult(
        from stack: _PatchStack, as type: String, in interface: PatchInterface?
    ) -> Result<Otherwise, Mismatch> {
        Result { () throws(Mismatch) in Otherwise(try read(from: stack, at: -1, as: type, in: interface)) }
    }

    /// Why the app could not read the value as a type of an interface; nil if it could.
    ///
    /// A type that only Swift knows accepts any table.
    package func fault(as type: InterfaceType, in interface: PatchInterface?) -> String? {
        let mismatch = "expected \(type), got \(typeName)"
        switch (type, self) {
        case (.optional, .nil): return nil
        case (.optional(let wrapped), _): return fault(as: wrapped, in: interface)
        case (.array(let element), .table(_, let length)):
            // Other keys are ignored, unless there is nothing else.
            guard let length else { return mismatch }
            for (index, value) in elements(length).enumerated() {
                if let fault = value.fault(as: element, in: interface) { return "element \(index + 1): \(fault)" }
            }
            return nil
        case (.dictionary(let key, let value), .table(let pairs, _)):
            for pair in pairs {
                if let fault = pair.key.fault(as: .named(key), in: interface) { return "key: \(fault)" }
                if let fault = pair.value.fault(as: value, in: interface) { return "\(pair.key.place): \(fault)" }
            }
            return nil
        case (.array, _), (.dictionary, _): return mismatch
        case (.named("string"), .string(let bytes)):
            return String(validating: bytes, as: UTF8.self) == nil
                ? "expected string, got a string that is not UTF-8" : nil
        case (.named("value"), .table(let pairs, _)):
            return pairs.lazy.compactMap { $0.value.fault(as: type, in: interface) }.first
        case (.named(let name), _):
            if let scalar = interface?.scalar(name) {
                return isOther(than: scalar.type, in: interface) ? mismatch : faultOfCase(scalar)
            }
            return isOther(than: name, in: interface) ? mismatch : faultOfFields(name, in: interface)
        }
    }

    /// Whether the value cannot be of a named type.
    private func isOther(than name: String, in interface: PatchInterface?) -> Bool {
        switch (self, name) {
        case (_, "nothing"): false
        case (.other, _): true
        case (_, "value"), (.boolean, "boolean"), (.integer, "integer"), (.integer, "number"),
            (.number, "number"), (.string, "string"):
            false
        case (.number(let value), "integer"): Int64(exactly: value) == nil
        case (_, "boolean"), (_, "integer"), (_, "number"), (_, "string"), (.nil, _): true
        case (.object(let object), _): exposes(name, interface) ? object.className != name : isStruct(name, interface)
        case (.table, _): exposes(name, interface)
        // A struct is a table; an enum with a raw value is that value.
        default: isStruct(name, interface) || exposes(name, interface)
        }
    }

    private func exposes(_ name: String, _ interface: PatchInterface?) -> Bool {
        interface?.classes.contains { $0.name == name } ?? false
    }

    private func isStruct(_ name: String, _ interface: PatchInterface?) -> Bool { interface?.structure(name) != nil }

    /// The elements of a table from 1 to its length. Missing elements are nil.
    private func elements(_ length: Int) -> [ScriptValue] {
        guard case .table(let pairs, _) = self else { return [] }
        var elements = [ScriptValue](repeating: .nil, count: min(length, pairs.count + 1))
        for case (.integer(let place), let value) in pairs where place >= 1 && place <= elements.count {
            elements[Int(place) - 1] = value
        }
        return elements
    }

    /// The error for a value that is not a case of an enum, worded like the app's error.
    private func faultOfCase(_ scalar: PatchInterface.Scalar) -> String? {
        let (value, shown): (PatchInterface.Scalar.Case, String)
        switch self {
        case .string(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            value = .string(text)
            shown = text
        case .integer(let number):
            value = .integer(Int(number))
            shown = "\(number)"
        default: return nil
        }
        guard !scalar.cases.isEmpty, !scalar.cases.contains(value) else { return nil }
        return "expected \(scalar.name), got \(shown)"
    }

    /// The fault in the fields of a table that is to be a struct, worded like the app's error.
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

    /// The words for the place of a value in a table that has it at this key.
    private var place: String {
        switch self {
        case .integer(let number): "element \(number)"
        case .string(let bytes): "field \(String(decoding: bytes.prefix(128), as: UTF8.self))"
        default: "a key that is a \(typeName)"
        }
    }

    private subscript(field: String) -> ScriptValue {
        guard case .table(let pairs, _) = self else { return .nil }
        return pairs.first { pair in
            guard case .string(let bytes) = pair.key else { return false }
            return bytes.elementsEqual(field.utf8)
        }?.value ?? .nil
    }

    /// The value as the app would pass it on.
    ///
    /// A `Double` is a float in Lua, an `Int` is an integer, and a struct has only its fields.
    package func converted(to type: InterfaceType, in interface: PatchInterface?) -> ScriptValue {
        switch (type, self) {
        case (.optional, .nil): return self
        case (.optional(let wrapped), _): return converted(to: wrapped, in: interface)
        case (.named("nothing"), _): return .nil
        case (.named("number"), .integer(let value)): return .number(Double(value))
        case (.named("integer"), .number(let value)): return Int64(exactly: value).map { .integer($0) } ?? self
        case (.array(let element), .table(_, let length)):
            let elements = elements(length ?? 0).map { $0.converted(to: element, in: interface) }
            return .table(elements.enumerated().map { (.integer(Int64($0 + 1)), $1) }, length: length)
        case (.dictionary(_, let element), .table(let pairs, let length)):
            return .table(pairs.map { ($0.key, $0.value.converted(to: element, in: interface)) }, length: length)
        case (.named(let name), .table):
            guard let structure = interface?.structure(name) else { return self }
            return .table(
                structure.fields.compactMap { field in
                    let value = self[field.name].converted(to: InterfaceType(field.type), in: interface)
                    if case .nil = value { return nil }
                    return (.string(Array(field.name.utf8)), value)
                }, length: nil)
        case (.named(let name), _):
            return interface?.scalar(name).map { converted(to: .named($0.type), in: nil) } ?? self
        default: return self
        }
    }
}
