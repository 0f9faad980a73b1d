/// A type of an interface, which names it with a string such as `array of Item or nil`.
package indirect enum InterfaceType: Hashable, Sendable {
    case optional(InterfaceType)
    case array(of: InterfaceType)
    case dictionary(key: String, of: InterfaceType)
    /// A basic type of Lua, a struct, a class, or a type that only Swift knows.
    case named(String)

    /// How deeply types may be nested. A type that is nested deeper is a name, about which nothing is known.
    private static let deepest = 32

    package init(_ text: String) { self.init(text.utf8[...], depth: 0) }

    private init(_ text: Substring.UTF8View, depth: Int) {
        func inner(_ text: Substring.UTF8View) -> InterfaceType { InterfaceType(text, depth: depth + 1) }
        if depth >= Self.deepest {
            self = .named(String(Substring(text)))
        } else if text.count >= Self.optional.count, text.suffix(Self.optional.count).elementsEqual(Self.optional) {
            self = .optional(inner(text.dropLast(Self.optional.count)))
        } else if text.starts(with: Self.array) {
            self = .array(of: inner(text.dropFirst(Self.array.count)))
        } else if text.starts(with: Self.table) {
            self = .dictionary(key: "string", of: inner(text.dropFirst(Self.table.count)))
        } else if case let words = text.split(separator: UInt8(ascii: " "), maxSplits: 3), words.count == 4,
            words[1].elementsEqual("table".utf8), words[2].elementsEqual("of".utf8)
        {
            self = .dictionary(key: String(Substring(words[0])), of: inner(words[3]))
        } else {
            self = .named(String(Substring(text)))
        }
    }

    private static let (optional, array, table) = (
        Array(" or nil".utf8), Array("array of ".utf8), Array("table of ".utf8)
    )

    var names: [String] {
        switch self {
        case .optional(let type), .array(let type): type.names
        case .dictionary(let key, let type): [key] + type.names
        case .named(let name): [name]
        }
    }
}

extension InterfaceType: CustomStringConvertible {
    package var description: String {
        switch self {
        case .optional(let type): "\(type) or nil"
        case .array(let type): "array of \(type)"
        case .dictionary("string", let type): "table of \(type)"
        case .dictionary(let key, let type): "\(key) table of \(type)"
        case .named(let name): name
        }
    }
}
