internal import PatchCrypto
internal import PatchRunner

/// The arguments and the results of a function of the sandbox.
struct LibraryFunction: Sendable {
    /// The values that an argument accepts. Lua accepts a number as a string, and a numeral as a number.
    struct Argument: Sendable {
        /// What a value of the right kind must be.
        enum Requirement {
            case none
            /// A number, or a string that is a numeral.
            case number
            /// The same, without a fraction.
            case integer
            /// A table with the positions 1, 2, 3 and so on.
            case list
        }

        let kinds: ValueType.Kinds
        let requirement: Requirement

        init(_ kinds: ValueType.Kinds, _ requirement: Requirement = .none) {
            self.kinds = kinds
            self.requirement = requirement
        }

        static let any = Argument(.all)
        static let text = Argument(.basic)
        static let number = Argument(.basic, .number)
        static let integer = Argument(.basic, .integer)
        static let table = Argument(.table)
        static let array = Argument(.table, .list)
        static let function = Argument(.function)
        /// Of `ipairs`, which also takes what has `__index`.
        static let indexable = Argument([.table, .object, .string], .list)
        /// Of `pairs`.
        static let iterable = Argument([.table, .object])
        /// Of `rawlen`.
        static let measurable = Argument([.table, .string])
        static let metatable = Argument([.table, .nil])
        /// Of `string.gsub`.
        static let replacement = Argument([.basic, .table, .function])
        /// What a script throws at the app.
        static let failure = Argument([.basic, .table, .object])
        /// The code of an error. No numeral is one.
        static let code = Argument(.number, .integer)
    }

    /// The required arguments, and the optional ones.
    let arguments: [Argument]
    let optional: [Argument]
    let results: [ValueType]
    /// Whether there may be other results.
    let isOpen: Bool
    /// Whether it returns at all.
    let returns: Bool

    /// The functions of the sandbox that refuse some values, or return less than a script may expect.
    static let all: [String: LibraryFunction] = {
        var all: [String: LibraryFunction] = [:]
        func add(
            _ name: String, _ arguments: [Argument] = [], optional: [Argument] = [], results: [ValueType] = [],
            isOpen: Bool = false, returns: Bool = true
        ) {
            all[name] = LibraryFunction(
                arguments: arguments, optional: optional, results: results, isOpen: isOpen, returns: returns)
        }
        // Of a function that takes any number of values, the first few are checked.
        func several(_ argument: Argument) -> [Argument] { Array(repeating: argument, count: 8) }
        let integerOrNil = ValueType([.integer, .nil])
        add("string.byte", [.text], optional: [.integer, .integer], results: [integerOrNil], isOpen: true)
        add("string.char", optional: several(.integer), results: [.string])
        add(
            "string.find", [.text, .text], optional: [.integer, .any], results: [integerOrNil, integerOrNil],
            isOpen: true)
        add("string.format", [.text], results: [.string])
        add("string.gmatch", [.text, .text], optional: [.integer], results: [.unknown])
        add("string.gsub", [.text, .text, .replacement], optional: [.integer], results: [.string, .integer])
        add("string.len", [.text], results: [.integer])
        add("string.lower", [.text], results: [.string])
        add("string.match", [.text, .text], optional: [.integer], isOpen: true)
        add("string.rep", [.text, .integer], optional: [.text], results: [.string])
        add("string.reverse", [.text], results: [.string])
        add("string.sub", [.text, .integer], optional: [.integer], results: [.string])
        add("string.upper", [.text], results: [.string])

        add("math.abs", [.number], results: [.number])
        add("math.acos", [.number], results: [.float])
        add("math.asin", [.number], results: [.float])
        add("math.atan", [.number], optional: [.number], results: [.float])
        add("math.ceil", [.number], results: [.integer])
        add("math.cos", [.number], results: [.float])
        add("math.deg", [.number], results: [.float])
        add("math.exp", [.number], results: [.float])
        add("math.floor", [.number], results: [.integer])
        add("math.fmod", [.number, .number], results: [.number])
        add("math.log", [.number], optional: [.number], results: [.float])
        add("math.max", [.number], optional: several(.number), results: [.number])
        add("math.min", [.number], optional: several(.number), results: [.number])
        add("math.modf", [.number], results: [.number, .float])
        add("math.rad", [.number], results: [.float])
        add("math.random", optional: [.integer, .integer], results: [.number])
        add("math.sin", [.number], results: [.float])
        add("math.sqrt", [.number], results: [.float])
        add("math.tan", [.number], results: [.float])
        add("math.tointeger", [.any], results: [integerOrNil])
        add("math.type", [.any], results: [ValueType([.string, .nil], .scalar("math.type(…)"))])
        add("math.ult", [.integer, .integer], results: [.boolean])

        add("table.concat", [.array], optional: [.text, .integer, .integer], results: [.string])
        add("table.insert", [.array, .any], optional: [.any])
        add("table.move", [.table, .integer, .integer, .integer], optional: [.table], results: [.table])
        add("table.pack", results: [.table])
        add("table.remove", [.array], optional: [.integer], results: [.unknown])
        add("table.sort", [.array], optional: [.function])
        add("table.unpack", [.array], optional: [.integer, .integer], isOpen: true)

        add("utf8.char", optional: several(.integer), results: [.string])
        add("utf8.codepoint", [.text], optional: [.integer, .integer, .any], results: [integerOrNil], isOpen: true)
        add("utf8.codes", [.text], optional: [.any], results: [.unknown, .unknown, .unknown])
        add("utf8.len", [.text], optional: [.integer, .integer, .any], results: [integerOrNil], isOpen: true)
        add("utf8.offset", [.text, .integer], optional: [.integer], results: [integerOrNil])

        add("tostring", [.any], results: [.string])
        add("tonumber", [.any], optional: [.integer], results: [.unknown])
        add("type", [.any], results: [ValueType(.string, .scalar("type(…)"))])
        add("rawlen", [.measurable], results: [.integer])
        add("rawequal", [.any, .any], results: [.boolean])
        add("ipairs", [.indexable], results: [.unknown, .unknown, .unknown])
        add("pairs", [.iterable], results: [.unknown, .unknown, .unknown])
        add("pcall", [.any], results: [.boolean], isOpen: true)
        add("xpcall", [.any, .function], results: [.boolean], isOpen: true)
        add("select", [.text], isOpen: true)
        add("next", [.table], optional: [.any], results: [.unknown, .unknown])
        add("rawget", [.table, .any], results: [.unknown])
        add("rawset", [.table, .any, .any], results: [.table])
        add("print")

        add("log.debug", [.any])
        add("log.info", [.any])
        add("log.warn", [.any])
        add("log.error", [.any])

        add("assert", [.any], optional: [.any], isOpen: true)

        add("host.has", [.text], results: [.boolean])
        add("host.throw", optional: [.failure, .code], returns: false)
        add("host.error", optional: [.failure, .code], results: [.table])

        add("error", optional: [.any, .integer], returns: false)
        add("getmetatable", [.any], results: [.unknown])
        add("setmetatable", [.table, .metatable], results: [.unknown])
        add("require", [.text], results: [.unknown])
        return all
    }()

    /// The results of `type` in LuaJIT. A library for both may ask for them.
    static let typesOfOthers: Set<String> = ["cdata", "ctype", "proto"]

    /// The results that are one of a few strings, named after their functions.
    static let scalars: [PatchInterface.Scalar] = [
        .init(
            name: "type(…)", type: "string",
            cases: ["nil", "boolean", "number", "string", "table", "function", "userdata", "thread"]
                .map { .string($0) }),
        .init(name: "math.type(…)", type: "string", cases: [.string("integer"), .string("float")]),
    ]
}

extension LibraryFunction.Argument {
    /// The certain fault of a value as this argument; nil if it may be right.
    func fault(of value: ValueType, in interface: KnownInterface) -> String? {
        if value.isNever(kinds) { return "\(value)" }
        if case .text(let text) = value.detail, value.kinds == .string { return fault(ofText: text.text) }
        switch (requirement, value.detail) {
        case (.integer, .float(let number)) where Int64(exactly: number) == nil:
            return "\(number), which \(number.hasFraction ? "has a fraction" : "is not an integer of 64 bits")"
        case (.list, .dictionary(let key, _)) where interface.isText(key): return "\(value), whose keys are strings"
        case (.list, .structure): return "\(value), whose keys are strings"
        default: return nil
        }
    }

    /// The fault of a string, which may have to be a numeral.
    private func fault(ofText text: String) -> String? {
        guard requirement == .number || requirement == .integer else { return nil }
        let shown = text.quotedBeginning
        guard let number = text.luaNumber else { return "\(shown), which is not a number" }
        guard requirement == .integer else { return nil }
        if number.hasFraction { return "\(shown), which has a fraction" }
        // Lua reduces the digits of a hexadecimal integer to 64 bits.
        if text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }) { return nil }
        // As a `Double`, the greatest integer is this power of two.
        return abs(number) <= 0x1p63 ? nil : "\(shown), which is not an integer of 64 bits"
    }

    var description: String {
        switch requirement {
        case .integer: "an integer"
        case .number: "a number"
        case .list where kinds == .table: "an array"
        case .none, .list: "\(ValueType(kinds))"
        }
    }
}
