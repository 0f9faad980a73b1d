import FeedTestSupport
import PatchCrypto
import PatchPublishing
import PatchRunner

/// What a version of a patch really does, which no device and no operator knows.
struct Truth {
    enum Fault: Equatable {
        case none
        case crashesInLoad
        /// The app crashes at this call of it in a process.
        case crashes(atCall: Int)
        /// The app crashes if another patch answers too.
        case crashesWithOthers
        case fails, loops, failsInLoad
    }

    let patch: PatchID
    let fault: Fault
    /// Whether its script gives an `otherwise`.
    let hasOtherwise: Bool
    let range: String

    /// Two patches of one function, and one that closes a hole.
    static let ids = ["a", "b", "guard"].map { "com.example.shop.\($0)" }
    static let ranges = ["*", "*", "*", "*", "<1.1", ">=1.1", ">=1.1 <1.2"]
    private static let faults: [Fault] = [
        .none, .none, .none, .none, .crashes(atCall: 1), .crashes(atCall: 2), .crashes(atCall: 5), .crashesInLoad,
        .crashesWithOthers, .fails, .loops, .failsInLoad,
    ]

    init(_ id: Int, version: Int, how: Int) {
        patch = PatchID(id: Self.ids[id], version: version)
        fault = Self.faults[how % Self.faults.count]
        hasOtherwise = id == 2 && how / 100 % 4 > 0
        range = Self.ranges[how / 17 % Self.ranges.count]
    }

    var isGuard: Bool { patch.id == Self.ids[2] }
    /// Whether it is a guard that always answers, if only with its `otherwise`.
    var closesHole: Bool { hasOtherwise && fault != .crashesInLoad && fault != .failsInLoad }

    /// The version of the guard that an answer of the guarded function is of: its function, or its `otherwise`.
    static func guardOf(_ answer: Int) -> (function: PatchID?, otherwise: PatchID?) {
        let patch = PatchID(id: ids[2], version: answer / 10)
        return (answer % 10 == 3 ? patch : nil, answer % 10 == 4 ? patch : nil)
    }

    /// The script. What it returns tells which versions have answered.
    var source: String {
        let (head, body) =
            switch fault {
            case .crashesInLoad: ("log.info('crash')", "")
            case .failsInLoad: ("error('wrong')", "")
            case .fails: ("", "error('wrong')")
            case .loops: ("", "while true do end")
            default: ("", "")
            }
        let function = isGuard ? "Shop.check" : "Shop.price"
        let order = patch.id == Self.ids[1] ? 1 : 0
        let answer = isGuard ? "\(patch.version * 10 + 3)" : "original(x) * 1000 + \(patch.version * 2 + order)"
        let otherwise = hasOtherwise ? ", {otherwise = \(patch.version * 10 + 4)}" : ""
        return """
            -- @patch \(patch.id)
            -- @version \(patch.version)
            -- @app \(FeedFixture.app) \(range)
            -- @replaces \(function)
            \(head)
            patch.replace('\(function)', function(original, x)
              \(body)
              do return \(answer) end
            end\(otherwise))
            """
    }

    /// The versions that have answered, the lowest layer first.
    static func layers(of price: Int) -> [PatchID] {
        var (rest, layers) = (price, [PatchID]())
        while rest >= 1000 {
            layers.insert(PatchID(id: ids[rest % 1000 % 2], version: rest % 1000 / 2), at: 0)
            rest /= 1000
        }
        return layers
    }
}

/// The keys of a world. They are made once, because no behaviour depends on them.
enum Keys {
    static let root = make { try SigningKey.generate(.ed25519) }
    static let release = make { try (0..<2).map { _ in try SigningKey.generate(.ed25519) } }
    static let online = make { try (0..<3).map { _ in try SigningKey.generate(.ed25519) } }
    static let envelope = make { try SigningKey.generate(.ed25519) }
    static let script = make { try ScriptKey.generate(.aes256GCMSHA256) }
    static let trust = make { try TrustStore(trusting: [envelope.verifyingKey]) }

    static func make<Value>(_ body: () throws -> Value) -> Value {
        do { return try body() } catch { fatalError("\(error)") }
    }

    static func publication(
        of truth: Truth, _ body: (inout PatchEntryDraft) -> Void
    ) throws(PatchError) -> Publication {
        let scripts = [PatchScript(name: "main.lua", bytes: Array(truth.source.utf8))]
        let manifest = try ManifestFields(try ScriptHead(of: scripts[0].bytes)).manifest(of: scripts)
        let envelope = try EnvelopePacker(scriptKey: script, signingKeys: [Keys.envelope]).pack(manifest, scripts)
        return try Publication(FeedFile.Contents(envelope), manifest) { (entry) throws(PatchError) in body(&entry) }
    }
}
