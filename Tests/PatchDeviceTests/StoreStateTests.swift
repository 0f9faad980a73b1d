import PatchCrypto
import PatchDevice
import PatchRunner
import TestSupport
import Testing

/// The state machine of a store, compared with a model of it over random sequences of events.
@Suite(.ownThreads) struct StoreStateTests {
    /// The rules in their shortest form: the stage of each version of each patch, and how often launches with it
    /// failed.
    ///
    /// It is written from docs/device.md and Tests/README.md, and shares no code with the store.
    private struct Model {
        /// By id and version: downloaded, trial, suspect, closed or good. Banned versions stay here.
        var stages: [String: [Int: String]] = [:]
        var failures: [String: Int] = [:]
        /// The good ones that are left out: safe mode.
        var off: Set<String> = []
        var couldNotRun: Set<String> = []
        /// The good ones whose watch has not ended well yet.
        var unproven: Set<String> = []
        /// What the launch began with, what came later and is watched, and what has failed too often in it.
        var began: Set<String> = []
        var late: Set<String> = []
        var broken: Set<String> = []
        var hasLaunch = false
        var isConfirmed = false
        var isWatched = false
        /// Whether the watch of what the launch began with is over.
        var isPast = false
        /// Whether the ones that are off are tried again in this launch, were left out of it, and may be tried again.
        var isRetry = false
        var leftOut = false
        var mayRetry = false
        var hasConfirmed = false
        var isEnabled = true
        /// How many launches in a row failed with good ones only.
        var crashes = 0
        var protective: Set<String> = []
        var loading: Set<String> = []
        var loadFailures: [String: Int] = [:]
        var hasSynced = false
        /// When closed patches were closed, and for how long, in seconds.
        var closed: [String: (time: Int, pause: Int)] = [:]
        var closings: [String: Int] = [:]
        var wasGood: Set<String> = []
        /// The version of each patch that is in shadow. It is in no stage.
        var shadows: [String: Int] = [:]
        /// What counts on for versions that were dropped: a stage, and how often they failed, failed to load, and were
        /// closed.
        var dropped: [String: (stage: String, counts: [Int], wasGood: Bool)] = [:]
        var now = 1_000_000

        mutating func drop(_ key: String) {
            let stage = stage(key) == "suspect" && !isClosed(key) ? "suspect" : "downloaded"
            let counts = [isClosed(key) ? 0 : failed(key), loadFailures[key] ?? 0, closings[key] ?? 0]
            let wasGood = counts[0] > 0 && (wasGood.contains(key) || self.stage(key) == "good")
            if stage != "downloaded" || counts != [0, 0, 0] { dropped[key] = (stage, counts, wasGood) }
            set(key, nil)
            failures[key] = nil
        }

        mutating func take(_ key: String, inShadow: Bool = false) {
            let old = dropped.removeValue(forKey: key)
            if !inShadow { set(key, old?.stage ?? "downloaded") }
            guard let old else { return }
            failures[key] = old.counts[0]
            loadFailures[key] = old.counts[1]
            closings[key] = old.counts[2]
            if old.wasGood { wasGood.insert(key) }
        }

        static func key(_ id: String, _ version: Int) -> String { "\(id) \(version)" }

        static func parts(_ key: String) -> (id: String, version: Int) {
            let parts = key.split(separator: " ")
            return (String(parts[0]), Int(parts[1]) ?? 0)
        }

        func stage(_ key: String) -> String? {
            let (id, version) = Self.parts(key)
            return stages[id]?[version]
        }

        func failed(_ key: String) -> Int { failures[key] ?? 0 }

        func isProven(_ key: String) -> Bool { stage(key) == "good" && !unproven.contains(key) }

        mutating func set(_ key: String, _ stage: String?) {
            let (id, version) = Self.parts(key)
            stages[id, default: [:]][version] = stage
            if stage != "good" {
                off.remove(key)
                unproven.remove(key)
            }
            if [nil, "banned"].contains(stage) {
                couldNotRun.remove(key)
                protective.remove(key)
                wasGood.remove(key)
                loadFailures[key] = nil
                closed[key] = nil
                closings[key] = nil
            }
        }

        func isClosed(_ key: String) -> Bool {
            stage(key) == "closed" || (stage(key) == "suspect" && protective.contains(key))
        }

        /// The next try is after ten minutes, then twenty, and at most a day.
        mutating func setAside(_ key: String) {
            failures[key] = 0
            wasGood.remove(key)
            guard protective.contains(key) else { return set(key, "suspect") }
            set(key, "closed")
            closings[key, default: 0] += 1
            closed[key] = (now, (1..<(closings[key] ?? 1)).reduce(600) { pause, _ in min(pause * 2, 86_400) })
        }

        func isDue(_ key: String) -> Bool {
            guard stage(key) == "closed", let (time, pause) = closed[key] else {
                return ["suspect", "closed"].contains(stage(key))
            }
            return now < time || now >= time + pause
        }

        func closedToBlame() -> Set<String> {
            hasSynced ? [] : (isPast ? [] : began).union(late).filter { stage($0) == "closed" }
        }

        mutating func sync() {
            let keys = keys.filter { stage($0) == "closed" }
            guard !keys.isEmpty else { return }
            for key in keys { failures[key] = 0 }
            guard hasLaunch else { return }
            hasSynced = true
            settle()
        }

        mutating func beginLoading(_ key: String) {
            let isShadow = isShadow(key)
            guard hasLaunch, isShadow || (protective.contains(key) && stage(key) != "good") else { return }
            loading.insert(key)
            isWatched = true
        }

        func isShadow(_ key: String) -> Bool { shadows.map(Self.key).contains(key) }

        /// The patches whose scripts are loading, and that are still held.
        func loadingNow() -> Set<String> { loading.filter { isShadow($0) || ![nil, "banned"].contains(stage($0)) } }

        mutating func endLoading(_ key: String, _ isProtective: Bool) {
            loading.remove(key)
            defer { if hasLaunch { settle() } }
            if isShadow(key) {
                loadFailures[key] = 0
                return
            }
            guard let stage = stage(key), stage != "banned" else { return }
            loadFailures[key] = 0
            if isProtective { protective.insert(key) } else { protective.remove(key) }
        }

        var keys: [String] { stages.flatMap { id, versions in versions.keys.map { Self.key(id, $0) } } }

        func isOnTrial(_ key: String) -> Bool { ["downloaded", "trial", "suspect"].contains(stage(key) ?? "") }

        func blamable() -> Set<String> {
            let may: Set<String> = isPast ? [] : began.filter { !isConfirmed || isOnTrial($0) || unproven.contains($0) }
            return may.union(late).subtracting(broken).filter { !["banned", "closed", nil].contains(stage($0)) }
        }

        /// The patches in shadow that were called in this launch.
        func called() -> Set<String> { late.intersection(shadows.map(Self.key)) }

        func mayBlame() -> Bool {
            !blamable().isEmpty || !closedToBlame().isEmpty || !called().isEmpty || !loadingNow().isEmpty
        }

        mutating func call(_ key: String) {
            guard hasLaunch, shadows.map(Self.key).contains(key), late.insert(key).inserted else { return }
            isWatched = true
        }

        /// Ends a shadow.
        mutating func endShadow(_ id: String) {
            guard let key = shadows.removeValue(forKey: id).map({ Self.key(id, $0) }) else { return }
            drop(key)
            began.remove(key)
            late.remove(key)
            if hasLaunch { settle() }
        }

        /// Ends the watch if no crash would count.
        mutating func settle() {
            if isConfirmed || isPast, !mayBlame() { isWatched = false }
        }

        mutating func judge() {
            guard hasLaunch else { return }
            let hasPassed = !isWatched || isPast
            if isConfirmed, hasPassed { prove() } else if isRetry { mayRetry = hasPassed }
            if isConfirmed, !isWatched { for key in late.subtracting(broken) { failures[key] = 0 } }
            couldNotRun.subtract(began.union(late))
            guard isWatched else { return }
            let loaded = loadingNow()
            for key in loaded {
                loadFailures[key, default: 0] += 1
                guard (loadFailures[key] ?? 0) >= 2 else { continue }
                if isShadow(key) { endShadow(Self.parts(key).id) }
                set(key, "banned")
            }
            guard loaded.isEmpty else { return }
            let ran = blamable()
            let called = called()
            let shut = closedToBlame().sorted()
            if ran.isEmpty, called.isEmpty, !shut.isEmpty {
                for key in shut { failures[key, default: 0] += 1 }
                let most = shut.map { failed($0) }.max() ?? 0
                if most >= 3, let key = shut.first(where: { failed($0) == most }) { set(key, "banned") }
                return
            }
            for key in called {
                failures[key, default: 0] += 1
                guard failed(key) >= 2 else { continue }
                shadows[Self.parts(key).id] = nil
                failures[key] = nil
                set(key, "banned")
            }
            let alsoRan = unproven.intersection(ran)
            let wasTried = ran.filter(isOnTrial)
            if ran.contains(where: isOnTrial) || !called.isEmpty {
                for key in alsoRan {
                    failures[key, default: 0] += 1
                    guard failed(key) > 2 else { continue }
                    setAside(key)
                }
            } else {
                for key in alsoRan { set(key, "trial") }
                wasGood.formUnion(alsoRan)
            }
            guard called.isEmpty || !wasTried.isEmpty else { return }
            let tried = wasTried.isEmpty ? alsoRan : wasTried
            if tried.isEmpty {
                guard !isRetry, !isConfirmed || !ran.isEmpty else { return }
                if ran.isEmpty {
                    if leftOut {
                        off = []
                        crashes = 0
                    }
                    return
                }
                crashes += 1
                if crashes == 3 {
                    for key in ran where stage(key) == "good" {
                        if protective.contains(key) { setAside(key) } else { off.insert(key) }
                    }
                    crashes = 0
                    mayRetry = false
                }
            } else if tried.count == 1, called.isEmpty, let key = tried.first,
                alsoRan.isSubset(of: tried) || stage(key) == "suspect"
            {
                failures[key, default: 0] += 1
                guard stage(key) == "suspect" || failed(key) >= 2 else { return }
                if protective.contains(key) { setAside(key) } else { set(key, hasConfirmed ? "banned" : "suspect") }
            } else {
                for key in tried {
                    failures[key, default: 0] += 1
                    if failed(key) >= 2, stage(key) != "suspect" { setAside(key) }
                }
            }
        }

        mutating func prove() {
            crashes = 0
            unproven.subtract(began.subtracting(broken))
            for key in began.subtracting(broken) where stage(key) != "closed" { closings[key] = nil }
            if isRetry { off.subtract(began) }
            let cleared = began.subtracting(broken).filter {
                (stage($0) == "suspect" && failed($0) == 0) || stage($0) == "trial"
            }
            for key in cleared { set(key, "good") }
            wasGood.subtract(cleared)
            if isRetry || !cleared.isEmpty { mayRetry = !off.isEmpty }
            for key in began.subtracting(broken) { failures[key] = 0 }
        }

        mutating func dropOldVersions() {
            for (id, versions) in stages {
                let proven = versions.keys.filter { isProven(Self.key(id, $0)) }.max() ?? 0
                for version in versions.keys where version < proven && versions[version] != "banned" {
                    drop(Self.key(id, version))
                }
            }
            for (id, versions) in stages {
                let shut = versions.keys.filter { isClosed(Self.key(id, $0)) }
                let tried = versions.keys.filter { isOnTrial(Self.key(id, $0)) && !isClosed(Self.key(id, $0)) }
                for version in shut.sorted().dropLast() + tried.sorted().dropLast() { drop(Self.key(id, version)) }
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
            for key in keys where stage(key) == "suspect" && isClosed(key) {
                set(key, "closed")
                failures[key] = 0
            }
            loading = []
            hasSynced = false
            hasLaunch = true
            isConfirmed = false
            isWatched = true
            isRetry = false
            began = []
            late = []
            broken = []
            leftOut = false
            isPast = false
            guard isEnabled else { return }
            began = highest {
                let isNew = stage($0) == "downloaded" || unproven.contains($0)
                return ["downloaded", "trial", "good"].contains(stage($0)) && !off.contains($0)
                    && (!isNew || crashes == 0)
            }
            let isGood = began.allSatisfy { isProven($0) }
            if began.allSatisfy({ isProven($0) || couldNotRun.contains($0) }) {
                let suspects = inOrder.filter(isDue)
                // Those that could not run are last, and have a turn only beside what has proved itself.
                let candidates = suspects.filter { !couldNotRun.contains($0) } + (isGood ? suspects : [])
                if wasHealthy, let key = candidates.first {
                    let id = Self.parts(key).id
                    began = highest { isProven($0) && !off.contains($0) }.filter { Self.parts($0).id != id }
                    began.insert(key)
                    set(key, "suspect")
                } else if mayRetry, !off.isEmpty, isGood || !off.isSubset(of: couldNotRun) {
                    began = highest { isProven($0) }
                    isRetry = true
                    mayRetry = false
                } else if wasHealthy, !isGood {
                    couldNotRun.subtract(off.union(suspects))
                }
            }
            leftOut = !off.isEmpty && !isRetry
            for key in began where stage(key) == "downloaded" { set(key, "trial") }
            for key in highest({ stage($0) == "closed" }) {
                let (id, version) = Self.parts(key)
                let isBelow = began.contains { Self.parts($0).id == id && Self.parts($0).version > version }
                if !isBelow { began.insert(key) }
            }
        }

        mutating func confirm() {
            guard hasLaunch else { return }
            guard !isConfirmed else { return promote(late.subtracting(broken)) }
            isConfirmed = true
            promote(began.subtracting(broken))
            if !mayBlame() {
                prove()
                isWatched = false
            }
            if !hasConfirmed {
                hasConfirmed = true
                for key in keys where stage(key) == "suspect" && failed(key) >= 2 && !began.contains(key) {
                    set(key, "banned")
                    late.remove(key)
                    settle()
                }
                for (key, old) in dropped where old.stage == "suspect" && old.counts[0] >= 2 {
                    dropped[key] = nil
                    set(key, "banned")
                }
            }
        }

        mutating func promote(_ keys: Set<String>, from stages: [String] = ["downloaded", "trial"]) {
            var good: [String: Int] = [:]
            for key in keys where stages.contains(stage(key) ?? "") && failed(key) == 0 {
                let (id, version) = Self.parts(key)
                good[id] = max(good[id] ?? 0, version)
            }
            for (id, version) in good {
                set(Self.key(id, version), "good")
                wasGood.remove(Self.key(id, version))
                for other in (self.stages[id] ?? [:]).keys where other < version {
                    let key = Self.key(id, other)
                    guard isOnTrial(key), !isClosed(key) else { continue }
                    drop(key)
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
            for key in passed { failures[key] = 0 }
            promote(passed, from: ["downloaded", "trial", "suspect"])
        }

        /// The patch that is tried alone now.
        func nextAlone() -> String? {
            guard isEnabled, crashes == 0, hasLaunch, isConfirmed, isPast, !isWatched else { return nil }
            return inOrder.first {
                isDue($0) && !couldNotRun.contains($0) && failed($0) == 0 && !broken.contains($0) && !isBelowRunning($0)
            }
        }

        /// Whether trying a version alone would end a higher one.
        private func isBelowRunning(_ key: String) -> Bool {
            let (id, version) = Self.parts(key)
            return (stages[id] ?? [:]).contains { other, stage in
                other > version && ["trial", "good"].contains(stage) && !couldNotRun.contains(Self.key(id, other))
            }
        }

        mutating func tryAlone(_ key: String) {
            set(key, "suspect")
            began.remove(key)
            activate(key, isDue: false)
        }

        /// By id, the highest version first.
        private var inOrder: [String] {
            keys.sorted {
                let left = Self.parts($0)
                let right = Self.parts($1)
                return left.id == right.id ? left.version > right.version : left.id < right.id
            }
        }

        mutating func download(_ id: String, _ version: Int, running: Set<String>) {
            guard stages[id]?[version] == nil else { return }
            for key in keys
            where key.hasPrefix("\(id) ") && isOnTrial(key) && !isClosed(key) && !running.contains(key) { drop(key) }
            if (shadows[id] ?? version) <= version { endShadow(id) }
            take(Self.key(id, version))
        }

        mutating func shadow(_ id: String, _ version: Int) {
            guard stages[id]?[version] != "banned", shadows[id] != version else { return }
            endShadow(id)
            remove(Self.key(id, version))
            shadows[id] = version
            take(Self.key(id, version), inShadow: true)
        }

        /// The versions that run in shadow now.
        var shadowing: Set<String> {
            let tried = late.union(isPast ? [] : began).filter { stage($0) == "suspect" }
            guard isEnabled, off.isEmpty, tried.isEmpty, !leftOut else { return [] }
            return Set(shadows.map(Self.key))
        }

        mutating func remove(_ key: String) {
            for (id, version) in shadows where Self.key(id, version) == key { endShadow(id) }
            guard let stage = stage(key), stage != "banned" else { return }
            drop(key)
            began.remove(key)
            late.remove(key)
            settle()
            if stage == "good" { mayRetry = !off.isEmpty }
        }

        mutating func breakerOpens(_ key: String) {
            guard let old = stage(key), old != "banned", hasLaunch, broken.insert(key).inserted else { return }
            failures[key, default: 0] += 1
            settle()
            guard failed(key) >= 2 else { return }
            set(key, "banned")
            began.remove(key)
            late.remove(key)
            settle()
            if old == "good" { mayRetry = !off.isEmpty }
        }

        mutating func toggle() {
            isEnabled.toggle()
            guard !isEnabled else { return }
            began = []
            late = []
            if hasLaunch { settle() }
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
            for other in keys where other != key && Self.parts(other).id == Self.parts(key).id {
                guard isOnTrial(other) || unproven.contains(other) || stage(other) == "closed", stage(key) != "closed"
                else { continue }
                began.remove(other)
                late.remove(other)
            }
            guard hasLaunch, isPast || !began.contains(key) else { return }
            if isDue, !isPast, !isConfirmed || isProven(key) {
                began.insert(key)
            } else {
                late.insert(key)
                isWatched = isWatched || !(isConfirmed || isPast) || mayBlame()
            }
        }

        /// The first part of a state that is not as the model has it; nil if there is none.
        func difference(from state: StoreState) -> String? {
            func names(_ patches: [PatchID]) -> Set<String> { Set(patches.map { Self.key($0.id, $0.version) }) }
            let banned = Set(keys.filter { stage($0) == "banned" })
            if names(state.held.map(\.patch)) != Set(keys).subtracting(banned) { return "held" }
            if names(state.bans.map(\.patch)) != banned { return "bans" }
            for held in state.held {
                let key = Self.key(held.patch.id, held.patch.version)
                if held.stage.rawValue != stage(key) { return "stage of \(key)" }
                if held.failures != failed(key) { return "failures of \(key)" }
                if held.loadFailures != (loadFailures[key] ?? 0) { return "load failures of \(key)" }
                if held.closings != (closings[key] ?? 0) { return "closings of \(key)" }
                if held.isProtective != protective.contains(key) { return "protection of \(key)" }
                if held.wasGood != wasGood.contains(key) { return "earlier stage of \(key)" }
            }
            if names(state.held.filter(\.isUnproven).map(\.patch)) != unproven { return "unproven" }
            if names(state.held.filter(\.isSuspended).map(\.patch)) != off { return "off" }
            if names(state.shadows.map(\.patch)) != Set(shadows.map(Self.key)) { return "shadows" }
            for shadow in state.shadows {
                let key = Self.key(shadow.patch.id, shadow.patch.version)
                if shadow.failures != failed(key) { return "failures of \(key) in shadow" }
                if shadow.loadFailures != (loadFailures[key] ?? 0) { return "load failures of \(key) in shadow" }
            }
            if names(state.shadowing.map(\.patch)) != shadowing { return "shadowing" }
            if state.failures != crashes { return "crashes" }
            if state.hasConfirmed != hasConfirmed { return "confirmed" }
            if (state.launch?.isWatched ?? false) != isWatched { return "watched" }
            return Set(state.launch?.patches ?? []).count == began.count ? nil : "began"
        }
    }

    private static func hash(_ id: String, _ version: Int) -> String {
        let digits = String(version, radix: 16)
        return id + String(repeating: "0", count: 63 - digits.count) + digits
    }

    private static func patch(_ id: String, _ version: Int) -> PatchID { PatchID(id: id, version: version) }

    /// Sequences of two hundred random events, on three patches of a few versions each. Long tests try a hundred
    /// thousand events.
    @Test func storeStateRandomEventsAgreesWithModel() throws {
        var random = SystemRandomNumberGenerator()
        let version = try #require(AppVersion("1.0"))
        let limits = CrashLimits()
        for sequence in 0..<(testsMayBeLong && !isSanitized ? 500 : 60) {
            var state = StoreState(app: "a", appVersion: version, installation: "i")
            var model = Model()
            var history: [String] = []
            var time: Timestamp? { Timestamp(secondsSince1970: model.now) }
            for _ in 0..<200 {
                let id = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let number = Int.random(in: 1...5, using: &random)
                let key = Model.key(id, number)
                let event = Int.random(in: 0..<128, using: &random)
                switch event {
                case ..<35:
                    history.append("launch")
                    _ = state.begin(limits: limits, at: time)
                    model.launch()
                case ..<55:
                    history.append("confirm")
                    _ = state.confirm(limits: limits, at: time)
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
                    let began = state.launch?.isFirstWatchOver == true || Bool.random(using: &random)
                    let late = model.late.filter { _ in Bool.random(using: &random) }
                    history.append("pass \(began) \(late)")
                    let hashes = late.map { key in
                        let (id, version) = Model.parts(key)
                        return Self.hash(id, version)
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
                    state.replaceTrials(by: Self.hash(id, number))
                    model.activate(key, isDue: isDue)
                case 100..<104:
                    let isProtective = Int.random(in: 0..<4, using: &random) > 0
                    history.append("loaded \(key)\(isProtective ? ", which is protective" : "")")
                    state.noteLoaded(Self.hash(id, number), isProtective: isProtective)
                    model.endLoading(key, isProtective)
                case 104..<106:
                    history.append("load \(key)")
                    state.noteLoading(Self.hash(id, number))
                    model.beginLoading(key)
                case 106..<109:
                    history.append("sync")
                    state.noteSync()
                    model.sync()
                case 109..<112:
                    model.now += [60, 600, 1200, 86_400, -600].randomElement(using: &random) ?? 0
                    history.append("the time is \(model.now)")
                case 112..<116:
                    let next = state.nextAlone(limits: limits, at: time).map {
                        Model.key($0.patch.id, $0.patch.version)
                    }
                    try #require(next == model.nextAlone(), "\(history.suffix(40)): \(state) \(model)")
                    guard let next else { continue }
                    history.append("try \(next) alone")
                    let (id, number) = Model.parts(next)
                    let hash = Self.hash(id, number)
                    _ = state.tryAlone(hash)
                    state.replaceTrials(by: hash)
                    model.tryAlone(next)
                case 116..<122:
                    history.append("shadow \(key)")
                    state.shadow([(Self.patch(id, number), Self.hash(id, number))])
                    model.shadow(id, number)
                case 122..<128:
                    guard let (id, number) = model.shadows.randomElement(using: &random) else { continue }
                    history.append("call \(id) \(number) in shadow")
                    state.noteShadowCall(Self.hash(id, number))
                    model.call(Model.key(id, number))
                default:  // 96 to 99
                    history.append("switch")
                    state.isEnabled.toggle()
                    model.toggle()
                }
                let difference = model.difference(from: state)
                try #require(
                    difference == nil,
                    "sequence \(sequence): \(history.suffix(40).joined(separator: ", ")): \(state) \(model)")
                // The conditions that hold whatever the rules are.
                let banned = Set(state.bans.map(\.hash))
                #expect(state.stored.allSatisfy { !banned.contains($0.hash) })
                #expect(Set(state.stored.map(\.hash)).count == state.stored.count)
                #expect(Set(state.runnable.map(\.patch.id)).count == state.runnable.count)
            }
            let copy = StoreState(state.json)
            #expect(copy?.held == state.held && copy?.shadows == state.shadows && copy?.bans == state.bans)
            #expect(copy?.dropped == state.dropped)
            #expect(copy?.json.encoded() == state.json.encoded())
        }
    }

    /// An app that confirms no launch is reported once. Its first confirmation ends the count.
    @Test func launchesBeforeTheFirstConfirmationAreCounted() throws {
        let version = try #require(AppVersion("1.0"))
        var state = StoreState(app: "a", appVersion: version, installation: "i")
        state.add([(Self.patch("a", 1), Self.hash("a", 1))])
        var reported: [Int] = []
        var counts: [Int] = []
        for _ in 0..<6 {
            for case .neverConfirmed(let launches) in state.begin(limits: CrashLimits(), at: nil) {
                reported.append(launches)
            }
            counts.append(state.unconfirmed)
            state.end()
        }
        #expect(reported == [3] && counts == [0, 1, 2, 3, 3, 3])
        _ = state.begin(limits: CrashLimits(), at: nil)
        _ = state.confirm(limits: CrashLimits(), at: nil)
        #expect(state.unconfirmed == 0)
    }

    @Test func launchesEndWhileAScriptLoadsBanIt() throws {
        let version = try #require(AppVersion("1.0"))
        let hash = Self.hash("a", 1)
        var state = StoreState(app: "a", appVersion: version, installation: "i")
        state.add([(Self.patch("a", 1), hash)])
        _ = state.begin(limits: CrashLimits(), at: nil)
        state.noteLoaded(hash, isProtective: true)
        for failures in 0...2 {
            #expect(state.held.map(\.loadFailures) == (failures < 2 ? [failures] : []))
            state.noteLoading(hash)
            #expect(state.launch?.loading == (failures < 2 ? [hash] : []))
            #expect(StoreState(state.json)?.launch == state.launch)
            _ = state.begin(limits: CrashLimits(), at: nil)
        }
        #expect(state.bans.map(\.reason) == ["launches ended while its script was loading"])
    }

    /// Such as one that is closed, and is tried again in a launch whose watch is over.
    @Test func loadAfterTheWatchIsWatchedAgain() throws {
        let version = try #require(AppVersion("1.0"))
        let hash = Self.hash("a", 1)
        var held = StoreState.Held(Self.patch("a", 1), hash: hash)
        held.stage = .closed
        var state = StoreState(app: "a", appVersion: version, installation: "i", held: [held])
        _ = state.begin(limits: CrashLimits(), at: nil)
        state.noteLoaded(hash, isProtective: true)
        state.noteSync()
        _ = state.confirm(limits: CrashLimits(), at: nil)
        _ = state.pass(began: true, late: [])
        #expect(state.launch?.isWatched == false)
        state.noteLoading(hash)
        #expect(state.launch?.isWatched == true)
        state.noteLoaded(hash, isProtective: true)
        #expect(state.launch?.isWatched == false)
        state.noteLoading(hash)
        _ = state.begin(limits: CrashLimits(), at: nil)
        #expect(state.held.map(\.loadFailures) == [1])
    }

    /// A version that the feed takes away and offers again may fail twice in all, and not twice each time.
    @Test(arguments: ["newer", "withdrawn", "shadow"])
    func droppedVersionOfferedAgainCountsOn(_ way: String) throws {
        let version = try #require(AppVersion("1.0"))
        let hash = Self.hash("a", 1)
        var state = StoreState(app: "a", appVersion: version, installation: "i")
        _ = state.begin(limits: CrashLimits(), at: nil)
        _ = state.confirm(limits: CrashLimits(), at: nil)
        state.add([(Self.patch("a", 1), hash)])
        for _ in 0..<2 { _ = state.begin(limits: CrashLimits(), at: nil) }
        switch way {
        case "newer":
            state.add([(Self.patch("a", 2), Self.hash("a", 2))])
            state.remove(Self.hash("a", 2))
        case "withdrawn": state.remove(hash)
        default: state.shadow([(Self.patch("a", 1), hash)])
        }
        #expect(state.held.isEmpty && (state.dropped + state.shadows).map(\.failures) == [1])
        var other = try #require(StoreState(state.json))
        state.add([(Self.patch("a", 1), hash)])
        #expect(state.held.map(\.failures) == [1] && state.dropped.isEmpty)
        for _ in 0..<2 { _ = state.begin(limits: CrashLimits(), at: nil) }
        #expect(state.bans.map(\.hash) == [hash])
        // What has failed in one version of the app has not failed in another one.
        let news = StoreState.News(states: [other], list: nil)
        other = StoreState(app: "a", appVersion: try #require(AppVersion("2.0")), installation: "i")
        other.learn(news)
        #expect(other.dropped.isEmpty && other.held.isEmpty)
    }

    /// A good version proves itself again, beside an older good one. A closed one is tried at once.
    @Test(arguments: [StoreState.Stage.good, .suspect, .closed])
    func droppedVersionOfferedAgainIsNotTrusted(_ stage: StoreState.Stage) throws {
        var held = StoreState.Held(Self.patch("a", 2), hash: Self.hash("a", 2))
        held.stage = stage
        held.isSuspended = stage == .good
        held.failures = 1
        var state = StoreState(app: "a", appVersion: try #require(AppVersion("1.0")), installation: "i", held: [held])
        state.noteLoaded(held.hash, isProtective: stage != .good)
        state.remove(held.hash)
        state.add([(held.patch, held.hash)])
        #expect(state.held.map(\.stage) == [.downloaded] && !state.isSafe)
        #expect(state.held.map(\.failures) == [stage == .good ? 1 : 0] && state.dropped.isEmpty)
        #expect(state.hashesForFollowers() == (stage == .good ? [held.hash] : []), "followers")
    }

    /// A library that does not know shadows ignores them: among the held patches, it would run them.
    @Test func storeStateShadowIsReadAgainAndNeverHeld() throws {
        let version = try #require(AppVersion("1.0"))
        var state = StoreState(app: "a", appVersion: version, installation: "i")
        state.add([(Self.patch("a", 1), Self.hash("a", 1))])
        state.shadow([(Self.patch("a", 2), Self.hash("a", 2)), (Self.patch("b", 1), Self.hash("b", 1))])
        _ = state.begin(limits: CrashLimits(), at: nil)
        state.noteShadowCall(Self.hash("b", 1))
        _ = state.begin(limits: CrashLimits(), at: nil)
        #expect(state.shadows.map(\.failures) == [0, 1] && state.shadowing.count == 2)
        #expect(StoreState(state.json) == state)
        #expect(state.json["held"]?.elements.count == 1)
        // A shadow among the held patches is not one of them.
        let shadows = try #require(state.json["shadows"])
        var moved = state.json
        moved.set("held", shadows)
        #expect(try #require(StoreState(moved)).held.isEmpty)
    }

    /// No two versions of a patch run because two patches have one envelope, or another order.
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
        _ = state.begin(limits: CrashLimits(), at: nil)
        #expect(Set(state.runnable.map(\.patch.id)).count == state.runnable.count)
    }

    @Test func crashLimitsExtremeNumbersAreTaken() throws {
        let version = try #require(AppVersion("1.0"))
        for number in [Int.min, -1, 0, 1, Int.max] {
            var limits = CrashLimits()
            limits.trialFailures = number
            limits.safeModeFailures = number
            var state = StoreState(app: "a", appVersion: version, installation: "i")
            _ = state.begin(limits: limits, at: nil)
            _ = state.confirm(limits: limits, at: nil)
            state.add([(Self.patch("a", 1), Self.hash("a", 1))])
            for _ in 0..<10 { _ = state.begin(limits: limits, at: nil) }
            #expect(state.held.isEmpty == (number <= 1), "\(number)")
            // Of two that crashed together, either may be innocent.
            var shared = StoreState(app: "a", appVersion: version, installation: "i")
            shared.add(["a", "b"].map { (Self.patch($0, 1), Self.hash($0, 1)) })
            for _ in 0..<2 { _ = shared.begin(limits: limits, at: nil) }
            _ = shared.confirm(limits: limits, at: nil)
            #expect(shared.bans.isEmpty, "\(number)")
        }
    }

    /// A closed patch is not tried in the place of a higher version that runs.
    @Test func nextAloneIsNoneBelowAVersionThatRuns() throws {
        var closed = StoreState.Held(Self.patch("a", 2), hash: Self.hash("a", 2))
        closed.stage = .closed
        var state = StoreState(app: "a", appVersion: try #require(AppVersion("1.0")), installation: "i", held: [closed])
        func next() -> PatchID? { state.nextAlone(limits: CrashLimits(), at: nil)?.patch }
        _ = state.begin(limits: CrashLimits(), at: nil)
        state.noteLoaded(closed.hash, isProtective: true)
        state.noteSync()
        _ = state.confirm(limits: CrashLimits(), at: nil)
        _ = state.pass(began: true, late: [])
        #expect(next() == closed.patch)
        state.add([(Self.patch("a", 3), Self.hash("a", 3))])
        #expect(next() == closed.patch, "the higher one has not run, and perhaps cannot")
        _ = state.activate(Self.hash("a", 3))
        _ = state.pass(began: true, late: [Self.hash("a", 3)])
        #expect(state.held.map(\.stage) == [.good, .closed] && next() == nil)
        state.exclude(Self.hash("a", 3))
        #expect(next() == closed.patch, "it no longer runs")
    }

    /// What the kill switch ends is watched from the beginning if it runs again in the same launch.
    @Test func killSwitchEndsTheWatchOfPatches() throws {
        let hash = Self.hash("a", 1)
        var state = StoreState(app: "a", appVersion: try #require(AppVersion("1.0")), installation: "i")
        state.add([(Self.patch("a", 1), hash)])
        _ = state.begin(limits: CrashLimits(), at: nil)
        state.isEnabled = false
        _ = state.confirm(limits: CrashLimits(), at: nil)
        #expect(state.held.map(\.stage) == [.trial], "it does not run, so it does not prove itself either")
        #expect(state.launch?.isWatched == false)
        state.isEnabled = true
        _ = state.activate(hash)
        #expect(state.launch?.late == [hash] && state.launch?.isWatched == true)
        _ = state.begin(limits: CrashLimits(), at: nil)
        #expect(state.held.map(\.failures) == [1])
    }

    /// Patches whose functions the app lacks take turns, so that the one whose function comes back runs.
    @Test func patchesThatCannotRunTakeTurns() throws {
        var suspect = StoreState.Held(Self.patch("a", 1), hash: Self.hash("a", 1))
        suspect.stage = .suspect
        suspect.couldNotRun = true
        let new = StoreState.Held(Self.patch("b", 1), hash: Self.hash("b", 1))
        var state = StoreState(
            app: "a", appVersion: try #require(AppVersion("1.0")), installation: "i", held: [suspect, new])
        var tried: [String] = []
        for _ in 0..<6 {
            _ = state.begin(limits: CrashLimits(), at: nil)
            let patches = state.launch?.patches ?? []
            tried.append(patches.map { String($0.prefix(1)) }.joined())
            for hash in patches { state.exclude(hash) }
            _ = state.confirm(limits: CrashLimits(), at: nil)
            state.end()
        }
        #expect(tried == ["b", "b", "a", "b", "a", "b"])
    }
}
