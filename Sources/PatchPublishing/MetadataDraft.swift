internal import PatchCrypto
internal import PatchFeed

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

    /// Keeps these of its signatures.
    mutating func keep(_ sound: [MetadataSignature]) { signatures = sound }

    /// Adds a signature, in place of an older one of the same key.
    mutating func add(_ signature: [UInt8], by keyID: String) {
        signatures.removeAll { $0.keyID.hasBytes(of: keyID) }
        signatures.append(MetadataSignature(keyID: keyID, bytes: signature))
    }
}
