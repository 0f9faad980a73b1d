import PatchCrypto
import PatchDevice
import PatchRunner
import TestSupport
import Testing

/// The state machine of a store, compared with a model of it over random sequences of events.
@Suite(.ownThreads) struct StoreStateTests {
    /// The rules in their shortest form: the stage of each version of each patch, and how often launches with it failed.
    ///
    /// It is written from docs/device.md, and shares no code with the store.
    private struct Model {
        /// By id and version: downloaded, trial, suspect or good. Banned versions stay here.
        var stages: [String: [Int: String]] = [:]
        var failures: [String: Int] = [:]
        var off: Set<String> = []
        var couldNotRun: Set<String> = []
        var unproven: Set<String> = []
        var began: Set<String> = []
        var late: Set<String> = []
        var broken: Set<String> = []
        var hasLaunch = false
        var isConfirmed = false
        var isWatched = false
        var isPast = false
        var isRetry = false
        var leftOut = false
        var mayRetry = false
        var hasConfirmed = false
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
            if stage != "good" { off.remove(key) }
            if stage != "good" { unproven.remove(key) }
            if [nil, "banned"].contains(stage) { couldNotRun.remove(key) }
        }

        var keys: [String] { stages.flatMap { id, versions in versions.keys.map { Self.key(id, $0) } } }

        func isOnTrial(_ key: String) -> Bool { ["downloaded", "trial", "suspect"].contains(stage(key) ?? "") }

        func blamable() -> Set<String> {
            let may: Set<String> = isPast ? [] : began.filter { !isConfirmed || isOnTrial($0) || unproven.contains($0) }
            return may.union(late).subtracting(broken).filter { !["banned", nil].contains(stage($0)) }
        }

        /// Ends the watch if no crash would count.
        mutating func settle() {
            if isConfirmed || isPast, blamable().isEmpty { isWatched = false }
        }

        mutating func judge() {
            guard hasLaunch else { return }
            let hasPassed = !isWatched || isPast
            if isConfirmed, hasPassed { prove() } else if isRetry { mayRetry = hasPassed }
            if isConfirmed, !isWatched { for key in late.subtracting(broken) { failures[key] = 0 } }
            couldNotRun.subtract(began.union(late))
            guard isWatched else { return }
            let ran = blamable()
            let (alsoRan, wasTried) = (unproven.intersection(ran), ran.filter(isOnTrial))
            if ran.contains(where: isOnTrial) {
                for key in alsoRan {
                    failures[key, default: 0] += 1
                    guard failures[key] ?? 0 > 2 else { continue }
                    set(key, "suspect")
                    failures[key] = 0
                }
            } else {
                for key in alsoRan { set(key, "trial") }
            }
            let tried = wasTried.isEmpty ? alsoRan : wasTried
            if tried.isEmpty {
                guard !isRetry, !isConfirmed || !ran.isEmpty else { return }
                if ran.isEmpty {
                    if leftOut { (off, crashes) = ([], 0) }
                    return
                }
                crashes += 1
                if crashes == 3 {
                    off.formUnion(ran.filter { stage($0) == "good" })
                    (crashes, mayRetry) = (0, false)
                }
            } else if tried.count == 1, let key = tried.first,
                alsoRan.isSubset(of: tried) || stage(key) == "suspect"
            {
                failures[key, default: 0] += 1
                guard stage(key) == "suspect" || failures[key] ?? 0 >= 2 else { return }
                set(key, hasConfirmed ? "banned" : "suspect")
            } else {
                for key in tried {
                    failures[key, default: 0] += 1
                    if failures[key] ?? 0 >= 2, stage(key) != "suspect" {
                        set(key, "suspect")
                        failures[key] = 0
                    }
                }
            }
        }

        mutating func prove() {
            crashes = 0
            unproven.subtract(began.subtracting(broken))
            if isRetry { off.subtract(began) }
            let cleared = began.subtracting(broken).filter { stage($0) == "suspect" && failures[$0] ?? 0 == 0 }
            for key in cleared { set(key, "good") }
            if isRetry || !cleared.isEmpty { mayRetry = !off.isEmpty }
            for key in began.subtracting(broken) { failures[key] = 0 }
        }

        mutating func dropOldVersions() {
            for (id, versions) in stages {
                let proven = versions.filter { $0.value == "good" && !unproven.contains(Self.key(id, $0.key)) }.keys
                    .max()
                for version in versions.keys where version < proven ?? 0 && versions[version] != "banned" {
                    set(Self.key(id, version), nil)
                    failures[Self.key(id, version)] = nil
                }
            }
            for (id, versions) in stages {
                for version in versions.keys.filter({ isOnTrial(Self.key(id, $0)) }).sorted().dropLast() {
                    set(Self.key(id, version), nil)
                    failures[Self.key(id, version)] = nil
                }
            }
        }

        private func highest(_ mayRun: (String) -> Bool) -> Set<String> {
            Set(
                stages.compactMap { id, versions in
                    versions.keys.sorted(by: >).map { Self.key(id, $0) }.first(where: mayRun)
                })
        }

        mutating func launch() {
            let wasHealthy = hasLaunch && isConfirmed && !isWatched
            judge()
            dropOldVersions()
            (hasLaunch, isConfirmed, isWatched, isRetry) = (true, false, true, false)
            (began, late, broken, leftOut, isPast) = ([], [], [], false, false)
            guard isEnabled else { return }
            began = highest {
                let isNew = stage($0) == "downloaded" || unproven.contains($0)
                return ["downloaded", "trial", "good"].contains(stage($0)) && !off.contains($0)
                    && (!isNew || crashes == 0)
            }
            let isGood = began.allSatisfy { stage($0) == "good" && !unproven.contains($0) }
            if began.allSatisfy({ stage($0) == "good" && !unproven.contains($0) || couldNotRun.contains($0) }) {
                let suspects = keys.filter { stage($0) == "suspect" }.sorted {
                    let (left, right) = ($0.split(separator: " "), $1.split(separator: " "))
                    return left[0] == right[0] ? Int(left[1]) ?? 0 > Int(right[1]) ?? 0 : left[0] < right[0]
                }
                if wasHealthy,
                    let key = suspects.first(where: { !couldNotRun.contains($0) }) ?? (isGood ? suspects.first : nil)
                {
                    let id = key.split(separator: " ")[0]
                    began = highest { stage($0) == "good" && !unproven.contains($0) && !off.contains($0) }.filter {
                        $0.split(separator: " ")[0] != id
                    }
                    began.insert(key)
                } else if mayRetry, !off.isEmpty, isGood || !off.isSubset(of: couldNotRun) {
                    began = highest { stage($0) == "good" && !unproven.contains($0) }
                    (isRetry, mayRetry) = (true, false)
                }
            }
            leftOut = !off.isEmpty && !isRetry
            for key in began where stage(key) == "downloaded" { set(key, "trial") }
        }

        mutating func confirm() {
            guard hasLaunch else { return }
            guard !isConfirmed else { return promote(late.subtracting(broken)) }
            isConfirmed = true
            promote(began.subtracting(broken))
            if blamable().isEmpty { (isWatched, _) = (false, prove()) }
            if !hasConfirmed {
                hasConfirmed = true
                for key in keys where stage(key) == "suspect" && failures[key] ?? 0 >= 2 && !began.contains(key) {
                    set(key, "banned")
                    late.remove(key)
                    settle()
                }
            }
        }

        mutating func promote(_ keys: Set<String>) {
            var good: [String: Int] = [:]
            for key in keys where ["downloaded", "trial"].contains(stage(key)) && failures[key] ?? 0 == 0 {
                let parts = key.split(separator: " ")
                good[String(parts[0])] = max(good[String(parts[0])] ?? 0, Int(parts[1]) ?? 0)
            }
            for (id, version) in good {
                set(Self.key(id, version), "good")
                for other in (stages[id] ?? [:]).keys where other < version {
                    let key = Self.key(id, other)
                    guard isOnTrial(key) || unproven.contains(key) else { continue }
                    set(key, nil)
                    failures[key] = nil
                }
                unproven.insert(Self.key(id, version))
                mayRetry = !off.isEmpty
            }
        }

        mutating func pass(_ began: Bool, _ ended: Set<String>) {
            guard hasLaunch else { return }
            let passed = ended.intersection(late).subtracting(broken)
            late.subtract(ended)
            isPast = began
            defer { settle() }
            guard isConfirmed else { return }
            if began { prove() }
            promote(passed)
            for key in passed { failures[key] = 0 }
        }

        mutating func download(_ id: String, _ version: Int, running: Set<String>) {
            guard stages[id]?[version] == nil else { return }
            for key in keys
            where key.hasPrefix("\(id) ") && isOnTrial(key) && !running.contains(key) {
                set(key, nil)
                failures[key] = nil
            }
            set(Self.key(id, version), "downloaded")
        }

        mutating func remove(_ key: String) {
            guard let stage = stage(key), stage != "banned" else { return }
            set(key, nil)
            began.remove(key)
            late.remove(key)
            failures[key] = nil
            settle()
            if stage == "good" { mayRetry = !off.isEmpty }
        }

        mutating func breakerOpens(_ key: String) {
            guard let old = stage(key), old != "banned", hasLaunch, broken.insert(key).inserted else { return }
            failures[key, default: 0] += 1
            settle()
            guard failures[key] ?? 0 >= 2 else { return }
            set(key, "banned")
            began.remove(key)
            late.remove(key)
            settle()
            if old == "good" { mayRetry = !off.isEmpty }
        }

        mutating func exclude(_ key: String) {
            began.remove(key)
            late.remove(key)
            if stage(key) == "trial" { set(key, "downloaded") }
            if let stage = stage(key), stage != "banned" { couldNotRun.insert(key) }
            if hasLaunch { settle() }
        }

        mutating func activate(_ key: String, isDue: Bool) {
            if stage(key) == "downloaded" { set(key, "trial") }
            couldNotRun.remove(key)
            for other in keys where other != key && other.split(separator: " ")[0] == key.split(separator: " ")[0] {
                guard isOnTrial(other) || unproven.contains(other) else { continue }
                began.remove(other)
                late.remove(other)
            }
            guard hasLaunch, isPast || !began.contains(key) else { return }
            if isDue, !isPast, !isConfirmed || stage(key) == "good" && !unproven.contains(key) {
                began.insert(key)
            } else {
                late.insert(key)
                isWatched = isWatched || !(isConfirmed || isPast) || !blamable().isEmpty
            }
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
        let limits = CrashLimits()
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
                    _ = state.confirm(limits: limits, at: nil)
                    model.confirm()
                case ..<62:
                    history.append("end")
                    state.end()
                    if model.hasLaunch { model.isWatched = false }
                case ..<78:
                    // The running patches are some of those that the launch began with, or that were activated later.
                    let held = state.held.filter { _ in Bool.random(using: &random) }
                    history.append("download \(key) while these run: \(held.map(\.patch))")
                    state.add([(Self.patch(id, number), Self.hash(id, number))], running: Set(held.map(\.hash)))
                    model.download(
                        id, number, running: Set(held.map { Model.key($0.patch.id, $0.patch.version) }))
                case ..<84:
                    history.append("remove \(key)")
                    state.remove(Self.hash(id, number))
                    model.remove(key)
                case ..<86:
                    history.append("resume")
                    state.resume()
                    if model.hasLaunch {
                        model.isWatched = true
                        model.settle()
                    }
                case ..<90:
                    let began = state.launch?.isPast == true || Bool.random(using: &random)
                    let late = model.late.filter { _ in Bool.random(using: &random) }
                    history.append("pass \(began) \(late)")
                    let hashes = late.map { key in
                        let parts = key.split(separator: " ")
                        return Self.hash(String(parts[0]), Int(parts[1]) ?? 0)
                    }
                    _ = state.pass(began: began, late: Set(hashes))
                    model.pass(began, late)
                case ..<91:
                    history.append("left out \(key)")
                    state.exclude(Self.hash(id, number))
                    model.exclude(key)
                case ..<93:
                    history.append("breaker \(key)")
                    _ = state.fail(Self.patch(id, number), "b", limits: limits, at: nil)
                    model.breakerOpens(key)
                case ..<96:
                    guard state.held.contains(where: { $0.patch == Self.patch(id, number) }) else { continue }
                    let isDue = Bool.random(using: &random)
                    history.append("activate \(key)\(isDue ? ", which was due" : "")")
                    _ = state.activate(Self.hash(id, number), isDue: isDue)
                    model.activate(key, isDue: isDue)
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
                        && Set(state.held.filter(\.isUnproven).map { Model.key($0.patch.id, $0.patch.version) })
                            == model.unproven
                        && Set(state.held.filter(\.isSuspended).map { Model.key($0.patch.id, $0.patch.version) })
                            == model.off
                        && state.failures == model.crashes && state.hasConfirmed == model.hasConfirmed
                        && state.launch?.isWatched ?? false == model.isWatched
                        && Set(state.launch?.patches ?? []).count == model.began.count,
                    "sequence \(sequence): \(history.suffix(40).joined(separator: ", ")): \(state) \(model)")
                // The conditions that hold whatever the rules are.
                let banned = Set(state.bans.map(\.hash))
                #expect(state.held.allSatisfy { !banned.contains($0.hash) })
                #expect(Set(state.runnable.map(\.patch.id)).count == state.runnable.count)
            }
        }
    }

    /// A file with the same envelope, and so the same hash, for two patches, or with another order, does not make two versions of
    /// one patch run.
    /// An app that confirms no launch is reported once. Its first confirmation ends the count.
    @Test func launchesBeforeTheFirstConfirmationAreCounted() throws {
        let version = try #require(AppVersion("1.0"))
        var state = StoreState(app: "a", appVersion: version, installation: "i")
        state.add([(Self.patch("a", 1), Self.hash("a", 1))])
        var reported: [Int] = []
        var counts: [Int] = []
        for _ in 0..<6 {
            for case .neverConfirmed(let launches) in state.begin(version, limits: CrashLimits(), at: nil) {
                reported.append(launches)
            }
            counts.append(state.unconfirmed)
            state.end()
        }
        #expect(reported == [3] && counts == [0, 1, 2, 3, 3, 3])
        _ = state.begin(version, limits: CrashLimits(), at: nil)
        _ = state.confirm(limits: CrashLimits(), at: nil)
        #expect(state.unconfirmed == 0)
    }

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
        _ = state.begin(state.appVersion, limits: CrashLimits(), at: nil)
        #expect(Set(state.runnable.map(\.patch.id)).count == state.runnable.count)
    }

    @Test func anyLimitIsTaken() throws {
        let version = try #require(AppVersion("1.0"))
        for number in [Int.min, -1, 0, 1, Int.max] {
            var limits = CrashLimits()
            limits.trialFailures = number
            limits.failures = number
            var state = StoreState(app: "a", appVersion: version, installation: "i")
            _ = state.begin(version, limits: limits, at: nil)
            _ = state.confirm(limits: limits, at: nil)
            state.add([(Self.patch("a", 1), Self.hash("a", 1))])
            for _ in 0..<10 { _ = state.begin(version, limits: limits, at: nil) }
            #expect(state.held.isEmpty == (number <= 1), "\(number)")
        }
    }
}
