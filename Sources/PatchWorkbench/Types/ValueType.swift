internal import PatchRunner

/// What is known of a value of a script: the types that it may have, and more if it has only one.
struct ValueType: Equatable, Sendable {
    var kinds: Kinds
    var detail: Detail?

    struct Kinds: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let `nil` = Kinds(rawValue: 1)
        static let boolean = Kinds(rawValue: 2)
        static let integer = Kinds(rawValue: 4)
        static let float = Kinds(rawValue: 8)
        static let string = Kinds(rawValue: 16)
        static let table = Kinds(rawValue: 32)
        static let function = Kinds(rawValue: 64)
        static let object = Kinds(rawValue: 128)
        static let number: Kinds = [.integer, .float]
        static let all = Kinds(rawValue: 255)
    }

    indirect enum Detail: Equatable, Sendable {
        /// A string that the script has as a constant.
        case text(String)
        /// A table from the app, for a struct of this name, and the fields that the script has written since.
        case structure(String, [String: ValueType])
        /// A table that the script has made, all of whose fields are known. If two registers hold it, it is shared.
        case fields([String: ValueType], isShared: Bool)
        /// A value of a type of this name, which scripts see as a basic value.
        case scalar(String)
        case array(InterfaceType)
        case dictionary(key: String, InterfaceType)
        /// An object of the app.
        case object(String)
        /// The original of a function of the app.
        case original(String)
        /// A table of the sandbox, such as `string`, and a function in one.
        case library(String)
        /// What `ipairs` or `pairs` returns, for the keys and the values of a table.
        case iterator(key: ValueType, value: ValueType)
    }

    init(_ kinds: Kinds, _ detail: Detail? = nil) {
        self.kinds = kinds
        self.detail = detail
    }

    static let unknown = ValueType(.all)
    static let `nil` = ValueType(.nil)
    static let boolean = ValueType(.boolean)
    static let integer = ValueType(.integer)
    static let float = ValueType(.float)
    static let number = ValueType(.number)
    static let string = ValueType(.string)
    static let table = ValueType(.table)
    static let function = ValueType(.function)

    var isUnknown: Bool { kinds == .all }
    var isOriginal: Bool { if case .original = detail { true } else { false } }

    /// Whether it is certain that the value has none of these types.
    func isNever(_ kinds: Kinds) -> Bool { !self.kinds.isEmpty && self.kinds.isDisjoint(with: kinds) }

    /// The value on one of two paths.
    func joined(with other: ValueType) -> ValueType {
        if self == other { return self }
        let kinds = kinds.union(other.kinds)
        if kinds == .all { return .unknown }
        // What is nil on one path is what it is on the other, or nil.
        if detail == nil, self.kinds.isSubset(of: .nil) { return ValueType(kinds, other.detail) }
        if other.detail == nil, other.kinds.isSubset(of: .nil) { return ValueType(kinds, detail) }
        return ValueType(kinds, detail == other.detail ? detail : nil)
    }

    /// The value where a test has found it to be true. If nothing is known of it, nothing is known then.
    var whereTrue: ValueType { isUnknown ? self : ValueType(kinds.subtracting(.nil), detail) }

    /// The value where a test has found it to be nil or false.
    var whereFalse: ValueType {
        let rest = kinds.intersection([.nil, .boolean])
        return isUnknown || rest.isEmpty ? self : ValueType(rest)
    }

    /// The value after something else may have changed the table that it is.
    var afterChange: ValueType {
        switch detail {
        case .fields(_, isShared: true): ValueType(kinds)
        case .structure(let name, let written) where !written.isEmpty: ValueType(kinds, .structure(name, [:]))
        default: self
        }
    }

    /// The value once two registers hold it.
    var shared: ValueType {
        guard case .fields(let fields, _) = detail else { return self }
        return ValueType(kinds, .fields(fields, isShared: true))
    }
}

extension ValueType {
    /// What the app gives to a script as a value of a type.
    init(_ type: InterfaceType, in interface: PatchInterface) {
        switch type {
        case .optional(let type):
            let value = ValueType(type, in: interface)
            self = value.isUnknown ? value : ValueType(value.kinds.union(.nil), value.detail)
        case .array(let element): self = ValueType(.table, .array(element))
        case .dictionary(let key, let value): self = ValueType(.table, .dictionary(key: key, value))
        case .named("boolean"): self = .boolean
        case .named("integer"): self = .integer
        case .named("number"): self = .number
        case .named("string"): self = .string
        case .named("nothing"): self = .nil
        case .named(let name):
            if interface.structure(name) != nil {
                self = ValueType(.table, .structure(name, [:]))
            } else if interface.classes.contains(where: { $0.name == name }) {
                self = ValueType(.object, .object(name))
            } else if let scalar = interface.scalar(name) {
                self = ValueType(ValueType(.named(scalar.type), in: interface).kinds, .scalar(name))
            } else {
                self = .unknown
            }
        }
    }

    /// The types of the values that the app takes as a type.
    static func accepted(as type: InterfaceType, in interface: PatchInterface) -> Kinds {
        switch type {
        case .optional(let type): accepted(as: type, in: interface).union(.nil)
        case .array, .dictionary: .table
        case .named("boolean"): .boolean
        case .named("integer"), .named("number"): .number
        case .named("string"): .string
        case .named("nothing"): .all
        case .named(let name):
            if interface.structure(name) != nil {
                .table
            } else if interface.classes.contains(where: { $0.name == name }) {
                .object
            } else if let scalar = interface.scalar(name) {
                accepted(as: .named(scalar.type), in: interface)
            } else {
                Kinds.all.subtracting(.nil)
            }
        }
    }

    /// What is wrong with a value that the app is to take.
    enum Fault: Equatable {
        /// Its type.
        case type(InterfaceType, ValueType)
        /// A field that it does not have.
        case missing(field: String, of: String, written: [String])
        /// A field that has another type.
        case field(String, of: String, InterfaceType, ValueType)
        /// A field that the struct does not have.
        case unknown(field: String, of: String)
        /// A string that is not one of the type's values.
        case noCase(String, of: String)
    }

    /// What is certainly wrong with the value as one of a type; nil if it may be right.
    func fault(as type: InterfaceType, in interface: PatchInterface) -> Fault? {
        guard !isUnknown else { return nil }
        switch type {
        case .optional(let type):
            return kinds == .nil ? nil : ValueType(kinds.subtracting(.nil), detail).fault(as: type, in: interface)
        case .named(let name):
            if isNever(Self.accepted(as: type, in: interface)) { return .type(type, self) }
            if case .text(let text) = detail, interface.lacks(text, in: name) { return .noCase(text, of: name) }
            return interface.structure(name).flatMap { faultOfFields($0, in: interface) }
        case .array, .dictionary:
            if isNever(.table) { return .type(type, self) }
            if case .structure = detail, case .array = type { return .type(type, self) }
            return nil
        }
    }

    private func faultOfFields(_ structure: PatchInterface.Struct, in interface: PatchInterface) -> Fault? {
        let fields: [String: ValueType]
        switch detail {
        case .fields(let known, _): fields = known
        case .structure(structure.name, let written):
            for field in structure.fields {
                guard let value = written[field.name] else { continue }
                let type = InterfaceType(field.type)
                if value.fault(as: type, in: interface) != nil {
                    return .field(field.name, of: structure.name, type, value)
                }
            }
            return nil
        case .array where structure.fields.contains(where: { !$0.isOptional }):
            return .type(.named(structure.name), self)
        case .structure(let name, let written):
            // Another struct may have the same fields.
            guard written.isEmpty, let other = interface.structure(name) else { return nil }
            fields = Dictionary(
                other.fields.map { ($0.name, ValueType(InterfaceType($0.type), in: interface)) },
                uniquingKeysWith: { first, _ in first })
            if structure.fields.contains(where: { !$0.isOptional && fields[$0.name] == nil }) {
                return .type(.named(structure.name), self)
            }
        default: return nil
        }
        for field in structure.fields {
            let type = InterfaceType(field.type)
            guard let value = fields[field.name] else {
                if field.isOptional { continue }
                return .missing(
                    field: field.name, of: structure.name,
                    written: fields.keys.filter { name in !structure.fields.contains { $0.name == name } }.sorted())
            }
            switch value.fault(as: type, in: interface) {
            case nil: continue
            case .type: return .field(field.name, of: structure.name, type, value)
            case let inner?: return inner
            }
        }
        guard case .fields = detail else { return nil }
        let unknown = fields.keys.filter { name in !structure.fields.contains { $0.name == name } }.min()
        return unknown.map { .unknown(field: $0, of: structure.name) }
    }
}

extension PatchInterface {
    /// Whether a string is certainly not a value of a type.
    func lacks(_ text: String, in name: String) -> Bool {
        guard let cases = scalar(name)?.cases, !cases.isEmpty else { return false }
        return !cases.contains { $0 == .string(text) }
    }

    /// The strings that are values of a type.
    func words(in name: String) -> [String] {
        (scalar(name)?.cases ?? []).compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}

extension ValueType: CustomStringConvertible {
    /// The value with its article, such as `a string`, for messages.
    var description: String {
        switch detail {
        case .structure(let name, _), .object(let name), .scalar(let name):
            return kinds.contains(.nil) ? "\(name) or nil" : Self.article(name)
        case .array(let element) where !kinds.contains(.nil): return "an array of \(element)"
        case .original where kinds == .function: return "the original"
        default: break
        }
        var words: [String] = []
        if kinds.contains(.number) {
            words.append("a number")
        } else if kinds.contains(.integer) {
            words.append("an integer")
        } else if kinds.contains(.float) {
            words.append("a number")
        }
        for (kind, word) in [
            (Kinds.string, "a string"), (.boolean, "a boolean"), (.table, "a table"), (.function, "a function"),
            (.object, "an object"), (.nil, "nil"),
        ] where kinds.contains(kind) { words.append(word) }
        return words.joined(separator: " or ")
    }

    static func article(_ name: String) -> String {
        "\("AEIOUaeiou".contains(name.first ?? "x") ? "an" : "a") \(name)"
    }
}
