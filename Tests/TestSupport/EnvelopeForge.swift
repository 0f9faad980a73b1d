@testable public import PatchCrypto

/// Makes envelopes that no packer would make: valid except for one fault, but properly encrypted and signed.
public struct EnvelopeForge {
    public var scripts = [PatchScript(name: "main.lua", bytes: Array("return 1\n".utf8))]
    public var scriptKey = TestKeys.script
    public var signingKeys = [TestKeys.signing]
    /// Replaces the manifest's bytes.
    public var manifest: [UInt8]?
    /// Changes the zip's members before they are written.
    public var changeMembers: (inout [(name: String, bytes: [UInt8])]) throws -> Void = { _ in }
    /// Changes the zip.
    public var changeZip: (inout [UInt8]) throws -> Void = { _ in }
    /// Changes the payload before it is signed.
    public var changePayload: (inout [UInt8]) throws -> Void = { _ in }

    public init() {}

    /// A manifest for the scripts.
    public static func manifest(
        for scripts: [PatchScript], engine: Int = 1, expires: String? = nil
    ) throws -> Manifest {
        guard let versions = VersionRange(">=2.3.0 <2.5.0") else { fatalError("not a range of versions") }
        return try Manifest(
            id: "com.example.shop.fix", version: 7, app: "com.example.shop", appVersions: versions,
            engineLevel: engine, replaces: ["Cart.total"],
            scripts: scripts.map { .init(name: $0.name, byteCount: $0.bytes.count) },
            expires: expires.flatMap(Timestamp.init))
    }

    /// The zip's members as a packer makes them.
    public func members() throws -> [(name: String, bytes: [UInt8])] {
        let suite = scriptKey.suite
        var members = [("manifest.json", try manifest ?? Self.manifest(for: scripts).encoded())]
        for script in scripts {
            members.append((script.name + suite.digestSuffix, Hex.encode(try suite.digest.hash(script.bytes))))
            members.append((script.name + ".aes", try suite.seal(script.bytes, with: scriptKey, label: script.name)))
        }
        return members
    }

    /// The zip.
    public func zip() throws -> [UInt8] {
        var members = try members()
        try changeMembers(&members)
        var zip = try ZipArchive.write(members)
        try changeZip(&zip)
        return zip
    }

    /// The envelope.
    public func envelope() throws -> [UInt8] {
        var payload = try scriptKey.suite.seal(zip(), with: scriptKey, label: "envelope")
        try changePayload(&payload)
        return try Self.sign(payload, scriptKey: scriptKey, with: signingKeys)
    }

    /// Appends the delimiter and signatures to a payload.
    public static func sign(
        _ payload: [UInt8], scriptKey: ScriptKey = TestKeys.script, with keys: [SigningKey] = [TestKeys.signing]
    ) throws -> [UInt8] {
        try keys.reduce(payload + EnvelopeFormat.delimiter(suite: scriptKey.suite, scriptKeyID: scriptKey.id)) {
            $0
                + EnvelopeFormat.signatureLine(
                    algorithm: $1.verifyingKey.algorithm, keyID: $1.verifyingKey.id,
                    signature: try $1.sign(payload[...]))
        }
    }
}
