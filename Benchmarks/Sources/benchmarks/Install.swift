import CFloor
import PatchCrypto
import PatchRunner

/// The time from an envelope's bytes to an active patch, and of its parts, for a script of 5 KB.
enum Install {
    private static let smallScript = "patch.replace('Bench.f', function(original, x) return x + 1 end)\n"
    private static let script = {
        var script = smallScript
        var number = 0
        while script.utf8.count < 5000 {
            number += 1
            script +=
                "local function f\(number)(a, b) if a > b then return a * 2 end return {a, b, name = 'f\(number)'} end\n"
        }
        return script
    }()

    private static func runner() throws -> PatchRunner {
        let registry = PatchRegistry()
        _ = try registry.replaceable("Bench.f") { (x: Int) -> Int in x }
        return try ReleaseFixture.runner(registry)
    }

    /// Loads only a verified patch, or its script in C, to count the instructions. `loaded` keeps all patches, with a
    /// script of one line each, to measure their memory.
    ///
    /// - Returns: nil for an unknown kind.
    static func only(_ kind: String, _ count: Int) throws -> Void? {
        switch kind {
        case "load", "loaded":
            let patch = try ReleaseFixture.selfContained(kind == "load" ? script : smallScript, replaces: ["Bench.f"])
            let verifier = try EnvelopeVerifier(trustStore: patch.trust, policy: .unchecked)
            let verified = try verifier.verify(patch.envelope, scriptKeys: patch.scriptKey)
            let runner = try runner()
            var loaded: [LoadedPatch] = []
            for _ in 0..<count {
                let patch = try runner.load(verified)
                if kind == "loaded" { loaded.append(patch) }
            }
            keep(loaded)
        case "floor-load": for _ in 0..<count { floor_load(script) }
        default: return nil
        }
        return ()
    }

    static func run(_ workshop: ReleaseFixture) throws -> [Row] {
        let runner = try runner()
        let envelope = try workshop.envelope(script, replaces: ["Bench.f"])
        let verifier = try EnvelopeVerifier(trustStore: workshop.trust, policy: .unchecked)
        let verified = try verifier.verify(envelope, scriptKeys: workshop.scriptKey)
        let small = try verifier.verify(
            workshop.envelope(smallScript, replaces: ["Bench.f"]), scriptKeys: workshop.scriptKey
        )
        func verifyInC() {
            var copy = envelope
            copy.withUnsafeMutableBufferPointer { bytes in
                keep(floor_verify(workshop.floorVerifier, bytes.baseAddress, bytes.count))
            }
        }
        return try Rounds(
            work: "from an envelope's bytes to active, a script of 5 KB", count: 100,
            ways: [
                .init("C: verify, make a state, compile and run") {
                    for _ in 0..<$0 {
                        verifyInC()
                        floor_load(script)
                    }
                },
                .init("install and remove", against: "C: verify, make a state, compile and run", target: .ratio(1.15)) {
                    for _ in 0..<$0 {
                        try runner.install(envelope, trust: PatchTrust(workshop.trust, scriptKeys: workshop.scriptKey))
                        runner.deactivateAll()
                    }
                },
                .init("C: verify") { for _ in 0..<$0 { verifyInC() } },
                .init("verify", against: "C: verify") {
                    for _ in 0..<$0 { keep(try verifier.verify(envelope, scriptKeys: workshop.scriptKey)) }
                },
                .init("C: load") { for _ in 0..<$0 { floor_load(script) } },
                .init("load", against: "C: load") { for _ in 0..<$0 { keep(try runner.load(verified)) } },
            ]
        ).run()
            + Rounds(
                work: "make and drop a state, with a script of one line", count: 200,
                ways: [
                    .init("C") { for _ in 0..<$0 { floor_load(smallScript) } },
                    .init("load", against: "C") { for _ in 0..<$0 { keep(try runner.load(small)) } },
                ]
            ).run()
    }
}
