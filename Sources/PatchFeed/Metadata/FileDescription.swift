package import PatchCrypto

/// The description of another file in signed metadata: its length and hashes, if they are given.
package struct FileDescription: Sendable {
    /// The length in bytes.
    package let length: Int?
    /// Digests in lower-case hex digits, by the names of their functions, such as `sha256`.
    package let hashes: [(function: String, digest: String)]
    /// The description as it is signed, with its other members.
    package let json: JSONValue

    /// Reads `length` and `hashes`, each of which may be missing.
    package init(_ object: JSONObject) throws(PatchError) {
        length = try object.optional("length") { key throws(PatchError) in try object.number(key, in: 0...Int.max) }
        var hashes: [(function: String, digest: String)] = []
        if object["hashes"] != nil {
            let listed = try object.object("hashes")
            for (function, value) in listed.members {
                guard case .string(let digest) = value else { throw listed.fault(function, "expected a string") }
                hashes.append((function, digest))
            }
            guard !hashes.isEmpty else { throw object.fault("hashes", "none is given") }
        }
        self.hashes = hashes
        json = .object(object.members)
    }

    /// An empty description.
    package init() { (length, hashes, json) = (nil, [], .object([])) }

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - length: The length in bytes; nil to leave it open.
    ///   - sha256: The SHA-256 in lower-case hex digits.
    package init(length: Int?, sha256: String) {
        self.length = length
        hashes = [("sha256", sha256)]
        var json = JSONValue.object([("hashes", .object([("sha256", .string(sha256))]))])
        json.set("length", length.map(JSONValue.integer))
        self.json = json
    }

    /// The SHA-256, in lower-case hex digits; nil if only other hashes are given.
    package var sha256: String? { hashes.first { $0.function.isByteEqual(to: "sha256") }?.digest }

    /// Checks a file's bytes.
    ///
    /// - Throws: `feed-mismatch` if the length or a hash differs, or if there are hashes, but none of a known function.
    package func check(_ bytes: [UInt8], of name: String) throws(PatchError) {
        if let length, length != bytes.count {
            throw PatchError(.feedMismatch, "\(name): \(bytes.count) bytes, not the \(length) that are signed")
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
