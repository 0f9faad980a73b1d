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
            ("tostring", "a", "", "s"), ("tonumber", "a", "i", "a"), ("type", "a", "", "k"), ("rawlen", "a", "", "i"),
            ("rawequal", "aa", "", "b"), ("ipairs", "v", "", "aaa"), ("pairs", "o", "", "aaa"),
            ("pcall", "a", "", "b*"), ("xpcall", "af", "", "b*"), ("select", "a", "", "*"), ("next", "t", "a", "aa"),
            ("rawget", "ta", "", "a"), ("print", "", "", ""), ("log.debug", "", "", ""), ("log.info", "", "", ""),
            ("log.warn", "", "", ""), ("log.error", "", "", ""),
            ("assert", "a", "a", "*"), ("host.has", "s", "", "b"), ("host.throw", "", "md", ""),
            ("host.error", "", "md", "t"), ("error", "", "an", ""), ("setmetatable", "ta", "", "a"),
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
            rest = rest.drop { "-+ #0123456789.".utf8.contains($0) }
            guard let letter = rest.popFirst() else { return ([], "the format ends after a %") }
            guard letter != UInt8(ascii: "p") else {
                return ([], "the format has %p, which the sandbox does not have: it shows addresses")
            }
            guard "diuoxXcaAeEfFgGqs".utf8.contains(letter) else {
                return ([], "the format has %\(String(decoding: [letter], as: UTF8.self)), which Lua does not have")
            }
            values.append(
                "sq".utf8.contains(letter)
                    ? Argument(kinds: .all)
                    : Argument(kinds: .basic, isNumber: true, isInteger: "diouxXc".utf8.contains(letter)))
        }
        return (values, nil)
    }
}

extension LibraryFunction.Argument {
    /// The certain fault of a value as this argument; nil if it may be right.
    func fault(of value: ValueType, in interface: KnownInterface) -> String? {
        if value.isNever(kinds) { return "\(value)" }
        switch value.detail {
        case .text(let text) where isNumber && value.kinds == .string && text.text.luaNumber == nil:
            return "\"\(text.text.prefix(30))\", which is not a number"
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
