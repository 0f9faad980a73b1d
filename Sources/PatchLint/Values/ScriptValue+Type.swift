internal import PatchCrypto
package import PatchRunner

extension ScriptValue {
    /// Why a value is not of a type.
    package typealias Mismatch = Slot.Mismatch

    /// Reads the value at a place as a type of an interface, as the app would have it.
    ///
    /// - Throws: Why it does not fit.
    package static func read(
        from stack: _PatchStack, at index: Int32, as type: String, in types: InterfaceTypes?
    ) throws(Mismatch) -> ScriptValue {
        guard let value = _read(from: stack, at: index) else {
            throw Mismatch(stack.mismatch(expected: type, at: index))
        }
        let type = InterfaceType(type)
        if let fault = value.fault(as: type, in: types) { throw Mismatch(fault) }
        return value.converted(to: type, in: types)
    }

    /// Reads the result that a script gives for `otherwise` while it loads.
    package static func readResult(
        from stack: _PatchStack, as type: String, in types: InterfaceTypes?
    ) -> Result<Otherwise, Mismatch> {
        Result { () throws(Mismatch) in Otherwise(try read(from: stack, at: -1, as: type, in: types)) }
    }

    /// Why the app could not read the value as a type of an interface; nil if it could.
    ///
    /// A type that only Swift knows accepts any value except nil and functions.
    package func fault(as type: InterfaceType, in types: InterfaceTypes?) -> String? {
        var mismatch: String { "expected \(type), got \(typeName)" }
        switch (type, self) {
        case (.optional, .nil): return nil
        case (.optional(let wrapped), _): return fault(as: wrapped, in: types)
        case (.array(let element), .table(_, let length)):
            // Other keys are ignored, unless there is nothing else.
            guard let length else { return mismatch }
            for (index, value) in elements(length).enumerated() {
                if let fault = value.fault(as: element, in: types) { return "element \(index + 1): \(fault)" }
            }
            return nil
        case (.dictionary(let key, let value), .table(let pairs, _)):
            for pair in pairs {
                if let fault = pair.key.fault(as: .named(key), in: types) { return "key: \(fault)" }
                if let fault = pair.value.fault(as: value, in: types) { return "\(pair.key.place): \(fault)" }
            }
            return nil
        case (.array, _), (.dictionary, _): return mismatch
        case (.named("string"), .string(let bytes)):
            return String(validating: bytes, as: UTF8.self) == nil
                ? "expected string, got a string that is not UTF-8" : nil
        case (.named("value"), .table(let pairs, _)):
            for pair in pairs {
                if let fault = pair.value.fault(as: type, in: types) { return fault }
            }
            return nil
        case (.named(let name), _):
            if let scalar = types?.scalar(name) {
                return isOther(than: scalar.type, in: types) ? mismatch : faultOfCase(scalar)
            }
            return isOther(than: name, in: types) ? mismatch : faultOfFields(name, in: types)
        }
    }

    /// Whether the value cannot be of a named type.
    private func isOther(than name: String, in types: InterfaceTypes?) -> Bool {
        switch (self, name) {
        case (_, "nothing"): false
        case (.other, _): true
        case (_, "value"), (.boolean, "boolean"), (.integer, "integer"), (.integer, "number"),
            (.number, "number"), (.string, "string"):
            false
        case (.number(let value), "integer"): Int64(exactly: value) == nil
        case (_, "boolean"), (_, "integer"), (_, "number"), (_, "string"), (.nil, _): true
        case (.object(let object), _) where types?.exposes(name) == true: !object.className.isByteEqual(to: name)
        case (.object, _): types?.structure(name) != nil
        case (.table, _): types?.exposes(name) == true
        // A struct is a table; an enum with a raw value is that value.
        default: types?.structure(name) != nil || types?.exposes(name) == true
        }
    }

    /// The elements of a table from 1 to its length. Missing elements are nil.
    ///
    /// There is at most one more than the table has pairs. So the first missing element is among them, and a length
    /// that is far greater takes no memory.
    private func elements(_ length: Int) -> [ScriptValue] {
        guard case .table(let pairs, _) = self else { return [] }
        var elements = [ScriptValue](repeating: .nil, count: min(length, pairs.count + 1))
        for case (.integer(let place), let value) in pairs where place >= 1 && place <= elements.count {
            elements[Int(place) - 1] = value
        }
        return elements
    }

    /// The error for a value that is not a case of an enum, worded like the app's error.
    private func faultOfCase(_ scalar: InterfaceTypes.Scalar) -> String? {
        let value: PatchInterface.Scalar.Case?
        let shown: String
        switch self {
        case .string(let bytes):
            value = .string(String(decoding: bytes, as: UTF8.self))
            shown = String(decoding: bytes.prefix(128), as: UTF8.self)
        case .integer(let number):
            value = .integer(Int(number))
            shown = "\(number)"
        case .number(let number):
            // The app reads 3.0 as 3.
            let whole = Int(exactly: number)
            value = whole.map { .integer($0) }
            shown = whole.map { "\($0)" } ?? "\(number)"
        default: return nil
        }
        let isCase = value.map { scalar.cases.contains($0) } ?? false
        guard !scalar.cases.isEmpty, !isCase else { return nil }
        return "expected \(scalar.name), got the \(scalar.type) \(shown)"
    }

    /// The fault in the fields of a table that is to be a struct, worded like the app's error.
    private func faultOfFields(_ name: String, in types: InterfaceTypes?) -> String? {
        guard case .table(let pairs, _) = self, let structure = types?.structure(name) else { return nil }
        let values = structure.values(in: pairs)
        let missing = structure.required.first { values[$0] == nil }
        // The fault of the field that is declared first.
        let end = missing ?? structure.fields.count
        for (place, value) in values.sorted(by: { $0.key < $1.key }) where place < end {
            let field = structure.fields[place]
            if let fault = value.fault(as: field.type, in: types) { return "expected \(name): \(field.name): \(fault)" }
        }
        return missing.map { "expected \(name): missing field \(structure.fields[$0].name)" }
    }

    /// How a message names the value at this key of a table.
    private var place: String {
        switch self {
        case .integer(let number): "element \(number)"
        case .string(let bytes): "field \(String(decoding: bytes.prefix(128), as: UTF8.self))"
        default: "a key that is a \(typeName)"
        }
    }

    /// The value as the app would pass it on.
    ///
    /// A `Double` is a float in Lua, an `Int` is an integer, and a struct has only its fields.
    package func converted(to type: InterfaceType, in types: InterfaceTypes?) -> ScriptValue {
        switch (type, self) {
        case (.optional, .nil): return self
        case (.optional(let wrapped), _): return converted(to: wrapped, in: types)
        case (.named("nothing"), _): return .nil
        case (.named("number"), .integer(let value)): return .number(Double(value))
        case (.named("integer"), .number(let value)): return Int64(exactly: value).map { .integer($0) } ?? self
        case (.array(let element), .table(_, let length)):
            let elements = elements(length ?? 0).map { $0.converted(to: element, in: types) }
            return .table(elements.enumerated().map { (.integer(Int64($0 + 1)), $1) }, length: length)
        case (.dictionary(_, let element), .table(let pairs, let length)):
            return .table(pairs.map { ($0.key, $0.value.converted(to: element, in: types)) }, length: length)
        case (.named(let name), .table(let pairs, _)):
            guard let structure = types?.structure(name) else { return self }
            return .table(
                structure.values(in: pairs).sorted { $0.key < $1.key }.compactMap { place, value in
                    let field = structure.fields[place]
                    let passed = value.converted(to: field.type, in: types)
                    if case .nil = passed { return nil }
                    return (.string(Array(field.name.utf8)), passed)
                }, length: nil)
        case (.named(let name), _):
            return types?.scalar(name).map { converted(to: .named($0.type), in: nil) } ?? self
        default: return self
        }
    }
}
