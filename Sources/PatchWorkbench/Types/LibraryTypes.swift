/// What the sandbox's functions take and return.
struct LibraryFunction: Sendable {
    /// The types of the arguments that must be there, and of those that may follow.
    let arguments: [ValueType.Kinds]
    let optional: [ValueType.Kinds]
    /// The type of the first result.
    let result: ValueType
    /// Whether it never returns.
    var neverReturns = false

    /// The functions of the sandbox that refuse some values. Lua takes a number for a string, and a numeral for a number.
    static let all: [String: LibraryFunction] = {
        let text: ValueType.Kinds = [.string, .integer, .float]
        let letters: [Character: ValueType.Kinds] = [
            "s": text, "n": text, "t": .table, "f": .function, "b": .boolean, "a": .all,
            "c": [.function, .table, .object], "d": .number,
        ]
        let results: [Character: ValueType] = [
            "s": .string, "n": .number, "i": .integer, "d": .float, "b": .boolean, "t": .table, "a": .unknown,
        ]
        // name, the arguments that must be there, those that may follow, the first result
        let table: [(String, String, String, Character)] = [
            ("string.byte", "s", "nn", "a"), ("string.char", "", "nnnnnnnn", "s"), ("string.find", "ss", "na", "a"),
            ("string.format", "s", "", "s"), ("string.gmatch", "ss", "n", "a"), ("string.gsub", "ss", "an", "s"),
            ("string.len", "s", "", "i"), ("string.lower", "s", "", "s"), ("string.match", "ss", "n", "a"),
            ("string.rep", "sn", "s", "s"), ("string.reverse", "s", "", "s"), ("string.sub", "sn", "n", "s"),
            ("string.upper", "s", "", "s"),
            ("math.abs", "n", "", "n"), ("math.acos", "n", "", "d"), ("math.asin", "n", "", "d"),
            ("math.atan", "n", "n", "d"), ("math.ceil", "n", "", "n"), ("math.cos", "n", "", "d"),
            ("math.deg", "n", "", "d"), ("math.exp", "n", "", "d"), ("math.floor", "n", "", "n"),
            ("math.fmod", "nn", "", "n"), ("math.log", "n", "n", "d"), ("math.max", "n", "nnnnnnnn", "n"),
            ("math.min", "n", "nnnnnnnn", "n"), ("math.modf", "n", "", "n"), ("math.rad", "n", "", "d"),
            ("math.random", "", "nn", "n"), ("math.sin", "n", "", "d"), ("math.sqrt", "n", "", "d"),
            ("math.tan", "n", "", "d"), ("math.tointeger", "a", "", "a"), ("math.type", "a", "", "a"),
            ("math.ult", "nn", "", "b"),
            ("table.concat", "t", "snn", "s"), ("table.insert", "t", "aa", "a"), ("table.pack", "", "", "t"),
            ("table.remove", "t", "n", "a"), ("table.sort", "t", "f", "a"), ("table.unpack", "t", "nn", "a"),
            ("utf8.char", "", "nnnnnnnn", "s"), ("utf8.codepoint", "s", "nna", "a"), ("utf8.codes", "s", "a", "a"),
            ("utf8.len", "s", "nna", "a"), ("utf8.offset", "sn", "n", "a"),
            ("tostring", "a", "", "s"), ("tonumber", "a", "n", "a"), ("type", "a", "", "s"), ("rawlen", "a", "", "i"),
            ("rawequal", "aa", "", "b"), ("ipairs", "a", "", "a"), ("pairs", "a", "", "a"), ("pcall", "a", "", "b"),
            ("xpcall", "aa", "", "b"), ("select", "a", "", "a"), ("next", "t", "a", "a"), ("rawget", "ta", "", "a"),
            ("assert", "a", "a", "a"), ("host.has", "s", "", "b"), ("host.throw", "", "ad", "a"),
            ("host.error", "", "ad", "t"),
            ("error", "", "an", "a"), ("setmetatable", "ta", "", "a"),
        ]
        var all: [String: LibraryFunction] = [:]
        for (name, arguments, optional, result) in table {
            all[name] = LibraryFunction(
                arguments: arguments.map { letters[$0] ?? .all }, optional: optional.map { letters[$0] ?? .all },
                result: results[result] ?? .unknown, neverReturns: name == "error" || name == "host.throw")
        }
        return all
    }()

    /// Why Lua refuses a format; nil if it takes it.
    static func faultOfFormat(_ format: String) -> String? {
        var rest = Array(format.utf8)[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[(percent + 1)...]
            if rest.first == UInt8(ascii: "%") {
                rest = rest.dropFirst()
                continue
            }
            let flags = rest.prefix { "-+ #0123456789.".utf8.contains($0) }
            rest = rest.dropFirst(flags.count)
            guard let letter = rest.first else { return "the format ends after a %" }
            guard "diuoxXcaAeEfFgGqsp".utf8.contains(letter) else {
                return "the format has %\(String(decoding: [letter], as: UTF8.self)), which Lua does not have"
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// The values that a format takes: whether each must be a number.
    static func numbers(in format: String) -> [Bool] {
        var numbers: [Bool] = []
        var rest = Array(format.utf8)[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[(percent + 1)...]
            if rest.first == UInt8(ascii: "%") {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.drop { "-+ #0123456789.".utf8.contains($0) }
            guard let letter = rest.popFirst() else { break }
            numbers.append(!"sqp".utf8.contains(letter))
        }
        return numbers
    }
}
