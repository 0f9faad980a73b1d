import PatchCrypto
import PatchDevice
import PatchRunner
import TestSupport
import Testing

/// Every sequence of events in a device's life with three patches, for each way in which patches can be bad.
///
/// Sequences that lead to the same world are followed once, so the search ends: there are between a few thousand and a
/// hundred thousand worlds. An app that is not killed by a patch ends in an orderly way, or is killed while it is not
/// watched. A launch that ends without notice while it is watched looks like a crash to any store.
@Suite(.ownThreadsAtOnce) struct StateSearchTests {
    /// The patches that crash the app.
    enum Truth: CaseIterable {
        /// `a` always crashes it.
        case oneIsBad
        /// `a` and `b` crash it if both run.
        case twoTogether
        /// `a` crashes it from some moment on, after it was good.
        case oneTurnsBad
        /// `a` crashes it while its script loads.
        case oneLoadsBadly
        /// `a` crashes it if its functions run, and has an `otherwise`.
        case protectiveIsBad
        /// No patch crashes it, but others do, in any launch that has synced. `a` has an `otherwise`.
        case attacked
        /// The same in any launch.
        case attackedEarly
        /// A patch in shadow crashes it.
        case shadowIsBad

        var isProtected: Bool { [.protectiveIsBad, .attacked, .attackedEarly].contains(self) }
    }

    enum Event: CaseIterable {
        case launch, confirm, request, pass, end, kill, background, foreground, sync, publishA, publishB, publishC,
            publishMend, withdrawMend, publishShadow, withdrawC, withdrawA, resumeA
        case attack, wait, alone
        case toggle, block, turn, clear
    }

    private struct World: Hashable {
        var state: StoreState
        var running: Set<String> = []
        /// Whether the patch `s` runs in shadow.
        var isShadowing = false
        /// The patches of which only the `otherwise` answers.
        var answering: Set<String> = []
        /// The time, which advances once before an app is to recover.
        var day = 0
        var hasSynced = false
        /// How many launches in a row have crashed before they synced, up to three.
        var early = 0
        /// Whether a patch was banned that had no part in that.
        var isWrong = false
        /// Whether a version was ended by the try of a lower one.
        var isDowngraded = false
        var time: Timestamp? { Timestamp(secondsSince1970: day * 86_400) }
        var isAlive = false
        var isInBackground = false
        /// Whether bad patches crash the app at the first request, and not when they are activated.
        var crashesLate = false
        /// Whether the app has answered a request since the last activation.
        var hasServed = false
        /// Whether a bad patch would have crashed the app by now.
        var isTested: Bool { hasServed || !crashesLate }
        var offered: Set<String> = []
        var withdrawn: Set<String> = []
        var isEnabled = true
        /// Whether `c` cannot run, because the app lacks its function.
        var isBlocked = false
        var hasTurned = false
        /// Whether the feed has come back to `a`, which then proves itself as a new patch does.
        var hasReturned = false
        var crashes = 0
        /// Whether an app crashed with several patches that were not good yet.
        var hadSeveral = false
    }

    private static let limits = CrashLimits()

    private static func isBad(_ truth: Truth, _ world: World) -> Bool {
        switch truth {
        case .oneIsBad, .protectiveIsBad: world.running.contains("a")
        case .twoTogether: world.running.isSuperset(of: ["a", "b"])
        case .oneTurnsBad: world.hasTurned && world.running.contains("a")
        case .oneLoadsBadly, .attacked, .attackedEarly: false
        case .shadowIsBad: world.isShadowing
        }
    }

    /// Ends shadows as the state says, or starts them too.
    private static func shadow(_ truth: Truth, _ world: inout World, starts: Bool = false) {
        let wasShadowing = world.isShadowing
        world.isShadowing = (starts || wasShadowing) && !world.state.shadowing.isEmpty
        guard world.isShadowing, !wasShadowing else { return }
        world.hasServed = false
        run(truth, &world)
    }

    /// Loads a script, and activates the patch, as a device does.
    private static func activate(_ name: String, _ truth: Truth, _ world: inout World) {
        world.state.noteLoading(name)
        guard truth != .oneLoadsBadly || name != "a" else {
            let noted = Set((world.state.launch?.patches ?? []) + (world.state.launch?.late ?? []))
            let trials = world.state.held.filter { noted.contains($0.hash) && $0.isOnTrial }
            world.hadSeveral = world.hadSeveral || trials.count > 1
            world.crashes += 1
            return crash(&world)
        }
        world.state.noteLoaded(name, isProtective: truth.isProtected && name == "a")
        world.state.replaceTrials(by: name)
        world.running = world.running.filter { patch($0).id != patch(name).id }
        if world.state.isClosed(name, isFollower: false) {
            world.answering.insert(name)
        } else {
            world.answering = world.answering.filter { patch($0).id != patch(name).id }
            world.running.insert(name)
        }
    }

    private static func crash(_ world: inout World) {
        if !world.hasSynced { world.early = min(world.early + 1, 3) }
        world.isAlive = false
        world.running = []
        world.answering = []
        world.isShadowing = false
    }

    /// Crashes the app if a running patch is bad.
    private static func run(_ truth: Truth, _ world: inout World, isRequest: Bool = false) {
        guard isRequest == world.crashesLate, isBad(truth, world) else { return }
        if truth == .shadowIsBad {
            world.state.noteShadowCall("s")
            if world.isInBackground { world.state.end() } else { world.crashes += 1 }
            return crash(&world)
        }
        let trials = world.state.held.filter { world.running.contains($0.hash) && $0.isOnTrial }
        world.hadSeveral = world.hadSeveral || trials.count > 1
        // After a clear, running patches are no longer held, and their crashes do not count. Nor do later tries of a
        // closed patch.
        let isHeld = world.state.held.contains { world.running.contains($0.hash) }
        if isHeld, !world.state.held.contains(where: { $0.closings > 0 }) { world.crashes += 1 }
        crash(&world)
    }

    /// `m` is version 2 of `a`, without its fault.
    private static func patch(_ name: String) -> PatchID {
        name == "m" ? PatchID(id: "a", version: 2) : PatchID(id: name, version: 1)
    }

    /// The world after an event; nil if the event is impossible now.
    private static func after(_ event: Event, _ truth: Truth, _ old: World) -> World? {
        var world = old
        switch event {
        case .launch:
            guard !old.isAlive else { return nil }
            _ = world.state.begin(limits: limits, at: world.time)
            world.isAlive = true
            world.isInBackground = false
            world.hasServed = false
            let lost = world.state.bans.contains { $0.hash == "a" } && !old.state.bans.contains { $0.hash == "a" }
            if truth.isProtected, lost, world.early < 3 { world.isWrong = true }
            world.hasSynced = false
            if world.isBlocked, world.state.launch?.patches.contains("c") == true { world.state.exclude("c") }
            for name in world.state.launch?.patches ?? [] where world.isAlive { activate(name, truth, &world) }
            if world.isAlive { run(truth, &world) }
            if world.isAlive { shadow(truth, &world, starts: true) }
        case .confirm:
            guard old.isAlive else { return nil }
            _ = world.state.confirm(limits: limits, at: world.time)
        case .request:
            guard old.isAlive, !old.isInBackground, !old.isTested else { return nil }
            world.hasServed = true
            run(truth, &world, isRequest: true)
        case .pass:
            guard old.isAlive, old.isTested, let launch = old.state.launch else { return nil }
            _ = world.state.pass(began: true, late: Set(launch.late))
        case .end, .kill:
            guard old.isAlive, old.isTested else { return nil }
            if event == .kill, old.state.launch?.isWatched == true { return nil }
            if event == .end { world.state.end() }
            world.isAlive = false
            world.running = []
            world.answering = []
            world.isShadowing = false
        case .attack:
            guard old.isAlive, truth == .attackedEarly || (truth == .attacked && old.hasSynced) else { return nil }
            crash(&world)
        case .wait:
            guard truth.isProtected, old.day == 0 else { return nil }
            world.day = 1
        case .alone:
            guard old.isAlive, !old.isInBackground, old.isTested,
                let next = old.state.nextAlone(limits: limits, at: old.time)
            else { return nil }
            _ = world.state.tryAlone(next.hash)
            shadow(truth, &world)
            world.hasServed = false
            world.isDowngraded = next.hash == "a" && world.running.contains("m")
            activate(next.hash, truth, &world)
            if world.isAlive { run(truth, &world) }
        case .background:
            guard old.isAlive, old.isTested, !old.isInBackground else { return nil }
            world.state.end()
            world.isInBackground = true
        case .foreground:
            guard old.isAlive, old.isInBackground else { return nil }
            world.state.resume()
            world.isInBackground = false
            shadow(truth, &world)
        case .sync:
            // If a good patch turns bad while another one comes, no store can know which of them is bad.
            guard old.isAlive, old.isTested || !old.hasTurned else { return nil }
            sync(truth, &world)
            if world.isAlive { shadow(truth, &world, starts: true) }
        case .publishShadow:
            guard truth == .shadowIsBad, world.offered.insert("s").inserted else { return nil }
        case .publishA: guard world.offered.insert("a").inserted else { return nil }
        case .publishB: guard world.offered.insert("b").inserted else { return nil }
        case .publishC: guard world.offered.insert("c").inserted else { return nil }
        case .publishMend:
            guard old.offered.contains("a"), world.offered.insert("m").inserted else { return nil }
        case .withdrawMend:
            // The sync is cancelled before it has activated anything.
            guard old.isAlive, old.offered.contains("m"), world.withdrawn.insert("m").inserted else { return nil }
            world.hasReturned = true
            world.state.remove("m")
            world.running.remove("m")
            for held in world.state.successors(of: "a", without: [patch("m")], isFollower: false)
            where old.running.contains("m") && !world.answering.contains(held.hash) && world.isAlive {
                _ = world.state.activate(held.hash)
                world.hasServed = false
                activate(held.hash, truth, &world)
                if world.isAlive { run(truth, &world) }
            }
        case .clear:
            guard old.isAlive else { return nil }
            // Running patches continue to run.
            world.state.clear()
            world.crashes = 0
            world.hadSeveral = false
        case .toggle: world.isEnabled.toggle()
        case .block: world.isBlocked.toggle()
        case .withdrawC, .withdrawA:
            let name = event == .withdrawA ? "a" : "c"
            guard old.offered.contains(name), world.withdrawn.insert(name).inserted else { return nil }
        case .resumeA:
            world.hasReturned = true
            guard world.withdrawn.remove("a") != nil else { return nil }
        case .turn:
            // While another patch is on trial, no store can know which of them is bad.
            guard truth == .oneTurnsBad, !old.hasTurned, !old.isAlive,
                old.state.held.contains(where: { $0.hash == "a" }), !old.state.held.contains(where: \.isOnTrial)
            else { return nil }
            world.hasTurned = true
        }
        return world
    }

    /// The same steps as in `SyncPass`.
    private static func sync(_ truth: Truth, _ world: inout World) {
        for name in world.withdrawn {
            world.state.remove(name)
            world.running.remove(name)
            world.answering.remove(name)
        }
        world.state.isEnabled = world.isEnabled
        world.state.noteSync()
        world.hasSynced = true
        world.early = 0
        shadow(truth, &world)
        guard world.isEnabled else {
            world.running = []
            world.answering = []
            return
        }
        if world.offered.contains("s"), world.state.shadows.isEmpty { world.state.shadow([(patch("s"), "s")]) }
        for name in world.offered.subtracting(world.withdrawn.union(["s"])).sorted()
        where name != "a" || !world.offered.subtracting(world.withdrawn).contains("m") {
            world.state.add([(patch(name), name)], running: world.running)
        }
        for held in world.state.held where held.stage == .downloaded && world.running.contains(held.hash) {
            _ = world.state.activate(held.hash)
        }
        guard world.state.launch?.isSafe != true else { return }
        for held in world.state.answeringClosed where !world.answering.contains(held.hash) {
            _ = world.state.activate(held.hash)
            activate(held.hash, truth, &world)
        }
        let suspects = world.state.held.filter { $0.stage == .suspect && world.running.contains($0.hash) }
        for held in world.state.runnable
        where !world.running.contains(held.hash) && !(world.isBlocked && held.hash == "c")
            && !suspects.contains(where: { $0.patch.id == held.patch.id })
        {
            _ = world.state.activate(held.hash)
            world.hasServed = false
            activate(held.hash, truth, &world)
            if world.isAlive { run(truth, &world) }
            guard world.isAlive else { return }
        }
        if world.isInBackground { world.state.end() }
    }

    /// The condition for every world that a world does not meet; nil if it meets all of them.
    private static func fault(_ truth: Truth, _ world: World) -> String? {
        let banned = Set(world.state.bans.map(\.hash))
        let guilty: Set<String> =
            switch truth {
            case .oneIsBad, .oneLoadsBadly: ["a"]
            case .twoTogether: ["a", "b"]
            case .oneTurnsBad: world.hasReturned ? ["a"] : []
            case .protectiveIsBad: []
            case .shadowIsBad: ["s"]
            // Others than the protective patch are not protected.
            case .attacked: ["b", "c", "m"]
            case .attackedEarly: ["a", "b", "c", "m"]
            }
        // Of two patches that crash the app together, the ban of one is enough.
        guard banned.isSubset(of: guilty), banned.count <= 1 || guilty.count > 2, !world.isWrong else {
            return "banned: \(banned.sorted())"
        }
        if world.isDowngraded { return "downgraded" }
        let isKnown = world.state.held.contains { $0.hash == "a" && $0.isProtective }
        if world.isAlive, isKnown, world.state.isEnabled,
            world.running.union(world.answering).isDisjoint(with: ["a", "m"])
        {
            return "open"
        }
        // A launch that cannot be noted, such as on a full disk, runs what is good.
        if truth.isProtected, !world.isAlive, world.state.isEnabled,
            world.state.held.contains(where: { $0.hash == "a" && $0.stage == .good && $0.isProtective })
        {
            var state = world.state
            _ = state.begin(limits: limits, onlyGood: true, at: world.time)
            if Set(state.launch?.patches ?? []).isDisjoint(with: ["a", "m"]) { return "open on a full disk" }
        }
        return world.crashes <= mostCrashes(truth, world) ? nil : "\(world.crashes) crashes"
    }

    /// How often bad patches may crash the app.
    private static func mostCrashes(_ truth: Truth, _ world: World) -> Int {
        // A good patch that turns bad costs three launches, and one more for each change of the set of good patches
        // since; and two more if the feed comes back to it.
        if truth == .oneTurnsBad { return world.hasReturned ? 8 : 6 }
        // Of several patches that have not proved themselves, the unconfirmed ones are blamed first, which may cost two
        // more launches.
        return world.hadSeveral ? 4 : 2
    }

    /// Why an app that is launched, confirmed and ended repeatedly is not healthy soon; nil if it is.
    ///
    /// - Parameter recovering: The worlds that were followed, to which this one is added. None is followed again.
    private static func recovers(_ truth: Truth, _ world: World, _ recovering: inout Set<World>) -> String? {
        var world = world
        for event in [Event.foreground, .request, .end] { world = after(event, truth, world) ?? world }
        // A closed patch that crashes the app does so each time that it is tried again.
        if truth != .protectiveIsBad {
            for event in [Event.launch, .confirm, .end] { world = after(event, truth, world) ?? world }
            world.day = 2
        }
        // The feed switches patches on again, and the next sync applies that.
        world.isEnabled = true
        world.state.isEnabled = true
        // Thirty worlds of most searches continue in the same way.
        guard recovering.insert(world).inserted else { return nil }
        for round in 0..<14 {
            let before = world
            world = after(.launch, truth, world) ?? world
            for event in [Event.confirm, .request] { world = after(event, truth, world) ?? world }
            world = after(.end, truth, world) ?? world
            if world.crashes > before.crashes, round >= 10 { return "still crashes in launch \(round)" }
            if let fault = fault(truth, world) { return "launch \(round): \(fault)" }
            // Every later launch is the same.
            if world == before { break }
        }
        // Each suspect has been tried, and every suspended patch has come back, except the one that crashes.
        let suspects = world.state.held.filter { $0.stage == .suspect && !(world.isBlocked && $0.hash == "c") }
        guard suspects.isEmpty else { return "never tried: \(suspects.map(\.hash))" }
        if truth != .protectiveIsBad, world.state.held.contains(where: { $0.stage == .closed }) {
            return "closed for ever"
        }
        let off = world.state.held.filter(\.isSuspended)
        return truth == .oneIsBad && !off.isEmpty ? "off for ever: \(off.map(\.hash))" : nil
    }

    /// Events that make the search much longer in combination.
    private static let more: [[Event]] = [
        [], [.block], [.toggle, .publishMend], [.publishMend], [.publishMend, .withdrawMend], [.withdrawA, .resumeA],
        [.clear],
    ]

    @Test(arguments: Truth.allCases, more)
    func noInnocentIsBannedAndEveryAppRecovers(_ truth: Truth, _ more: [Event]) throws {
        try search(truth, more, crashesLate: false)
        // A proved patch that turns bad after the confirmation must be withdrawn by the feed.
        var late: [Truth] = [.oneIsBad, .twoTogether, .shadowIsBad]
        if testsMayBeLong { late.append(.protectiveIsBad) }
        if late.contains(truth), Self.hasWatches(more) { try search(truth, more, crashesLate: true) }
    }

    /// Events that are left out if others crash the app, which multiplies the worlds.
    private static let unattacked: [Event] = [.publishC, .withdrawC, .background, .foreground, .kill]
    /// Events that are left out if a shadow crashes the app.
    private static let unshadowed: [Event] = [.publishC, .withdrawC]

    /// Whether watches may end in a search. If events make it ten times as long, they do not, and there are no late
    /// crashes.
    private static func hasWatches(_ more: [Event]) -> Bool { [[], [.clear], [.publishMend]].contains(more) }

    /// Whether a search with more events is worth its time, which they multiply: those that are left out take minutes
    /// each, and have found nothing more.
    private static func isWorthIt(_ truth: Truth, _ more: [Event], crashesLate: Bool) -> Bool {
        guard !more.isEmpty else { return true }
        guard testsMayBeLong, !isSanitized else { return false }
        switch truth {
        // Only a closed version stays below a higher one that runs.
        case .oneIsBad: return more != [.publishMend]
        case .protectiveIsBad: return more.contains(.withdrawMend) || (more == [.publishMend] && !crashesLate)
        case .twoTogether: return more == [.block]
        // A patch that was good may be banned after a clear.
        case .oneTurnsBad: return ![[.block], [.publishMend], [.clear]].contains(more)
        case .oneLoadsBadly, .attacked, .attackedEarly, .shadowIsBad: return false
        }
    }

    private func search(_ truth: Truth, _ more: [Event], crashesLate: Bool) throws {
        guard Self.isWorthIt(truth, more, crashesLate: crashesLate) else { return }
        var omitted = Set(Self.more.joined())
        if !Self.hasWatches(more) { omitted.formUnion([Event.pass, .alone]) }
        if [.attacked, .attackedEarly].contains(truth) { omitted.formUnion(Self.unattacked) }
        if truth == .shadowIsBad { omitted.formUnion(Self.unshadowed) }
        let events = Event.allCases.filter { !omitted.contains($0) } + more
        let version = try #require(AppVersion("1.0"))
        var first = World(state: StoreState(app: "a", appVersion: version, installation: "i"))
        first.crashesLate = crashesLate
        var known: [World: [Event]] = [first: []]
        var edge = [first]
        var recovering: Set<World> = []
        while !edge.isEmpty {
            var next: [World] = []
            for world in edge {
                for event in events {
                    guard let new = Self.after(event, truth, world), known[new] == nil else { continue }
                    let path = (known[world] ?? []) + [event]
                    known[new] = path
                    next.append(new)
                    let fault = Self.fault(truth, new)
                    try #require(fault == nil, "\(fault ?? ""): \(path)")
                    let failure = Self.recovers(truth, new, &recovering)
                    try #require(failure == nil, "\(failure ?? "") after \(path)")
                }
            }
            edge = next
        }
        // With fewer worlds, the search itself is broken.
        #expect(known.count > 1_000, "\(known.count)")
    }
}
