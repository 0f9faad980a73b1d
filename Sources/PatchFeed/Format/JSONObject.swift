internal import PatchCrypto

/// An object of a feed's file, whose members are asked for by name. A member that nothing asks for is ignored.
struct JSONObject {
    /// What it is, for messages, such as `root.json: roles`.
    let name: String
    let members: [(key: String, value: JSONValue)]

    /// - Throws: `feed-malformed` if the value is not an object.
    init(_ value: JSONValue?, _ name: String) throws(PatchError) {
        guard case .object(let members) = value else {
            throw PatchError(.feedMalformed, "\(name): expected an object")
        }
        self.name = name
        self.members = members
    }

    /// A member; nil if there is none.
    subscript(key: String) -> JSONValue? { members.first { $0.key.hasBytes(of: key) }?.value }

    /// - Throws: `feed-malformed` if the member is missing or not an object, as for the functions below.
    func object(_ key: String) throws(PatchError) -> JSONObject { try JSONObject(self[key], "\(name): \(key)") }

    func text(_ key: String) throws(PatchError) -> String {
        guard case .string(let text) = self[key] else { throw fault(key, "expected a string") }
        return text
    }

    func texts(_ key: String) throws(PatchError) -> [String] {
        guard case .array(let values) = self[key] else { throw fault(key, "expected a list") }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value else { throw fault(key, "expected a list of strings") }
            texts.append(text)
        }
        return texts
    }

    /// A whole number within bounds.
    func number(_ key: String, in range: ClosedRange<Int>) throws(PatchError) -> Int {
        guard case .integer(let number) = self[key], range.contains(number) else {
            throw fault(key, "expected a number from \(range.lowerBound)")
        }
        return number
    }

    /// The member read by `read` if it is there.
    func optional<Value>(
        _ key: String, _ read: (String) throws(PatchError) -> Value
    ) throws(PatchError) -> Value? { self[key] == nil ? nil : try read(key) }

    func flag(_ key: String) throws(PatchError) -> Bool {
        guard case .bool(let flag) = self[key] else { throw fault(key, "expected true or false") }
        return flag
    }

    func moment(_ key: String) throws(PatchError) -> Timestamp {
        guard let moment = Timestamp(try text(key)) else { throw fault(key, "expected YYYY-MM-DDTHH:MM:SSZ") }
        return moment
    }

    func fault(_ key: String, _ what: String) -> PatchError {
        PatchError(.feedMalformed, "\(name): \(key): \(what)")
    }
}

extension JSONValue {
    /// Reads a file of a feed.
    ///
    /// - Throws: `feed-malformed` if it is not JSON, with the file's name in the message.
    init(of file: String, parsing bytes: [UInt8]) throws(PatchError) {
        do {
            try self.init(parsing: bytes)
        } catch {
            throw PatchError(.feedMalformed, "\(file): \(error.message)")
        }
    }
}
