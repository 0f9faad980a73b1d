package import PatchCrypto

/// A metadata file that was parsed, but whose signatures are not checked yet.
package struct SignedMetadata: Sendable {
    /// The file's name in messages.
    package let name: String
    /// The signed bytes: the canonical form of `signed`, with all members, known or not.
    package let payload: [UInt8]
    package let signatures: [MetadataSignature]
    /// The object `signed`.
    package let body: JSONObject
    package let version: Int
    package let expires: Timestamp

    /// The versions that metadata can have. The JSON of other tools has no larger integers, and adding one never
    /// overflows.
    package static let versions = 1...(1 << 53)

    /// Parses a file, whose `_type` must be the given one.
    ///
    /// - Throws: `feed-malformed` if it is not metadata of that type, or has two signatures of one key.
    package init(_ bytes: [UInt8], name: String, type: String) throws(PatchError) {
        self.name = name
        let file = try JSONObject(JSONValue(of: name, parsing: bytes), name)
        var signatures: [MetadataSignature] = []
        var ids: Set<ExactString> = []
        for entry in try file.objects("signatures") {
            let id = try entry.text("keyid")
            guard ids.insert(ExactString(id)).inserted else { throw file.fault("signatures", "two of key \(id)") }
            let digits = try entry.text("sig").lowercased().utf8
            // A value that is not hexadecimal cannot be a signature, and counts as an empty one.
            signatures.append(MetadataSignature(keyID: id, bytes: Hex.decode(digits) ?? []))
        }
        self.signatures = signatures
        body = try file.object("signed")
        payload = JSONValue.object(body.members).canonical
        guard try body.text("_type").isByteEqual(to: type) else { throw body.fault("_type", "expected \(type)") }
        let edition = try body.text("spec_version")
        guard edition.utf8.prefix(while: { $0 != UInt8(ascii: ".") }).elementsEqual("1".utf8) else {
            throw body.fault("spec_version", "\(edition) is not supported; this reads version 1 of the specification")
        }
        version = try body.number(MetadataKey.version, in: Self.versions)
        expires = try body.moment(MetadataKey.expires)
    }

    /// Checks that enough keys of the role have signed.
    ///
    /// - Throws: `feed-signature` if not, `unavailable` if OpenSSL refuses a key's scheme.
    package func verify(by role: RoleKeys) throws(PatchError) {
        let count = try role.count(signatures, over: payload)
        guard count >= role.threshold else {
            throw PatchError(
                .feedSignature, "\(name): \(count) valid signatures of \(role.threshold) that the role needs")
        }
    }
}
