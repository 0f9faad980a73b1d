import FeedTestSupport
import PatchDevice
import PatchTesting

/// What a version of a patch really does, which no device and no operator knows, and what hosts have had of it.
struct Truth {
    enum Fault: Hashable {
        case none, crashesInLoad, failsInLoad, fails, loops
        /// The app crashes at this call of it in a process.
        case crashes(atCall: Int)
        /// The app crashes if another patch answers too.
        case crashesWithOthers
    }

    let patch: PatchID, fault: Fault
    /// Whether its script gives an `otherwise`.
    let hasOtherwise: Bool
    private let range: String
    /// The hosts on which it has failed, also in shadow, and those that have rolled it back.
    var failing: Set<String> = [], rolledBack: Set<String> = []
    /// When it has failed, and its calls, in processes that have ended in an orderly way; and all calls.
    var failures: [Int] = [], written = 0, calls = 0

    /// Two patches of one function, and one that closes a hole.
    static let ids = ["a", "b", "guard"].map { "com.example.shop.\($0)" }
    private static let ranges = ["*", "*", "*", "*", "<1.1", ">=1.1", ">=1.1 <1.2"]
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
    /// Whether its function returns if it is called, unless the app crashes.
    var answers: Bool { fault != .fails && fault != .loops }
    /// Whether it is a guard that always answers, if only with its `otherwise`.
    var closesHole: Bool { hasOtherwise && fault != .crashesInLoad && fault != .failsInLoad }

    func isMeant(for version: AppVersion) -> Bool { VersionRange(range)?.contains(version) ?? false }

    /// The script. What it returns tells which versions have answered.
    var source: String {
        let head = [.crashesInLoad: "log.info('crash')", .failsInLoad: "error('wrong')"][fault] ?? ""
        let body = [.fails: "error('wrong')", .loops: "while true do end"][fault] ?? ""
        let function = isGuard ? "Shop.check" : "Shop.price"
        let number = patch.version * 4 + (Self.ids.firstIndex(of: patch.id) ?? 0)
        let otherwise = hasOtherwise ? ", {otherwise = \(1000 + number + 1)}" : ""
        return """
            -- @patch \(patch.id)
            -- @version \(patch.version)
            -- @app \(FeedFixture.app) \(range)
            -- @replaces \(function)
            \(head)
            patch.replace('\(function)', function(original, x)
              \(body)
              do return \(isGuard ? "1" : "original(x)") * 1000 + \(number) end
            end\(otherwise))
            """
    }

    /// The versions that an answer is of, the lowest layer first, and whether it is their `otherwise`.
    static func layers(of answer: Int) -> [(patch: PatchID, isOtherwise: Bool)] {
        guard answer >= 1000 else { return [] }
        let patch = PatchID(id: ids[min(2, answer % 4)], version: answer % 1000 / 4)
        return layers(of: answer / 1000) + [(patch, answer % 4 == 3)]
    }
}

/// The keys of a world. They are made once, because no behaviour depends on them.
enum Keys {
    static let root = make { try SigningKey.generate(.ed25519) }
    static let release = make { try (0..<2).map { _ in try SigningKey.generate(.ed25519) } }
    static let online = make { try (0..<3).map { _ in try SigningKey.generate(.ed25519) } }
    /// What packs the envelopes, and what verifies them.
    static let feed = make { try TestFeed(app: FeedFixture.app) { FeedFixture.now } }
    static let trust = PatchTrust(feed.trust, scriptKeys: feed.scriptKey)

    private static func make<Value>(_ body: () throws -> Value) -> Value {
        do { return try body() } catch { fatalError("\(error)") }
    }
}
