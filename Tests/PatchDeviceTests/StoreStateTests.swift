import PatchCrypto
import PatchDevice
import PatchRunner
import TestSupport
import Testing

/// The state machine of a store, compared with a model of it over random sequences of events.
@Suite(.ownThreads) struct StoreStateTests {
    /// The rules in the fewest words: what each version of each patch is, and how often launches with it failed.
    ///
    /// It is written from docs/running-patches.md, and shares no code with the store.
    private struct Model {
        /// By id and version: downloaded, trial, suspect, good; banned ones stay here.
        var stages: [String: [Int: String]] = [:]
        var failures: [String: Int] = [:]
        var began: Set<String> = []
        var late: Set<String> = []
        var broken: Set<String> = []
        var end: String?
        var launchWasSafe = false
        var isSafe = false
        var isEnabled = true
        var crashes = 0

        static func key(_ id: String, _ version: Int) -> String { "\(id) \(version)" }

        func stage(_ key: String) -> String? {
            let parts = key.split(separator: " ")
            return stages[String(parts[0])]?[Int(parts[1]) ?? 0]
        }

        mutating func set(_ key: String, _ stage: String?) {
            let parts = key.split(separator: " ")
            stages[String(parts[0]), default: [:]][Int(parts[1]) ?? 0] = stage
        }

        var keys: [String] { stages.flatMap { id, versions in versions.keys.map { Self.key(id, $0) } } }

        func isOnTrial(_ key: String) -> Bool { ["downloaded", "trial", "suspect"].contains(stage(key) ?? "") }

        mutating func ban(_ key: String) {
            set(key, "banned")
            isSafe = false
        }

        mutating func judge() {
            switch end {
            case "confirmed":
                crashes = 0
                for key in began where !broken.contains(key) { failures[key] = 0 }
            case "unknown" where launchWasSafe: (isSafe, crashes) = (false, 0)
            case "unknown":
                let tried = began.union(late).subtracting(broken).filter(isOnTrial)
                if tried.isEmpty {
                    crashes += began.isEmpty ? 0 : 1
                    if crashes == 3 { (isSafe, crashes) = (true, 0) }
                } else if tried.count == 1, let key = tried.first {
                    failures[key, default: 0] += 1
                    if stage(key) == "suspect" || failures[key] == 2 { ban(key) }
                } else {
                    for key in tried {
                        failures[key, default: 0] += 1
                        if failures[key] == 2, stage(key) != "suspect" {
                            set(key, "suspect")
                            failures[key] = 0
                        }
                    }
                }
            default: break
            }
        }

        mutating func launch() {
            let wasHealthy = end == "confirmed"
            judge()
            (began, late, broken, end, launchWasSafe) = ([], [], [], "unknown", isSafe)
            guard isEnabled, !isSafe else { return }
            for (id, versions) in stages {
                let runnable = versions.filter { ["downloaded", "trial", "good"].contains($0.value) }.keys.max()
                if let runnable { began.insert(Self.key(id, runnable)) }
            }
            if wasHealthy, began.allSatisfy({ stage($0) == "good" }) {
                let suspects = keys.filter { stage($0) == "suspect" }.sorted {
                    let (left, right) = ($0.split(separator: " "), $1.split(separator: " "))
                    return left[0] == right[0] ? Int(left[1]) ?? 0 > Int(right[1]) ?? 0 : left[0] < right[0]
                }
                if let key = suspects.first {
                    began = began.filter { $0.split(separator: " ")[0] != key.split(separator: " ")[0] }
                    began.insert(key)
                }
            }
            for key in began where stage(key) == "downloaded" { set(key, "trial") }
        }

        mutating func confirm() {
            guard let end, end != "confirmed" else { return }
            (self.end, crashes) = ("confirmed", 0)
            for key in began.subtracting(broken) where isOnTrial(key) && failures[key] ?? 0 == 0 {
                set(key, "good")
                let parts = key.split(separator: " ")
                let (id, version) = (String(parts[0]), Int(parts[1]) ?? 0)
                for other in (stages[id] ?? [:]).keys where other < version && stages[id]?[other] != "banned" {
                    set(Self.key(id, other), nil)
                    failures[Self.key(id, other)] = nil
                }
            }
        }

        mutating func download(_ id: String, _ version: Int) {
            guard stages[id]?[version] == nil else { return }
            for key in keys where key.hasPrefix("\(id) ") && isOnTrial(key) {
                set(key, nil)
                failures[key] = nil
            }
            set(Self.key(id, version), "downloaded")
            isSafe = false
        }

        mutating func remove(_ key: String) {
            guard let stage = stage(key), stage != "banned" else { return }
            set(key, nil)
            failures[key] = nil
            isSafe = false
        }

        mutating func breakerOpens(_ key: String) {
            guard let stage = stage(key), stage != "banned", end != nil, broken.insert(key).inserted else { return }
            failures[key, default: 0] += 1
            if failures[key] == 2 { ban(key) }
        }
    }

    private static func hash(_ id: String, _ version: Int) -> String {
        let digits = String(version, radix: 16)
        return id + String(repeating: "0", count: 63 - digits.count) + digits
    }

    private static func patch(_ id: String, _ version: Int) -> PatchID { PatchID(id: id, version: version) }

    /// A hundred thousand events in sequences of two hundred, on three patches of a few versions each.
    @Test func agreesWithItsModel() throws {
        var random = SystemRandomNumberGenerator()
        let version = try #require(AppVersion("1.0"))
        let limits = StoreLimits()
        for sequence in 0..<(testsMayBeLong && !isSanitized ? 500 : 60) {
            var state = StoreState(app: "a", appVersion: version, installation: "i")
            var model = Model()
            var history: [String] = []
            for _ in 0..<200 {
                let id = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let number = Int.random(in: 1...5, using: &random)
                let key = Model.key(id, number)
                let event = Int.random(in: 0..<100, using: &random)
                switch event {
                case ..<35:
                    history.append("launch")
                    _ = state.begin(version, limits: limits, at: nil)
                    model.launch()
                case ..<55:
                    history.append("confirm")
                    _ = state.confirm()
                    model.confirm()
                case ..<62:
                    history.append("end")
                    state.end()
                    if model.end == "unknown" { model.end = "ended" }
                case ..<78:
                    history.append("download \(key)")
                    state.add(Self.patch(id, number), hash: Self.hash(id, number))
                    model.download(id, number)
                case ..<84:
                    history.append("remove \(key)")
                    state.remove(Self.hash(id, number))
                    model.remove(key)
                case ..<86:
                    history.append("resume")
                    state.resume()
                    if model.end == "ended" { model.end = "unknown" }
                case ..<88:
                    history.append("left out \(key)")
                    state.leaveOut(Self.hash(id, number))
                    model.began.remove(key)
                    model.late.remove(key)
                    if model.stage(key) == "trial" { model.set(key, "downloaded") }
                case ..<93:
                    history.append("breaker \(key)")
                    _ = state.fail(Self.patch(id, number), "b", limits: limits, at: nil)
                    model.breakerOpens(key)
                case ..<96:
                    guard state.held.contains(where: { $0.patch == Self.patch(id, number) }) else { continue }
                    history.append("activate \(key)")
                    _ = state.activate(Self.hash(id, number))
                    if model.stage(key) == "downloaded" { model.set(key, "trial") }
                    if let end = model.end, end != "confirmed" { model.late.insert(key) }
                default:
                    history.append("switch")
                    state.isEnabled.toggle()
                    model.isEnabled.toggle()
                }
                let held = Dictionary(
                    uniqueKeysWithValues: state.held.map { (Model.key($0.patch.id, $0.patch.version), $0) })
                let expected = model.keys.filter { model.stage($0) != "banned" }
                try #require(
                    Set(held.keys) == Set(expected)
                        && held.allSatisfy { key, held in
                            held.stage.rawValue == model.stage(key) && held.failures == model.failures[key] ?? 0
                        }
                        && Set(state.bans.map { Model.key($0.patch.id, $0.patch.version) })
                            == Set(model.keys.filter { model.stage($0) == "banned" })
                        && state.isSafe == model.isSafe && state.failures == model.crashes
                        && Set(state.launch?.patches ?? []).count == model.began.count,
                    "sequence \(sequence): \(history.suffix(40).joined(separator: ", ")): \(state) \(model)")
                // What holds whatever the rules are.
                let banned = Set(state.bans.map(\.hash))
                #expect(state.held.allSatisfy { !banned.contains($0.hash) })
                #expect(Set(state.runnable.map(\.patch.id)).count == state.runnable.count)
            }
        }
    }

    /// A file in which two patches have the same envelope, and so its hash, or that is in another order, does not make two versions
    /// of one patch run.
    @Test func anEnvelopeIsOfOnePatch() throws {
        func held(_ id: String, _ version: Int, _ hash: Character, _ stage: String) -> String {
            let hash = String(repeating: hash, count: 64)
            return #"{"id":"\#(id)","version":\#(version),"hash":"\#(hash)","stage":"\#(stage)","failures":0}"#
        }
        let all = [
            held("a", 3, "1", "trial"), held("b", 3, "1", "trial"), held("b", 1, "3", "good"),
            held("a", 1, "2", "good"),
        ]
        let text = """
            {"schema":"patchpack.store/1","app":"a","appVersion":"1.0.0","installation":"i",
            "held":[\(all.joined(separator: ","))],"launch":{"patches":["\(String(repeating: "1", count: 64))"]}}
            """
        var state = try #require(StoreState(try JSONValue(parsing: Array(text.utf8))))
        #expect(state.held.map { "\($0.patch.id) \($0.patch.version)" } == ["a 3", "a 1", "b 1"])
        _ = state.begin(state.appVersion, limits: StoreLimits(), at: nil)
        #expect(Set(state.runnable.map(\.patch.id)).count == state.runnable.count)
    }

    @Test func anyLimitIsTaken() throws {
        let version = try #require(AppVersion("1.0"))
        for number in [Int.min, -1, 0, 1, Int.max] {
            var limits = StoreLimits()
            limits.trialFailures = number
            limits.failures = number
            var state = StoreState(app: "a", appVersion: version, installation: "i")
            state.add(Self.patch("a", 1), hash: Self.hash("a", 1))
            for _ in 0..<10 { _ = state.begin(version, limits: limits, at: nil) }
            #expect(state.held.isEmpty == (number <= 1), "\(number)")
        }
    }
}
