/// A type of an interface, which names it by its text, such as `array of Item or nil`.
indirect enum InterfaceType: Hashable, Sendable {
    case optional(InterfaceType)
    case array(of: InterfaceType)
    case dictionary(key: String, of: InterfaceType)
    /// A basic type of Lua, a struct, a class, or a type that only Swift knows.
    case named(String)

    init(_ text: String) {
        if text.hasSuffix(" or nil") {
            self = .optional(InterfaceType(String(text.dropLast(" or nil".count))))
        } else if text.hasPrefix("array of ") {
            self = .array(of: InterfaceType(String(text.dropFirst("array of ".count))))
        } else if text.hasPrefix("table of ") {
            self = .dictionary(key: "string", of: InterfaceType(String(text.dropFirst("table of ".count))))
        } else {
            let words = text.split(separator: " ", maxSplits: 3)
            guard words.count == 4, words[1] == "table", words[2] == "of" else {
                self = .named(text)
                return
            }
            self = .dictionary(key: String(words[0]), of: InterfaceType(String(words[3])))
        }
    }

    /// The types that are named in it.
    var names: [String] {
        switch self {
        case .optional(let type), .array(let type): type.names
        case .dictionary(let key, let type): [key] + type.names
        case .named(let name): [name]
        }
    }
}

extension InterfaceType: CustomStringConvertible {
    var description: String {
        switch self {
        case .optional(let type): "\(type) or nil"
        case .array(let type): "array of \(type)"
        case .dictionary("string", let type): "table of \(type)"
        case .dictionary(let key, let type): "\(key) table of \(type)"
        case .named(let name): name
        }
    }
}
