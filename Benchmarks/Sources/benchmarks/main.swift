import CFloor
import PatchCrypto
import PatchRunner

@inline(never) func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func perCall(_ count: Int, _ body: () -> Void) -> Double {
    let time = ContinuousClock().measure(body)
    return Double(time.components.attoseconds) / 1e9 / Double(count)
}

let plainScript = "return function(original, price, quantity) return price + quantity end"
let throughScript = "return function(original, price, quantity) return original(price, quantity) end"

func envelope(_ body: String, _ keys: (SigningKey, ScriptKey)) throws -> [UInt8] {
    let source = "patch.replace('A.f', (function() \(body) end)())\npatch.replace('A.p', (function() \(body) end)())"
    let script = Script(name: "main.lua", bytes: Array(source.utf8))
    let manifest = try Manifest(
        id: "a.b", version: 1, app: "a.b", replaces: ["A.f", "A.p"],
        scripts: [.init(name: script.name, size: script.bytes.count)])
    return try EnvelopePacker(scriptKey: keys.1, signingKeys: [keys.0]).pack(manifest, [script])
}

func chain(_ count: Int, _ function: Replaceable<@Sendable (Double, Int) -> Double>) -> Double {
    var price = 0.0
    for i in 0..<count { price = function(price, i & 7) }
    return price
}
func chain(_ count: Int, _ function: @Sendable (Double, Int) -> Double) -> Double {
    var price = 0.0
    for i in 0..<count { price = function(price, i & 7) }
    return price
}
func chain(_ count: Int, _ point: PatchPoint<(Double, Int) -> Double>) -> Double {
    var price = 0.0
    for i in 0..<count { price = point(price, i & 7) { $0 + Double($1) } }
    return price
}
func plain(_ count: Int) -> Double {
    var price = 0.0
    for i in 0..<count { price = price + Double(i & 7) }
    return price
}

func main() throws {
    let keys = (try SigningKey.generate(.ed25519), try ScriptKey.generate(for: .aes128CBCMD5))
    let trust = try TrustStore([keys.0.verifyingKey])
    let registry = PatchRegistry()
    let original: @Sendable (Double, Int) -> Double = { floor_original($0, Int64($1)) }
    let function = try registry.replaceable("A.f", original)
    let point = try registry.point("A.p", ((Double, Int) -> Double).self)
    let runner = PatchRunner(
        registry: registry, host: try HostInfo(app: "a.b", version: "1"), clock: { nil },
        events: { if case .failed = $0 { print($0) } })
    let count = 1_000_000
    var times: [String: [Double]] = [:]
    let only = CommandLine.arguments.dropFirst().first
    func record(_ name: String, _ body: () -> Void) {
        if only == nil || name == only { times[name, default: []].append(perCall(count, body)) }
    }
    var sum = 0.0
    for (label, script) in [("patched", plainScript), ("through", throughScript)] {
        guard let floor = floor_open(script) else { return }
        for _ in 0..<21 {
            record("plain") { sum += plain(count) }
            record("point unpatched") { sum += chain(count, point) }
            record("closure") { sum += chain(count, original) }
            record("replaceable unpatched") { sum += chain(count, function) }
            try runner.install(try envelope(script, keys), trust: trust, keys: keys.1)
            record("\(label) C") { sum += floor_calls(floor, 0, Int64(count)) }
            record("\(label) C locked") { sum += floor_locked_calls(floor, 0, Int64(count)) }
            record("\(label) replaceable") { sum += chain(count, function) }
            record("\(label) point") { sum += chain(count, point) }
            runner.removeAll()
        }
        floor_close(floor)
    }
    for (name, values) in times.sorted(by: { $0.key < $1.key }) {
        print(name, (median(values) * 100).rounded() / 100, "ns")
    }
    print(sum > 0)
}
try main()
