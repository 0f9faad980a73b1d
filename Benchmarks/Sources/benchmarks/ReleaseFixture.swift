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
        _ = try Processes.run([patchpack, "keygen", "-q", "--algorithm", algorithm, "-o", folder])
        guard let packer = floor_keys_read(key, true, "\(folder)/script.key"),
            let verifier = floor_keys_read("\(folder)/trusted.pem", false, "\(folder)/script.key")
        else { throw Failure(message: "the floor cannot read the keys in \(folder)") }
        floorPacker = packer
        floorVerifier = verifier
        signingKey = try SigningKey(pem: SecretBytes(Data(contentsOf: URL(filePath: key))))
        scriptKey = try ScriptKey(file: SecretBytes(Data(contentsOf: URL(filePath: "\(folder)/script.key"))))
        trust = try TrustStore([signingKey.verifyingKey])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Writes a file into the folder.
    ///
    /// - Returns: Its path.
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
        return "\(folder)/\(name)"
    }

    /// A patch's script of a given size: a head, a replacement and comments.
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

    func envelope(_ source: String, replaces: [String], id: String = "com.example.bench") throws -> [UInt8] {
        try Self.envelope(source, replaces: replaces, id: id, scriptKey: scriptKey, signingKey: signingKey)
    }

    /// An envelope with its own keys, for measurements that need no folder of keys.
    static func selfContained(
        _ source: String, replaces: [String]
    ) throws -> (envelope: [UInt8], trust: TrustStore, scriptKey: ScriptKey) {
        let signingKey = try SigningKey.generate(.ed25519, bits: 0)
        let scriptKey = try ScriptKey.generate(for: .aes128CBCMD5)
        let envelope = try envelope(
            source, replaces: replaces, id: "com.example.bench", scriptKey: scriptKey, signingKey: signingKey)
        return (envelope, try TrustStore([signingKey.verifyingKey]), scriptKey)
    }

    private static func envelope(
        _ source: String, replaces: [String], id: String, scriptKey: ScriptKey, signingKey: SigningKey
    ) throws -> [UInt8] {
        let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
        let manifest = try Manifest(
            id: id, version: 1, app: "com.example.app", replaces: replaces,
            scripts: [.init(name: script.name, size: script.bytes.count)])
        return try EnvelopePacker(scriptKey: scriptKey, signingKeys: [signingKey]).pack(manifest, [script])
    }

    /// A runner whose patches may fail without limit.
    static func runner(_ registry: PatchRegistry, limits: PatchLimits = PatchLimits()) throws -> PatchRunner {
        var limits = limits
        limits.failures = .max
        return PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.app", version: "1"), limits: limits,
            clock: { nil })
    }
}

/// The measured programs.
struct Tools {
    /// The checkout.
    let root: String
    let patchpack: String
    /// The floor's program, in the folder of this one.
    static let floor = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "floor").path ?? "floor"

    static func has(_ command: String) -> Bool {
        (try? Processes.run(["sh", "-c", "command -v \(command)"])) != nil
    }
}
