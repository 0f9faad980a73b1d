internal import PatchCrypto
internal import PatchRunner

/// The arguments and the results of a function of the sandbox.
struct LibraryFunction: Sendable {
    struct Argument: Sendable {
        let kinds: ValueType.Kinds
        /// Whether a string must be a numeral, and whether a number must be an integer.
        var isNumber = false
        var isInteger = false
        /// Whether it is a table with the positions 1, 2, 3 and so on.
        var isList = false
    }

    /// The required arguments, and the optional ones.
    let arguments: [Argument]
    let optional: [Argument]
    let results: [ValueType]
    /// Whether there may be other results.
    let isOpen: Bool
    var neverReturns = false

    /// The functions of the sandbox that refuse some values, or return less than a script may expect.
    ///
    /// Lua accepts a number as a string, and a numeral as a number.
    static let all: [String: LibraryFunction] = {
        let letters: [Character: Argument] = [
            "s": Argument(kinds: .basic),
            "n": Argument(kinds: .basic, isNumber: true), "i": Argument(kinds: .basic, isNumber: true, isInteger: true),
            "t": Argument(kinds: .table), "l": Argument(kinds: .table, isList: true),
            "v": Argument(kinds: [.table, .object, .string], isList: true),
            "f": Argument(kinds: .function), "b": Argument(kinds: .boolean), "a": Argument(kinds: .all),
            "c": Argument(kinds: [.function, .table, .object]), "r": Argument(kinds: [.basic, .table, .function]),
            "m": Argument(kinds: [.basic, .table, .object]),
            "d": Argument(kinds: .number, isInteger: true), "o": Argument(kinds: [.table, .object]),
            "e": Argument(kinds: [.table, .nil]), "h": Argument(kinds: [.table, .string]),
        ]
        let results: [Character: ValueType] = [
            "s": .string, "n": .number, "i": .integer, "d": .float, "b": .boolean, "t": .table, "a": .unknown,
            "S": ValueType([.string, .nil]), "I": ValueType([.integer, .nil]),
            "k": ValueType(.string, .scalar("type(…)")), "K": ValueType([.string, .nil], .scalar("math.type(…)")),
        ]
        // name, the required arguments, the optional ones, the results; * for other results
        let table: [(String, String, String, String)] = [
            ("string.byte", "s", "ii", "I*"), ("string.char", "", "iiiiiiii", "s"), ("string.find", "ss", "ia", "II*"),
            ("string.format", "s", "", "s"), ("string.gmatch", "ss", "i", "a"), ("string.gsub", "ssr", "i", "si"),
            ("string.len", "s", "", "i"), ("string.lower", "s", "", "s"), ("string.match", "ss", "i", "S*"),
            ("string.rep", "si", "s", "s"), ("string.reverse", "s", "", "s"), ("string.sub", "si", "i", "s"),
            ("string.upper", "s", "", "s"),
            ("math.abs", "n", "", "n"), ("math.acos", "n", "", "d"), ("math.asin", "n", "", "d"),
            ("math.atan", "n", "n", "d"), ("math.ceil", "n", "", "i"), ("math.cos", "n", "", "d"),
            ("math.deg", "n", "", "d"), ("math.exp", "n", "", "d"), ("math.floor", "n", "", "i"),
            ("math.fmod", "nn", "", "n"), ("math.log", "n", "n", "d"), ("math.max", "n", "nnnnnnnn", "n"),
            ("math.min", "n", "nnnnnnnn", "n"), ("math.modf", "n", "", "nd"), ("math.rad", "n", "", "d"),
            ("math.random", "", "ii", "n"), ("math.sin", "n", "", "d"), ("math.sqrt", "n", "", "d"),
            ("math.tan", "n", "", "d"), ("math.tointeger", "a", "", "I"), ("math.type", "a", "", "K"),
            ("math.ult", "ii", "", "b"),
            ("table.concat", "l", "sii", "s"), ("table.insert", "la", "a", ""), ("table.pack", "", "", "t"),
            ("table.remove", "l", "i", "a"), ("table.sort", "l", "f", ""), ("table.unpack", "l", "ii", "*"),
            ("utf8.char", "", "iiiiiiii", "s"), ("utf8.codepoint", "s", "iia", "I*"), ("utf8.codes", "s", "a", "aaa"),
            ("utf8.len", "s", "iia", "I*"), ("utf8.offset", "si", "i", "I"),
            ("tostring", "a", "", "s"), ("tonumber", "a", "i", "a"), ("type", "a", "", "k"), ("rawlen", "h", "", "i"),
            ("rawequal", "aa", "", "b"), ("ipairs", "v", "", "aaa"), ("pairs", "o", "", "aaa"),
            ("pcall", "a", "", "b*"), ("xpcall", "af", "", "b*"), ("select", "s", "", "*"), ("next", "t", "a", "aa"),
            ("rawget", "ta", "", "a"), ("print", "", "", ""), ("log.debug", "", "", ""), ("log.info", "", "", ""),
            ("log.warn", "", "", ""), ("log.error", "", "", ""),
            ("assert", "a", "a", "*"), ("host.has", "s", "", "b"), ("host.throw", "", "md", ""),
            ("host.error", "", "md", "t"), ("error", "", "an", ""), ("setmetatable", "te", "", "a"),
        ]
        var all: [String: LibraryFunction] = [:]
        for (name, arguments, optional, result) in table {
            all[name] = LibraryFunction(
                arguments: arguments.compactMap { letters[$0] }, optional: optional.compactMap { letters[$0] },
                results: result.compactMap { results[$0] }, isOpen: result.hasSuffix("*"),
                neverReturns: name == "error" || name == "host.throw")
        }
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

    /// The requirements of the values that a format takes, or why Lua refuses the format.
    static func values(of format: String) -> (values: [Argument], fault: String?) {
        var values: [Argument] = []
        var rest = Array(format.utf8)[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[(percent + 1)...]
            if rest.first == UInt8(ascii: "%") {
                rest = rest.dropFirst()
                continue
            }
            let options = rest.prefix { "-+ #0123456789.".utf8.contains($0) }
            rest = rest[options.endIndex...]
            guard let letter = rest.popFirst() else { return ([], "the format ends after a %") }
            guard letter != UInt8(ascii: "p") else {
                return ([], "the format has %p, which the sandbox does not have: it shows addresses")
            }
            guard let conversion = conversions[letter] else {
                return ([], "the format has %\(String(decoding: [letter], as: UTF8.self)), which Lua does not have")
            }
            guard conversion.takes(options) else {
                let item = String(decoding: options + [letter], as: UTF8.self)
                return ([], "the format has %\(item), which Lua does not accept")
            }
            values.append(conversion.value)
        }
        return (values, nil)
    }

    /// The letter at the end of a format's item: the value that it takes, and its options.
    private struct Conversion {
        let value: Argument
        /// The flags that may come first; nil if it takes no options.
        let flags: String?
        var hasPrecision = true

        /// Whether Lua accepts the flags, the width and the precision of an item, as `checkformat` in its lstrlib.c.
        func takes(_ options: ArraySlice<UInt8>) -> Bool {
            guard let flags else { return options.isEmpty }
            // Lua copies an item into a buffer of 32 bytes.
            guard options.count < 21 else { return false }
            var rest = options.drop { flags.utf8.contains($0) }
            func dropNumber() { rest = rest.dropFirst(rest.prefix(2).prefix { "0123456789".utf8.contains($0) }.count) }
            guard rest.first != UInt8(ascii: "0") else { return false }
            dropNumber()
            if hasPrecision, rest.first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
                dropNumber()
            }
            return rest.isEmpty
        }
    }

    private static let conversions: [UInt8: Conversion] = {
        let integer = Argument(kinds: .basic, isNumber: true, isInteger: true)
        let number = Argument(kinds: .basic, isNumber: true)
        var all: [UInt8: Conversion] = [
            UInt8(ascii: "c"): Conversion(value: integer, flags: "-", hasPrecision: false),
            UInt8(ascii: "u"): Conversion(value: integer, flags: "-0"),
            UInt8(ascii: "s"): Conversion(value: Argument(kinds: .all), flags: "-"),
            UInt8(ascii: "q"): Conversion(value: Argument(kinds: [.basic, .boolean, .nil]), flags: nil),
        ]
        for letter in "di".utf8 { all[letter] = Conversion(value: integer, flags: "-+ 0") }
        for letter in "oxX".utf8 { all[letter] = Conversion(value: integer, flags: "-#0") }
        for letter in "aAeEfgG".utf8 { all[letter] = Conversion(value: number, flags: "-+ #0") }
        return all
    }()
}

extension LibraryFunction.Argument {
    /// The certain fault of a value as this argument; nil if it may be right.
    func fault(of value: ValueType, in interface: KnownInterface) -> String? {
        if value.isNever(kinds) { return "\(value)" }
        switch value.detail {
        case .text(let text) where isNumber && value.kinds == .string && text.text.luaNumber == nil:
            return "\"\(text.text.prefix(30))\", which is not a number"
        case .text(let text) where isInteger && value.kinds == .string && text.text.luaNumber?.hasFraction == true:
            return "\"\(text.text.prefix(30))\", which has a fraction"
        case .float(let number) where isInteger && Int64(exactly: number) == nil:
            return "\(number), which has a fraction"
        case .dictionary(let key, _) where isList && interface.isText(key): return "\(value), whose keys are strings"
        case .structure where isList: return "\(value), whose keys are strings"
        default: return nil
        }
    }

    var description: String {
        isInteger
            ? "an integer" : isNumber ? "a number" : isList && kinds == .table ? "an array" : "\(ValueType(kinds))"
    }
}
