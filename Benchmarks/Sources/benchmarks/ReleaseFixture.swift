import CFloor
import Foundation
import PatchCrypto
import PatchRunner

/// Keys, their envelopes, and a folder in memory for files.
final class ReleaseFixture {
    /// The name of the signing key's kind in the rows.
    let signature: String
    let signingKey: SigningKey
    let scriptKey: ScriptKey
    let trust: TrustStore
    /// Holds `signing.pem`, `trusted.pem` and `script.key`.
    let folder: String
    /// The same keys for the floor, read from the folder.
    let floorPacker: OpaquePointer
    let floorVerifier: OpaquePointer

    /// - Parameters:
    ///   - patchpack: Makes the keys.
    ///   - algorithm: The kind of the signing key: `rsa` (3,072 bits) or `ed25519`.
    init(patchpack: String, algorithm: String) throws {
        signature = algorithm == "rsa" ? "RSA-3072" : "Ed25519"
        let memory = "/dev/shm"
        let parent = FileManager.default.fileExists(atPath: memory) ? memory : NSTemporaryDirectory()
        folder = "\(parent)/patchpack-bench-\(getpid())-\(algorithm)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let key = "\(folder)/signing.pem"
        _ = try Processes.run([patchpack, "keygen", "-q", "--profile", "mpaas", "-o", folder])
        if algorithm != "rsa" {
            let keygen = ["keygen", "-q", "--profile", "modern", "--signing-only", "--force", "-o", folder]
            _ = try Processes.run([patchpack] + keygen)
        }
        guard let packer = floor_keys_read(key, true, "\(folder)/script.key"),
            let verifier = floor_keys_read("\(folder)/trusted.pem", false, "\(folder)/script.key")
        else { throw Failure(message: "the floor cannot read the keys in \(folder)") }
        floorPacker = packer
        floorVerifier = verifier
        signingKey = try SigningKey(
            pem: SecretBytes(Data(contentsOf: URL(filePath: key))), algorithm: algorithm == "rsa" ? .rsaSHA1 : .ed25519)
        scriptKey = try ScriptKey(decoding: SecretBytes(Data(contentsOf: URL(filePath: "\(folder)/script.key"))))
        trust = try TrustStore(trusting: [signingKey.verifyingKey])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Writes a file into the folder.
    ///
    /// - Returns: Its path.
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
        return "\(folder)/\(name)"
    }

    /// A patch's script of a given size: a head, a replacement and comments. Linting it costs less than linting
    /// ``code(number:replacing:)``.
    static func script(of size: Int, number: Int = 1) -> [UInt8] {
        let head = """
            -- @patch com.example.bench.p\(number)
            -- @version 1
            -- @app com.example.app
            -- @replaces Bench.f
            patch.replace("Bench.f", function(original, x) return original(x) + \(number) end)

            """
        let line = "-- the quick brown fox jumps over the lazy dog, and the dog does not mind at all\n"
        var bytes = Array(head.utf8)
        while bytes.count < size { bytes += line.utf8.prefix(size - bytes.count) }
        return bytes
    }

    /// A patch's script with 5 KB of code: a head, 40 local functions, and a replacement that calls them.
    static func code(number: Int = 1, replacing name: String = "Bench.f") -> [UInt8] {
        let parts = 1...40
        let functions = parts.map { part in
            "local function f\(part)(t, x) local s = x * \(number) "
                + "for _, y in ipairs(t) do if y > x then s = s + y end end return s end\n"
        }
        let calls = parts.map { part in "  s = s + f\(part)(t, x)\n" }
        let source = """
            -- @patch com.example.bench.p\(number)
            -- @version 1
            -- @app com.example.app
            -- @replaces \(name)
            \(functions.joined())patch.replace("\(name)", function(original, x) local t, s = {1, 2, 3}, original(x)
            \(calls.joined())  return s
            end)

            """
        return Array(source.utf8)
    }

    /// Writes scripts of code into a folder: `1.lua` and so on.
    static func write(_ count: Int, into folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 1..<count + 1 {
            try Data(code(number: number)).write(to: URL(filePath: "\(folder)/\(number).lua"))
        }
    }

    /// - Parameter instances: How many instances of the patch there may be; nil for as many as there are processors.
    func envelope(
        _ source: String, replaces: [String], id: String = "com.example.bench", instances: Int? = nil
    ) throws -> [UInt8] {
        try Self.envelope(
            source, replaces: replaces, id: id, instances: instances, scriptKey: scriptKey, signingKey: signingKey)
    }

    /// An envelope with its own keys, for measurements that need no folder of keys.
    static func selfContained(
        _ source: String, replaces: [String]
    ) throws -> (envelope: [UInt8], trust: TrustStore, scriptKey: ScriptKey) {
        let signingKey = try SigningKey.generate(.ed25519, bits: 0)
        let scriptKey = try ScriptKey.generate(.aes128CBCMD5)
        let envelope = try envelope(
            source, replaces: replaces, id: "com.example.bench", scriptKey: scriptKey, signingKey: signingKey)
        return (envelope, try TrustStore(trusting: [signingKey.verifyingKey]), scriptKey)
    }

    private static func envelope(
        _ source: String, replaces: [String], id: String, instances: Int? = nil, scriptKey: ScriptKey,
        signingKey: SigningKey
    ) throws -> [UInt8] {
        let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
        let manifest = try Manifest(
            id: id, version: 1, app: "com.example.app", instances: instances, replaces: replaces,
            scripts: [.init(name: script.name, byteCount: script.bytes.count)])
        return try EnvelopePacker(scriptKey: scriptKey, signingKeys: [signingKey]).pack(manifest, [script])
    }

    /// A runner whose patches may fail without limit.
    static func runner(_ registry: PatchRegistry, limits: PatchLimits = PatchLimits()) throws -> PatchRunner {
        var limits = limits
        limits.failures = .max
        return PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.app", version: "1"), limits: limits)
    }
}

/// The measured programs.
struct Tools {
    /// The checkout.
    let root: String
    let patchpack: String
    /// The floor's program, in the folder of this one.
    static let floor = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "floor").path ?? "floor"

    static func has(_ command: String) -> Bool { (try? Processes.run(["sh", "-c", "command -v \(command)"])) != nil }
}
