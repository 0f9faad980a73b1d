package import PatchCrypto

/// The description of another file in signed metadata: its length and hashes, if they are given.
package struct FileDescription: Sendable {
    /// The members that are signed, known or not. A feed may have thousands of descriptions, so nothing is kept twice.
    private let members: [(key: String, value: JSONValue)]

    /// Reads `length` and `hashes`, each of which may be missing.
    ///
    /// - Throws: `feed-malformed` if one of them is not of its type, or no hash is given.
    package init(_ object: JSONObject) throws(PatchError) {
        _ = try object.optional("length") { key throws(PatchError) in try object.number(key, in: 0...Int.max) }
        if object["hashes"] != nil {
            let listed = try object.object("hashes")
            for (function, value) in listed.members where value.text == nil {
                throw listed.fault(function, "expected a string")
            }
            guard !listed.members.isEmpty else { throw object.fault("hashes", "none is given") }
        }
        members = object.members
    }

    package init() { members = [] }

    /// Describes a file, with its length in bytes or without, and with its SHA-256 in lower-case hex digits.
    package init(length: Int?, sha256: String) {
        var json = JSONValue.object([("hashes", .object([("sha256", .string(sha256))]))])
        json.set("length", length.map(JSONValue.integer))
        members = json.members
    }

    package var json: JSONValue { .object(members) }

    /// The length in bytes.
    package var length: Int? { json["length"]?.number }

    /// Digests in lower-case hex digits, by the names of their functions, such as `sha256`.
    package var hashes: [(function: String, digest: String)] {
        (json["hashes"]?.members ?? []).map { ($0.key, $0.value.text ?? "") }
    }

    /// The SHA-256, in lower-case hex digits; nil if only other hashes are given.
    package var sha256: String? { hashes.first { $0.function.isByteEqual(to: "sha256") }?.digest }

    /// Checks a file's bytes.
    ///
    /// - Throws: `feed-mismatch` if the length or a hash differs, or if there are hashes, but none of a known function;
    ///   `unavailable` if OpenSSL refuses a function.
    package func check(_ bytes: [UInt8], of name: String) throws(PatchError) {
        if let length, length != bytes.count {
            throw PatchError(
                .feedMismatch, "\(name): \(bytes.count) bytes, not the \(length) that are signed",
                hint: bytes.count < length
                    ? "it was cut off on the way, or there" : "something on the way, such as a proxy, added to it")
        }
        var known = 0
        for (function, digest) in hashes {
            let found: MessageDigest
            switch function {
            case "sha256": found = .sha256
            case "sha512": found = .sha512
            default: continue
            }
            known += 1
            guard try found.hexadecimal(of: bytes).elementsEqual(digest.utf8) else {
                throw PatchError(.feedMismatch, "\(name): not the \(function) that is signed")
            }
        }
        guard known > 0 || hashes.isEmpty else {
            throw PatchError(.feedMismatch, "\(name): has only hashes of unknown functions")
        }
    }
}
