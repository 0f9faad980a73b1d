internal import PatchCrypto
internal import PatchRunner

/// The known facts about a script's value: the types that it may have, and more if it has only one.
struct ValueType: Hashable, Sendable {
    var kinds: Kinds
    let detail: Detail?
    /// The number of the detail among the details of registers; 0 if it has none yet.
    let number: UInt32
    /// The cause that may have left it nil, if nothing has tested it since: a number of the flow's `nilCauses`; or 0.
    var doubt: UInt16 = 0

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
        /// The kinds that Lua converts into each other.
        static let basic: Kinds = [.string, .integer, .float]
        static let all = Kinds(rawValue: 255)
    }

    indirect enum Detail: Hashable, Sendable {
        /// A string that the script has as a constant.
        case text(ExactString)
        /// A number that the script has as a constant.
        case integer(Int64)
        case float(Double)
        /// A number that is 0 in the first round of its loop.
        case counter
        /// A number that is likely to have a fraction.
        case fraction
        /// A table from the app, for a struct of this name, and the fields that the script has written since.
        case structure(String, ValueFields)
        /// A table that the script has made, all of whose fields are known. If two registers hold it, it is shared.
        case fields(ValueFields, isShared: Bool)
        /// A table that the script has made of elements: the known types of the elements, each once. There may be
        /// elements of other types.
        case list([ValueType], isShared: Bool)
        /// A table that the script has made, about whose contents nothing is known.
        case made
        /// A table from the app that had this detail until the script changed it.
        case changed(Detail)
        /// A value of a type of this name, which scripts see as a basic value.
        case scalar(String)
        case array(InterfaceType)
        case dictionary(key: String, InterfaceType)
        /// An object of the app, of this class.
        case object(String)
        /// The original of the function of the app with this name.
        case original(String)
        /// A local function of the script whose callers are all known, by its number.
        case helper(Int)
        /// A table or a function of the sandbox, such as `string` and `string.find`; or a method of the app: its class,
        /// a colon and its name.
        case library(String)
        /// The result of `ipairs` or `pairs`, with the keys and the values of a table.
        case iterator(key: ValueType, value: ValueType)
    }

    init(_ kinds: Kinds, _ detail: Detail? = nil, doubt: UInt16 = 0, number: UInt32 = 0) {
        self.kinds = kinds
        self.detail = detail
        self.doubt = doubt
        self.number = number
    }

    static func == (left: ValueType, right: ValueType) -> Bool {
        guard left.kinds == right.kinds, left.doubt == right.doubt else { return false }
        return left.number != 0 && right.number != 0 ? left.number == right.number : left.detail == right.detail
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kinds)
        hasher.combine(doubt)
        hasher.combine(detail)
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

    /// Whether it is certain that the value has none of these types. Nothing is certain of a value without any type, as
    /// where a test has found nil to be true.
    func isNever(_ kinds: Kinds) -> Bool { !self.kinds.isEmpty && self.kinds.isDisjoint(with: kinds) }

    /// Whether it is certain that no metamethod calculates with it or orders it.
    var isPlain: Bool { isNever(objects.union(.table)) }

    /// The kind of objects, if it may be one whose metamethods are not known. The app's have only `__index`, `__eq` and
    /// `__tostring`.
    var objects: Kinds { if case .object = detail { [] } else { .object } }

    /// The value where two paths meet.
    func joined(with other: ValueType) -> ValueType {
        if self == other { return self }
        let kinds = kinds.union(other.kinds)
        if kinds == .all { return .unknown }
        // A value that is nil on one path is the value of the other path, or nil.
        if detail == nil, self.kinds.isSubset(of: .nil) {
            return ValueType(kinds, other.detail, number: other.number)
        }
        if other.detail == nil, other.kinds.isSubset(of: .nil) { return ValueType(kinds, detail, number: number) }
        return ValueType(kinds, commonDetail(with: other), doubt: doubt == other.doubt ? doubt : 0)
    }

    /// The detail of two values; nil if they have nothing in common but their types.
    private func commonDetail(with other: ValueType) -> Detail? {
        if detail == other.detail { return detail }
        if let known = detail(ofBoth: other) ?? other.detail(ofBoth: self) { return known }
        return detail?.isMade == true && other.detail?.isMade == true ? .made : nil
    }

    /// The detail of two tables, if this one shows more about both than the other one does; nil if it does not.
    private func detail(ofBoth other: ValueType) -> Detail? {
        switch (detail, other.detail) {
        // A loop has added elements, or none.
        case (.list(let elements, let isShared), .fields(let fields, let isOtherShared)) where fields.isEmpty:
            .list(elements, isShared: isShared || isOtherShared)
        // An array of the app, or none of its elements: `cart.items or {}`.
        case (.array, .fields(let fields, isShared: false)) where fields.isEmpty: detail
        // A loop has changed the table, or not.
        case (.changed(let table), let detail?) where detail.unwritten == table: .changed(table)
        default: nil
        }
    }

    /// The elements of a table that the script has made, and that only one register holds; nil if it has named fields.
    var ownElements: [ValueType]? {
        switch detail {
        case .fields(let fields, isShared: false) where fields.isEmpty: []
        case .list(let elements, isShared: false): elements
        default: nil
        }
    }

    /// Whether it is a table of the script that is empty, or has only elements of the type of a value.
    func isList(ofOnly value: ValueType) -> Bool {
        guard !value.isUnknown, let elements = ownElements else { return false }
        return elements.isEmpty || elements == [value]
    }

    /// Whether it is an integer, and not known to be less than 1.
    var isPosition: Bool { kinds == .integer && detail != .counter && (detail?.number ?? 1) >= 1 }

    /// The value where a test has found it to be true. An unknown value stays unknown.
    var whereTrue: ValueType { isUnknown ? self : ValueType(kinds.subtracting(.nil), detail, number: number) }

    /// Whether it is a number that has a fraction, or is likely to.
    var hasFraction: Bool {
        switch detail {
        case .float(let number): number.hasFraction
        case .fraction: true
        default: false
        }
    }

    /// The value where a test has found it to be nil or false.
    var whereFalse: ValueType {
        let rest = kinds.intersection([.nil, .boolean])
        return isUnknown || rest.isEmpty ? self : ValueType(rest)
    }

    /// The value after other code may have changed the table.
    var afterChange: ValueType {
        switch detail {
        case .fields(_, isShared: true), .list(_, isShared: true): ValueType(kinds, .made)
        case .fields, .list: mappingContents(\.afterChange)
        case .structure(let name, let written) where !written.isEmpty: ValueType(kinds, .structure(name, ValueFields()))
        default: self
        }
    }

    /// The value after a table of the app has got contents of another type. It may be this one, or be in it.
    func afterChange(of table: Detail) -> ValueType {
        switch detail {
        case .fields(let fields, let isShared):
            ValueType(kinds, .fields(fields.map { $0.afterChange(of: table) }, isShared: isShared))
        case .list(let elements, let isShared):
            ValueType(kinds, .list(elements.map { $0.afterChange(of: table) }, isShared: isShared))
        case .iterator: .function
        case let detail? where detail.unwritten == table: ValueType(kinds, .changed(table))
        case .structure(let name, let written) where !written.isEmpty:
            ValueType(kinds, .structure(name, written.map { $0.afterChange(of: table) }))
        default: self
        }
    }

    /// The value after a script has read from it, so that a register may hold one of its tables.
    var afterRead: ValueType { mappingContents(\.shared) }

    /// The value with other values in its table, if there are tables among them.
    private func mappingContents(_ change: (ValueType) -> ValueType) -> ValueType {
        guard depth > 1 else { return self }
        switch detail {
        case .fields(let fields, let isShared):
            return ValueType(kinds, .fields(fields.mapTables(change), isShared: isShared))
        case .list(let elements, let isShared): return ValueType(kinds, .list(elements.map(change), isShared: isShared))
        default: return self
        }
    }

    /// The value once two registers hold it.
    var shared: ValueType {
        switch detail {
        case .fields(let fields, _): ValueType(kinds, .fields(fields, isShared: true))
        case .list(let elements, _): ValueType(kinds, .list(elements, isShared: true))
        default: self
        }
    }
}

extension ValueType {
    /// The value that the app gives to a script for a type.
    init(_ type: InterfaceType, in interface: KnownInterface) {
        switch type {
        case .optional(let type):
            let value = ValueType(type, in: interface)
            self = value.isUnknown ? value : ValueType(value.kinds.union(.nil), value.detail)
        case .array(let element): self = ValueType(.table, .array(element))
        case .dictionary(let key, let value): self = ValueType(.table, .dictionary(key: key, value))
        case .named("boolean"): self = .boolean
        case .named("integer"): self = .integer
        case .named("number"): self = ValueType(.number, .scalar("number"))
        case .named("string"): self = ValueType(.string, .scalar("string"))
        case .named("nothing"): self = .nil
        case .named(let name):
            if interface.structure(name) != nil {
                self = ValueType(.table, .structure(name, ValueFields()))
            } else if interface.exposes(name) {
                self = ValueType(.object, .object(name))
            } else if let scalar = interface.scalar(name) {
                self = ValueType(ValueType(.named(scalar.type), in: interface).kinds, .scalar(name))
            } else {
                self = .unknown
            }
        }
    }

    /// The types of the values that the app accepts for a type.
    static func accepted(as type: InterfaceType, in interface: KnownInterface) -> Kinds {
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
            } else if interface.exposes(name) {
                .object
            } else if let scalar = interface.scalar(name) {
                accepted(as: .named(scalar.type), in: interface)
            } else {
                Kinds.all.subtracting(.nil)
            }
        }
    }
}

extension ValueType: CustomStringConvertible {
    /// The value with its article, such as `a string`, for messages.
    var description: String {
        switch detail {
        case .structure(let name, _), .object(let name), .scalar(let name):
            if kinds.contains(.nil) { return "\(name) or nil" }
            return "\("AEIOUaeiou".contains(name.first ?? "x") ? "an" : "a") \(name)"
        case .array(let element) where !kinds.contains(.nil): return "an array of \(element)"
        case .list(let elements, _) where kinds == .table && !elements.isEmpty: return "an array"
        case .original where kinds == .function: return "the original"
        default: break
        }
        var words: [String] = []
        if kinds.contains(.float) {
            words.append("a number")
        } else if kinds.contains(.integer) {
            words.append("an integer")
        }
        for (kind, word) in [
            (Kinds.string, "a string"), (.boolean, "a boolean"), (.table, "a table"), (.function, "a function"),
            (.object, "an object"), (.nil, "nil"),
        ] where kinds.contains(kind) { words.append(word) }
        return words.joined(separator: " or ")
    }
}

extension ValueType.Detail {
    /// A number that the script has as a constant; nil for any other detail, and for an integer that no `Double` is.
    var number: Double? {
        switch self {
        case .integer(let number): Double(exactly: number)
        case .float(let number): number
        default: nil
        }
    }

    /// Whether it is a table from the app, which more than one name may have.
    var isOfApp: Bool {
        switch self {
        case .array, .dictionary, .structure: true
        default: false
        }
    }

    /// Whether it is a table that the script has made.
    var isMade: Bool {
        switch self {
        case .fields, .list, .made: true
        default: false
        }
    }

    /// Whether the contents of a table with this detail are known.
    var hasContents: Bool {
        switch self {
        case .made, .changed: false
        default: true
        }
    }

    /// The detail as the app gives it, without what the script has written.
    var unwritten: ValueType.Detail {
        if case .structure(let name, _) = self { .structure(name, ValueFields()) } else { self }
    }

    /// Whether it is a table with the positions 1, 2, 3 and so on.
    var isArray: Bool {
        switch self {
        case .array, .list: true
        default: false
        }
    }
}
