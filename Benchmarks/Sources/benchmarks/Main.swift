import PatchCrypto
import PatchRunner

/// Keys, and what is made with them.
struct Workshop {
    let signingKey: SigningKey
    let scriptKey: ScriptKey
    let trust: TrustStore

    init() throws {
        signingKey = try SigningKey.generate(.rsaSHA1, bits: 3072)
        scriptKey = try ScriptKey.generate(for: .aes128CBCMD5)
        trust = try TrustStore([signingKey.verifyingKey])
    }

    func envelope(_ source: String, replaces: [String]) throws -> [UInt8] {
        let script = Script(name: "main.lua", bytes: Array(source.utf8))
        let manifest = try Manifest(
            id: "com.example.bench", version: 1, app: "com.example.app", replaces: replaces,
            scripts: [.init(name: script.name, size: script.bytes.count)])
        return try EnvelopePacker(scriptKey: scriptKey, signingKeys: [signingKey]).pack(manifest, [script])
    }

    func runner(_ registry: PatchRegistry) throws -> PatchRunner {
        PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.app", version: "1"), clock: { nil },
            events: { event in if case .failed = event { print(event) } })
    }
}

@main
struct Main {
    static func main() throws {
        let workshop = try Workshop()
        print("medians of \(Rounds.rounds) rounds, one after the other in each round; least and most in brackets")
        try Calls.run(workshop)
        try Install.run(workshop)
        try Calls.checkMemory(workshop)
    }
}
