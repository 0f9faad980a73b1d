package import PatchCrypto

/// A signature of a metadata file.
package struct MetadataSignature: Sendable {
    /// The id of the key that is said to have made it.
    package let keyID: String
    /// The signature in bytes; empty if the file has no hexadecimal one.
    package let bytes: [UInt8]

    package init(keyID: String, bytes: [UInt8]) {
        self.keyID = keyID
        self.bytes = bytes
    }

    /// The bytes of a metadata file: its signed part and its signatures, and a line feed.
    package static func file(_ signed: JSONValue, _ signatures: [MetadataSignature]) -> [UInt8] {
        let list = signatures.map { signature in
            JSONValue.object([
                ("keyid", .string(signature.keyID)),
                ("sig", .string(String(decoding: Hex.encode(signature.bytes), as: UTF8.self))),
            ])
        }
        var file = JSONValue.object([("signatures", .array(list)), ("signed", signed)]).encoded()
        file.append(0x0A)
        return file
    }
}

/// The keys of a role, and how many of them must sign.
package struct RoleKeys: Sendable {
    package let ids: [String]
    package let threshold: Int
    /// The keys that can be used. A key of an unknown kind is left out, so its signatures do not count.
    private let keys: [(id: String, key: SchemeKey)]

    /// - Throws: `feed-malformed` if a member is missing or not of its type, or an id is listed twice.
    package init(_ role: JSONObject, known: FeedKeys) throws(PatchError) {
        let ids = try role.texts("keyids")
        guard Set(ids.map(ExactString.init)).count == ids.count else { throw role.fault("keyids", "a key twice") }
        self.init(ids: ids, threshold: try role.number("threshold", in: 1...Int.max), known: known)
    }

    package init(ids: [String], threshold: Int, known: FeedKeys) {
        self.ids = ids
        self.threshold = threshold
        keys = ids.compactMap { id in known[id].map { (id, $0) } }
    }

    func write(to role: inout JSONValue) {
        role.set("keyids", .array(ids.map(JSONValue.string)))
        role.set("threshold", .integer(threshold))
    }

    package func hasSameIDs(as other: RoleKeys) -> Bool {
        Set(ids.map(ExactString.init)) == Set(other.ids.map(ExactString.init))
    }

    /// The id of the key that made a signature over a payload; nil if none of the role's keys did.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses a key's scheme.
    package func signer(of signature: [UInt8], over payload: [UInt8]) throws(PatchError) -> String? {
        for (id, key) in keys where try key.isValid(signature, for: payload) { return id }
        return nil
    }

    /// How many of the role's keys have signed a payload. A key that is listed under two ids counts once.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses a key's scheme.
    package func count(_ signatures: [MetadataSignature], over payload: [UInt8]) throws(PatchError) -> Int {
        var signers: [SchemeKey] = []
        for (id, key) in keys where !signers.contains(where: key.isEqual) {
            guard let signature = signatures.first(where: { $0.keyID.isByteEqual(to: id) }) else { continue }
            if try key.isValid(signature.bytes, for: payload) { signers.append(key) }
        }
        return signers.count
    }
}

/// The keys that a root file or a delegation lists, by their ids, which are opaque.
package struct FeedKeys: Sendable {
    private var keys: [ExactString: SchemeKey] = [:]
    /// All keys that are listed, also those that cannot be used.
    package private(set) var json = JSONValue.object([])

    package init() {}

    /// Reads `keys`. A key that cannot be used here is left out.
    ///
    /// - Throws: `feed-malformed` if an entry does not have the members of a key.
    package init(_ object: JSONObject) throws(PatchError) {
        for (id, value) in object.members {
            keys[ExactString(id)] = try Self.key(JSONObject(value, "\(object.place): \(id)"))
        }
        json = .object(object.members)
    }

    /// Adds a key, or replaces the one with its id.
    ///
    /// - Throws: `feed-malformed` if the entry does not have the members of a key.
    package mutating func set(_ id: String, _ entry: JSONValue) throws(PatchError) {
        keys[ExactString(id)] = try Self.key(JSONObject(entry, id))
        json.set(id, entry)
    }

    /// Removes all keys except the given ones.
    package mutating func keep(_ ids: Set<ExactString>) {
        keys = keys.filter { ids.contains($0.key) }
        json = .object(json.members.filter { ids.contains(ExactString($0.key)) })
    }

    package subscript(id: String) -> SchemeKey? { keys[ExactString(id)] }

    /// The key of an entry; nil if its scheme is unknown, or if it is not a key for its scheme.
    ///
    /// - Throws: `feed-malformed` if it has no `keytype`, `scheme` or `keyval`.
    private static func key(_ entry: JSONObject) throws(PatchError) -> SchemeKey? {
        let kind = try entry.text("keytype")
        let scheme = SchemeKey.Scheme(rawValue: try entry.text("scheme"))
        guard case .string(let text) = try entry.object("keyval")["public"] else { return nil }
        switch (scheme, kind) {
        case (.ed25519, "ed25519"): return Hex.decode(text.lowercased().utf8).flatMap { try? SchemeKey(ed25519: $0) }
        case (.rsaPSS, "rsa"): return try? SchemeKey(pem: Array(text.utf8), for: .rsaPSS)
        // The second name of the kind was used before version 1.0.29 of the specification.
        case (.ecdsaP256, "ecdsa"), (.ecdsaP256, "ecdsa-sha2-nistp256"):
            return try? SchemeKey(pem: Array(text.utf8), for: .ecdsaP256)
        default: return nil
        }
    }
}
