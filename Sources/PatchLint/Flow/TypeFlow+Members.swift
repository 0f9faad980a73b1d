internal import PatchCrypto

// The values that are read from tables and objects.

extension TypeFlow {
    /// A field of a table, or a method of an object. Its name is nil if it is not known.
    mutating func member(_ name: String?, of value: ValueType, _ index: Int) -> ValueType {
        guard let name else { return .unknown }
        switch value.detail {
        case .library("_G"): return context.global(name)
        case .library(let table): return member(name, ofLibrary: table)
        case .structure(let structure, let written):
            return written[name] ?? field(name, of: structure, index)
        case .fields(let fields, isShared: false): return fields[name]?.shared ?? .unknown
        case .dictionary("string", let type) where !context.interface.lacks(name, in: "string"):
            return context.changes.fields.contains(name) ? .unknown : self.value(.optional(type))
        case .object: return method(name, of: value)
        case _ where value.kinds == .string && !context.written.contains(name):
            return functionOfStrings(name)
        default: return .unknown
        }
    }

    private func member(_ name: String, ofLibrary table: String) -> ValueType {
        guard !context.written.contains(name), SandboxNames.members[table]?.contains(name) == true else {
            return .unknown
        }
        switch "\(table).\(name)" {
        case "math.huge", "math.pi": return .float
        case "math.maxinteger", "math.mininteger", "patch.version": return .integer
        case "patch.app", "patch.appVersion", "patch.id", "utf8.charpattern": return .string
        default: return ValueType(.function, .library("\(table).\(name)"))
        }
    }

    private mutating func field(_ name: String, of structure: String, _ index: Int) -> ValueType {
        guard let field = context.interface.structure(structure)?.field(name), !context.changes.fields.contains(name)
        else { return .unknown }
        var type = value(field.type)
        if case .optional = field.type, !type.isUnknown, !context.fieldsTested.contains(name) {
            type.doubt = doubt(Self.optional, asked: index)
        }
        return type
    }

    private func functionOfStrings(_ name: String) -> ValueType {
        let function = "string.\(name)"
        guard LibraryFunction.all[function] != nil, !context.assigned.contains("string") else { return .unknown }
        return ValueType(.function, .library(function))
    }

    /// An element of a table. A missing element is nil, which is not held against a script.
    mutating func element(of value: ValueType, key: ValueType, _ index: Int) -> ValueType {
        if case .text(let name) = key.detail { return member(name.text, of: value, index) }
        switch value.detail {
        case .array(let type): return self.value(type)
        case .dictionary(_, let type): return valueOfEntry(type).joined(with: .nil)
        default: return .unknown
        }
    }

    /// The value of an entry of a dictionary of the app, whose key is not known. A script may have written it as a
    /// field.
    func valueOfEntry(_ type: InterfaceType) -> ValueType { context.changes.fields.isEmpty ? value(type) : .unknown }

    /// A method of a string or an object of the app. Its name is nil if it is not known.
    func method(_ name: String?, of value: ValueType) -> ValueType {
        guard let name else { return .unknown }
        if value.kinds == .string { return functionOfStrings(name) }
        guard case .object(let type) = value.detail, !context.written.contains(name),
            context.interface.method(name, of: type) != nil
        else { return .unknown }
        return ValueType(.function, .library("\(type):\(name)"))
    }

    /// Whether an element is read or written at a position after the last one: `list[#list + 1]`.
    func isBehindEnd(_ index: Int, key: Int, of list: Int) -> Bool {
        // The value that is written may be loaded in between.
        for place in stride(from: index - 2, through: max(1, index - 3), by: -1)
        where !isBlockStart[place + 1...index].contains(true) {
            let (add, length) = (function.code[place], function.code[place - 1])
            guard add.opcode == .addInteger, add.a == key else { continue }
            return add.signedC > 0 && length.opcode == .length && length.a == add.b && length.b == list
                && local(key, at: index) == nil
        }
        return false
    }
}
