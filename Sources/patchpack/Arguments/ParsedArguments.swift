import PatchCrypto

/// What a command line says, checked against its verb's table.
struct ParsedArguments: Sendable {
    let verb: Verb
    let operands: [Argument]
    let values: [String: [Argument]]

    /// Whether a switch, or an option with a value, was given.
    func has(_ option: Option) -> Bool { values[option.name] != nil }
    /// An option's values, in the order given.
    func values(of option: Option) -> [Argument] { values[option.name] ?? [] }
    /// The value of an option that is given once at most.
    func value(of option: Option) -> Argument? { values[option.name]?.first }

    /// A value as text.
    ///
    /// - Throws: `usage` where it is not UTF-8.
    func text(of option: Option) throws(PatchError) -> String? { try texts(of: option).first }

    /// All of an option's values as text.
    ///
    /// - Throws: `usage` where one is not UTF-8.
    func texts(of option: Option) throws(PatchError) -> [String] {
        var texts: [String] = []
        for value in values(of: option) {
            guard let text = String(validating: value.bytes, as: UTF8.self) else {
                throw PatchError(.usage, "--\(option.name) is not UTF-8 text")
            }
            texts.append(text)
        }
        return texts
    }

    /// A value in another type.
    ///
    /// - Parameters:
    ///   - expected: What the value should be, for the error.
    ///   - convert: Makes it of text; nil where the text is no such value.
    /// - Throws: `usage` where it is no such value.
    func value<Value>(
        of option: Option, _ expected: String, _ convert: (String) -> Value?
    ) throws(PatchError) -> Value? {
        guard let text = try text(of: option) else { return nil }
        guard let value = convert(text) else {
            throw PatchError(.usage, "--\(option.name) \(text): \(expected) is expected")
        }
        return value
    }

    /// A whole number of at least `lowest`.
    func number(of option: Option, atLeast lowest: Int = 1) throws(PatchError) -> Int? {
        try value(of: option, "a whole number from \(lowest) on") { text in
            text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
                ? Int(text).flatMap { $0 >= lowest ? $0 : nil } : nil
        }
    }

    /// A moment.
    func time(of option: Option) throws(PatchError) -> Timestamp? {
        try value(of: option, "a time such as 2027-01-01T00:00:00Z", Timestamp.init(_:))
    }
}
