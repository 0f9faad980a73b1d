import CFloor
import PatchCrypto
import PatchRunner

/// From an envelope's bytes to an active patch, and its parts, for a script of 5 KB.
enum Install {
    static func run(_ workshop: Workshop) throws {
        let registry = PatchRegistry()
        _ = try registry.replaceable("Bench.f") { (x: Int) -> Int in x }
        let runner = try workshop.runner(registry)
        var source = "patch.replace('Bench.f', function(original, x) return x + 1 end)\n"
        var number = 0
        while source.utf8.count < 5000 {
            number += 1
            source +=
                "local function f\(number)(a, b) if a > b then return a * 2 end return {a, b, name = 'f\(number)'} end\n"
        }
        let envelope = try workshop.envelope(source, replaces: ["Bench.f"])
        let verifier = try EnvelopeVerifier(trustStore: workshop.trust, policy: .none)
        let verified = try verifier.verify(envelope, scriptKeys: workshop.scriptKey).get()
        let script = source
        Rounds(
            title: "from an envelope's bytes to active, a script of \(source.utf8.count) bytes", count: 200,
            ways: [
                .init(name: "verify") {
                    for _ in 0..<$0 { keep(verifier.verify(envelope, scriptKeys: workshop.scriptKey)) }
                },
                .init(name: "load") { for _ in 0..<$0 { keep(try? runner.load(verified)) } },
                .init(name: "load, in C: state, compile, run", against: nil) { for _ in 0..<$0 { floor_load(script) } },
                .init(name: "all: install and remove") {
                    for _ in 0..<$0 {
                        keep(try? runner.install(envelope, trust: workshop.trust, keys: workshop.scriptKey))
                        runner.removeAll()
                    }
                },
            ]
        ).run()
    }
}

extension Rounds.Way {
    init(name: String, _ run: @escaping (Int) -> Void) { self.init(name: name, against: nil, run: run) }
}
