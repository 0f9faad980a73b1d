package import PatchCrypto

/// A metadata file in the making: what will be signed, and the signatures so far.
struct MetadataDraft: Sendable {
    var signed: JSONValue
    private(set) var signatures: [MetadataSignature] = []

    init(_ signed: JSONValue) { self.signed = signed }

    /// Takes a file with the signatures that it has.
    init(_ file: SignedMetadata) {
        signed = .object(file.body.members)
        signatures = file.signatures
    }

    var version: Int {
        guard case .integer(let version) = signed["version"] else { return 0 }
        return version
    }

    var expires: Timestamp? {
        guard case .string(let text) = signed["expires"] else { return nil }
        return Timestamp(text)
    }

    /// What is signed.
    var payload: [UInt8] { signed.canonical }

    /// The file.
    var encoded: [UInt8] {
        let signatures = signatures.map { signature in
            JSONValue.object([
                ("keyid", .string(signature.keyID)),
                ("sig", .string(String(decoding: Hex.encode(signature.bytes), as: UTF8.self))),
            ])
        }
        return JSONValue.object([("signatures", .array(signatures)), ("signed", signed)]).encoded() + [0x0A]
    }

    /// Gives it a version and an end, which makes all its signatures void.
    mutating func renew(version: Int, expires: Timestamp) {
        signed.set("version", .integer(version))
        signed.set("expires", .string(expires.description))
        signatures = []
    }

    /// Adds a signature, in place of an older one of the same key.
    mutating func add(_ signature: [UInt8], by keyID: String) {
        signatures.removeAll { $0.keyID.hasBytes(of: keyID) }
        signatures.append(MetadataSignature(keyID: keyID, bytes: signature))
    }
}

extension JSONValue {
    /// Sets a member of an object, or removes it.
    package mutating func set(_ key: String, _ value: JSONValue?) {
        guard case .object(var members) = self else { return }
        let index = members.firstIndex { $0.key.hasBytes(of: key) }
        switch (index, value) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append((key, value))
        case (nil, nil): break
        }
        self = .object(members)
    }

    /// Changes a member of an object in place; one that is missing begins as an empty object.
    mutating func change(_ key: String, _ body: (inout JSONValue) -> Void) {
        var value = self[key] ?? .object([])
        body(&value)
        set(key, value)
    }

    /// The names and values of an object; none for any other value.
    package var members: [(key: String, value: JSONValue)] {
        guard case .object(let members) = self else { return [] }
        return members
    }

    /// The elements of a list; none for any other value.
    package var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// A string's text; nil for any other value.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}
