package import PatchCrypto

extension JSONObject {
    /// An object of a feed's file. Members that are not read are ignored.
    ///
    /// - Throws: `feed-malformed` if the value is not an object.
    package init(_ value: JSONValue?, _ place: @escaping @Sendable @autoclosure () -> String) throws(PatchError) {
        try self.init(value, place()) { place, key, what in
            PatchError(.feedMalformed, [place, key, what].compactMap(\.self).joined(separator: ": "))
        }
    }
}

extension JSONValue {
    /// Reads a file of a feed.
    ///
    /// - Throws: `feed-malformed` if it is not JSON, with the file's name in the message.
    package init(of file: String, parsing bytes: [UInt8]) throws(PatchError) {
        do {
            try self.init(parsing: bytes)
        } catch {
            throw PatchError(.feedMalformed, "\(file): \(error.message)")
        }
    }
}
