import FeedTestSupport
import PatchCrypto
import PatchFeed
import TestSupport
import Testing

@testable import PatchPublishing

/// Changes of the list and of keys, as people make them.
@Suite(.ownThreads) struct FeedEditTests {
    private static let id = "com.example.shop.cart-total"
    private let keys: FeedFixture
    private var feed: FeedRepository
    private let details = FeedFixture.details

    init() throws {
        keys = try FeedFixture(publishing: 1...3)
        feed = try keys.repository()
    }

    private func remedy(_ body: () throws -> Void) -> PublishingRemedy? { refusal(body)?.remedy as? PublishingRemedy }

    private func entry(_ version: Int) throws -> PatchEntryDraft { try feed.entry(Self.id, version: version) }

    private mutating func set(_ state: PatchList.Entry.State, of version: Int, reason: String? = nil) throws -> Bool {
        let old = try entry(version)
        var new = old
        try new.setState(state)
        guard let changed = old.changed(to: new, reason: reason) else { return false }
        var details = details
        details.reason = reason
        feed.replace([old.name: changed], adding: [], in: details)
        return true
    }

    private func publication(_ version: Int, bytes: String = "envelope", state: PatchList.Entry.State = .active)
        throws(PatchError) -> Publication
    {
        var entry = PatchEntryDraft(FeedFixture.entry(version))
        entry.state = state
        return try Publication(FeedFile.Contents(Array("\(bytes) \(version)".utf8)), entry: entry)
    }

    @Test func theListChangesOnlyIfItSaysSomethingElse() throws {
        var feed = feed
        #expect(try !feed.edit(in: details, unlessSame: { $0.isEnabled = true }) && feed.changed.isEmpty)
        #expect(try feed.edit(in: details, unlessSame: { $0.setSwitch("a", to: "b") }))
        #expect(feed.changed == [.rollout] && feed.list.switches?["a"]?.text == "b")
        #expect(try feed.edit(in: details) { (list) throws(PatchError) in try list.removeSwitch("a") })
        #expect(feed.list.switches?["a"] == nil)
        let before = feed.list.json.encoded()
        #expect(
            remedy {
                _ = try feed.edit(in: details) { (list) throws(PatchError) in
                    list.notice = "lost"
                    try list.removeSwitch("a")
                }
            } == .giveValue)
        #expect(feed.list.json.encoded() == before, "nothing of a change that fails is left")
    }

    /// Devices accept any name, so a name is checked when it is written.
    @Test func switchesHaveNames() throws {
        var list = feed.list
        let longest = String(repeating: "a", count: 64)
        for name in ["checkout", "Check_out-2.b", longest] { try list.nameSwitch(name, value: "") }
        #expect(list.switches?.members.count == 3)
        for name in ["", "a b", "a\nb", "a=b", "ä", longest + "a"] {
            var list = list
            #expect(refusal { try list.nameSwitch(name, value: "c") }?.code == .usage, "\(name)")
        }
        // A feed of an older version of patchpack may have such a name, which an app reads.
        list.setSwitch("a b", to: "old")
        try list.nameSwitch("a b", value: "new")
        #expect(list.switches?["a b"]?.text == "new")
    }

    @Test mutating func anEntryChangesOnlyForSomethingNew() throws {
        #expect(try set(.paused, of: 3, reason: "hm"))
        #expect(try entry(3).reason == "hm")
        #expect(try !set(.paused, of: 3) && !set(.paused, of: 3, reason: "hm"))
        #expect(try set(.paused, of: 3, reason: "because"))
        #expect(try entry(3).reason == "because")
        // The reason of the previous change does not belong to this one.
        #expect(try set(.active, of: 3))
        #expect(try entry(3).reason == nil)
    }

    /// An entry has the time and the author of its own last change.
    @Test func aChangeStampsOnlyItsOwnEntry() throws {
        var feed = feed
        let (before, old) = (try feed.entry(Self.id, version: 2), try feed.entry(Self.id, version: 3))
        var new = old
        try new.setState(.paused)
        var later = ChangeDetails(at: FeedFixture.now.adding(days: 1))
        later.author = "bob"
        feed.replace([old.name: try #require(old.changed(to: new, reason: nil))], adding: [], in: later)
        let changed = try feed.entry(Self.id, version: 3)
        #expect(changed.since == later.now && changed.change.author == "bob" && old.since != later.now)
        #expect(try feed.entry(Self.id, version: 2).json.encoded() == before.json.encoded())
    }

    /// Pausing would restore it on devices that still have it.
    @Test mutating func pauseWithdrawnEntryIsRefused() throws {
        #expect(try set(.withdrawn, of: 3) && set(.withdrawn, of: 2))
        let pause = refusal { _ = try set(.paused, of: 3) }
        #expect(pause?.message.hasPrefix("\(Self.id) 3 is withdrawn, and ") == true)
        #expect(pause?.remedy as? PublishingRemedy == .resumeFirst)
        #expect(try set(.active, of: 3) && set(.paused, of: 3))
    }

    /// A library that does not know shadow would keep it on devices that still have it.
    @Test mutating func shadowWithdrawnEntryIsRefused() throws {
        _ = try set(.withdrawn, of: 3)
        #expect(remedy { _ = try set(.shadow, of: 3) } == .packHigherInShadow)
        #expect(try set(.shadow, of: 2) && set(.withdrawn, of: 2) && entry(2).resumedState == .shadow)
        for state in [PatchList.Entry.State.shadow, .paused] {
            let error = refusal { _ = try set(state, of: 2) }
            #expect(error?.message.hasPrefix("\(Self.id) 2 is withdrawn, and ") == true)
            #expect(error?.remedy as? PublishingRemedy == .packHigherInShadow, "resume is refused too")
        }
    }

    @Test mutating func resumeEntryPausedInShadowIsInShadowAgain() throws {
        _ = try set(.paused, of: 2)
        #expect(try entry(2).resumedState == .active && entry(2).words == "paused, to all")
        #expect(try set(.shadow, of: 3) && entry(3).words == "in shadow, to all" && entry(3).resumedState == .shadow)
        for state in [PatchList.Entry.State.paused, .withdrawn, .withdrawn] {
            _ = try set(state, of: 3)
            #expect(try entry(3).resumedState == .shadow)
        }
        #expect(try set(.active, of: 3) && set(.paused, of: 3) && entry(3).resumedState == .active)
        var paused = try entry(3)
        paused.state = .shadow
        paused.state = .paused
        #expect(try paused.words == "paused in shadow, to all" && !paused.isEquivalent(to: entry(3)))
        paused.leaveShadow()
        #expect(try paused.words == "paused, to all" && paused.isEquivalent(to: entry(3)))
        paused.state = .shadow
        paused.leaveShadow()
        #expect(paused.words == "offered to all")
    }

    /// Events from before a change between shadow and offer say nothing about what comes after it.
    @Test mutating func shadowActiveEntryIsOfferedSinceThen() throws {
        for (hours, state) in [(1, PatchList.Entry.State.shadow), (2, .active), (3, .shadow)] {
            let later = ChangeDetails(at: Timestamp(secondsSince1970: details.now.secondsSince1970 + hours * 3600)!)
            for _ in 0..<2 {
                let old = try entry(3)
                var new = old
                try new.setState(state)
                new.groups = old.groups + ["qa"]
                feed.replace(old, with: new, in: later)
            }
            #expect(try entry(3).offered == later.now)
            let old = try entry(3)
            var wider = old
            wider.groups = ["all"]
            feed.replace(old, with: wider, in: ChangeDetails(at: later.now.adding(days: 1)))
            #expect(try entry(3).offered == later.now, "it was not offered anew")
        }
    }

    /// All users include each of them, but not each device: one without a user may be in a group.
    @Test func allUsersIncludePartsOfThem() throws {
        let entry = try entry(3)
        var (all, part, named) = (entry, entry, entry)
        all.rollout = Rollout(basisPoints: 10_000, unit: .user)
        part.rollout = Rollout(basisPoints: 5000, unit: .user, seed: "x")
        named.users = ["u"]
        #expect(!part.reachesMore(than: all) && !named.reachesMore(than: all))
        #expect(all.reachesMore(than: part) && all.reachesMore(than: named) && entry.reachesMore(than: all))
        named.groups = ["qa"]
        #expect(named.reachesMore(than: all))
    }

    /// Devices read an entry without a moment as one for now.
    @Test func theDefaultMomentIsNow() throws {
        var (now, later) = (try entry(3), try entry(3))
        now.when = .now
        later.when = .nextLaunch
        #expect(try now.isEquivalent(to: entry(3)) && !later.isEquivalent(to: entry(3)))
    }

    @Test mutating func undoReplacesTheReasonOfWhatItUndoes() throws {
        let before = feed
        var (crash, undo) = (details, details)
        crash.reason = "crash"
        undo.reason = "undo, to snapshot 1"
        var paused = try entry(3)
        paused.state = .paused
        feed.replace(try entry(3), with: paused, in: crash)
        #expect(try entry(3).reason == "crash")
        #expect(try feed.undo(to: before, in: undo) && entry(3).reason == undo.reason)
    }

    /// A pause by a gate is one, too, if it was lifted, and that was undone.
    @Test mutating func undoToStopKeepsItsReason() throws {
        let first = feed
        var (gate, resume, undo) = (details, details, details)
        gate.reason = "failing<1%: 2%"
        undo.reason = "undo, to snapshot 2"
        var paused = try entry(3)
        paused.state = .paused
        feed.replace(try entry(3), with: paused, in: gate)
        let before = feed
        resume.reason = "it was the server"
        var resumed = try entry(3)
        resumed.state = .active
        feed.replace(try entry(3), with: resumed, in: resume)
        #expect(try feed.undo(to: before, in: undo) && entry(3).reason == "failing<1%: 2%; undo, to snapshot 2")
        #expect(try entry(3).since == undo.now && feed.list.change.reason == undo.reason)
        let crossed = RolloutStep.Gate("failing<1%", .passed, "0%")
        let evidence = RolloutStep.Evidence(
            events: 1, devices: 1, damage: .init(lines: 0, linesWithoutDevice: 0, devices: 0), newest: undo.now,
            newDevices: 1, gates: [crossed])
        let rules = RolloutStep.Rules(steps: [.part(10_000)], soak: 0, fresh: 600, newDevices: 1)
        let step = RolloutStep(of: try entry(3), isEnabled: true, by: rules, evidence, at: undo.now)
        #expect(step == .stopped(.byGate(crossed)))
        // So is the kill switch.
        feed.edit(in: gate) { $0.isEnabled = false }
        let disabled = feed
        feed.edit(in: resume) { $0.isEnabled = true }
        #expect(try feed.undo(to: disabled, in: undo) && feed.list.stop?.time == undo.now)
        #expect(feed.list.stop?.reason == "failing<1%: 2%; undo, to snapshot 2")
        // There may be no room for both.
        var again = undo
        again.reason = String(repeating: "x", count: ChangeDetails.longestReason)
        #expect(try feed.undo(to: first, in: again))
        #expect(try feed.undo(to: before, in: again) && entry(3).reason == "failing<1%: 2%")
    }

    @Test mutating func devicesFallBackToTheNextOffer() throws {
        #expect(try entry(3).fallback(among: feed.entries(of: Self.id)) == nil, "it is offered")
        _ = try set(.shadow, of: 3)
        #expect(try entry(3).fallback(among: feed.entries(of: Self.id))?.version == 2)
        _ = try set(.withdrawn, of: 3)
        #expect(try entry(3).fallback(among: feed.entries(of: Self.id))?.version == 2)
        _ = try set(.paused, of: 2)
        #expect(try entry(3).fallback(among: feed.entries(of: Self.id))?.version == 1)
        _ = try set(.paused, of: 1)
        #expect(try entry(3).fallback(among: feed.entries(of: Self.id)) == nil)
    }

    @Test mutating func theNewestVersionsAndWithdrawalsStay() throws {
        _ = try set(.withdrawn, of: 2)
        let (gone, needed) = try feed.prune([Self.id], keeping: 1, in: details)
        #expect(gone.map(\.version) == [1] && gone.map(\.id) == [Self.id] && needed.isEmpty)
        #expect(feed.list.entries.map(\.version) == [2, 3] && feed.digest(of: FeedFixture.path(1)) == nil)
        #expect(try feed.prune([Self.id], keeping: 1, in: details).removed.isEmpty)
        #expect(remedy { _ = try feed.prune(["other"], keeping: 1, in: details) } == .lookAtPatches)
    }

    /// A version that devices get, and no version above it, is not removed.
    @Test(
        arguments: [
            (500, nil, [1]), (10_000, nil, []), (nil, PatchList.Entry.State.paused, [1]), (nil, .shadow, [1]),
            (nil, nil, []),
        ] as [(Int?, PatchList.Entry.State?, [Int])])
    func pruneVersionThatDevicesGetIsKept(basisPoints: Int?, state: PatchList.Entry.State?, needed: [Int]) throws {
        var feed = feed
        func change(_ version: Int, _ body: (inout PatchEntryDraft) -> Void) throws {
            let old = try feed.entry(Self.id, version: version)
            var new = old
            body(&new)
            feed.replace(old, with: new, in: details)
        }
        try change(3) { $0.state = .withdrawn }
        try change(2) { entry in
            if let basisPoints { entry.rollout = Rollout(basisPoints: basisPoints) }
            if let state { entry.state = state }
        }
        let pruned = try feed.prune([Self.id], keeping: 1, in: details)
        #expect(pruned.needed.map(\.version) == needed && pruned.removed.map(\.version) == (needed.isEmpty ? [1] : []))
        #expect((feed.digest(of: FeedFixture.path(1)) != nil) == !needed.isEmpty)
    }

    @Test mutating func pruneVersionInShadowIsKept() throws {
        #expect(try set(.paused, of: 3) && set(.shadow, of: 2) && set(.shadow, of: 1))
        let pruned = try feed.prune([Self.id], keeping: 1, in: details)
        #expect(pruned.needed.map(\.version) == [2] && pruned.removed.map(\.version) == [1])
        _ = try set(.shadow, of: 3)
        #expect(try feed.prune([Self.id], keeping: 1, in: details).removed.map(\.version) == [2])
    }

    /// It runs in shadow on the devices that the live one is not offered to.
    @Test(arguments: [(500, [2]), (10_000, [])])
    mutating func pruneVersionInShadowBelowLiveOneIsKeptIfThatIsNotForAll(part: Int, needed: [Int]) throws {
        let old = try entry(3)
        var narrower = old
        narrower.rollout = Rollout(basisPoints: part)
        feed.replace(old, with: narrower, in: details)
        #expect(try set(.shadow, of: 2) && set(.withdrawn, of: 1))
        let pruned = try feed.prune([Self.id], keeping: 1, in: details)
        #expect(pruned.needed.map(\.version) == needed && pruned.removed.map(\.version) == (needed.isEmpty ? [2] : []))
    }

    /// A version for other apps, for apps of a lower engine level, or for other devices is needed too.
    @Test func aVersionReachesAllOfAnothersDevices() throws {
        func entry(_ range: String, engine: Int = 1, _ body: (inout PatchEntryDraft) -> Void = { _ in })
            -> PatchEntryDraft
        {
            var entry = feed.list.entries[0]
            entry.json.set("appVersions", .string(range))
            entry.json.set("engine", .integer(engine))
            body(&entry)
            return entry
        }
        let all = entry(">=2.0")
        #expect(all.reachesAll(of: entry(">=2.1 <2.4")) && !all.reachesAll(of: entry(">=1.9")))
        #expect(!entry(">=2.0", engine: 2).reachesAll(of: all) && all.reachesAll(of: entry(">=2.0", engine: 2)))
        #expect(all.reachesAll(of: entry(">=2.0") { $0.groups = ["qa"] }))
        #expect(!entry(">=2.0") { $0.groups = ["qa"] }.reachesAll(of: entry(">=2.0") { $0.groups = ["qa", "beta"] }))
        #expect(!entry("not a range").reachesAll(of: entry(">=2.1")))
    }

    /// A thief's patch is removed while devices have it. They must lose it nevertheless.
    @Test mutating func pruneNamedVersionLeavesWithdrawal() throws {
        #expect(try feed.prune([Self.id], version: 2, in: details).isEmpty)
        #expect(feed.list.entries.map(\.version) == [1, 3, 2] && feed.digest(of: FeedFixture.path(2)) == nil)
        let list = try PatchList(decoding: feed.list.json.encoded())
        #expect(list.errors.isEmpty && list.entries.last?.state == .withdrawn, "a device reads it")
        #expect(try entry(2).json["appVersions"] == nil && entry(2).words == "withdrawn")
        // If only the withdrawal is left, it is removed.
        #expect(try feed.prune([Self.id], version: 2, in: details) == [Self.id])
        #expect(refusal { _ = try feed.prune([Self.id], version: 2, in: details) }?.hint == "it has 1, 3")
        // The release keys have signed it, and no entry lists it.
        feed.edit(in: details) { $0.entries.removeAll { $0.version == 1 } }
        #expect(feed.unlistedTargets == [FeedFixture.path(1)])
        #expect(try feed.prune([Self.id], version: 1, in: details).isEmpty)
        #expect(try feed.unlistedTargets.isEmpty && entry(1).state == .withdrawn)
    }

    @Test mutating func aWithdrawalKeepsItsReason() throws {
        _ = try set(.withdrawn, of: 2, reason: "crashes")
        #expect(try feed.prune([Self.id], version: 2, in: details).isEmpty)
        #expect(try entry(2).reason == "crashes" && feed.digest(of: FeedFixture.path(2)) == nil)
    }

    /// An older tool has removed it, and left no withdrawal.
    @Test mutating func withdrawalUnlistedVersionIsListed() throws {
        feed.prune(in: details) { $0.version == 2 }
        var details = details
        details.reason = "stolen"
        feed.replace([:], adding: [feed.withdrawal(of: Self.id, version: 2)], in: details)
        #expect(try entry(2).reason == "stolen" && entry(2).state == .withdrawn)
    }

    /// Devices for which the highest version is not meant would get the lower one.
    @Test mutating func aLowerVersionIsPublishedOnlyWhenAsked() throws {
        _ = try feed.publish([publication(5)], in: details)
        let before = feed.list.json.encoded()
        let error = refusal { _ = try feed.publish([publication(4)], in: details) }
        #expect(error?.code == .feedListed && error?.remedy as? PublishingRemedy == .packHigher)
        #expect(feed.list.json.encoded() == before && feed.digest(of: FeedFixture.path(4)) == nil)
        #expect(try feed.publish([publication(3)], in: details).count == 1, "it is listed already")
        #expect(try feed.publish([publication(4)], allowsLower: true, in: details).count == 1)
        // The higher one is not offered to any device.
        for version in 4...5 { _ = try set(.withdrawn, of: version) }
        for version in 1...3 { _ = try set(.withdrawn, of: version) }
        _ = try feed.publish([publication(6, state: .paused)], in: details)
        #expect(throws: Never.self) { try feed.publish([publication(7), publication(8)], in: details) }
        // A paused one may be resumed.
        _ = try feed.publish([publication(10, state: .paused)], in: details)
        let paused = refusal { _ = try feed.publish([publication(9)], in: details) }
        #expect(paused?.code == .feedListed && paused?.message.contains("10 is paused") == true)
    }

    /// A version in shadow takes a lower one off only if that is in shadow too.
    @Test mutating func publishHigherVersionInShadowIsNotInTheWay() throws {
        _ = try feed.publish([publication(9, state: .shadow)], in: details)
        #expect(try entry(3).state == .active && entry(3).offered == details.now)
        #expect(throws: Never.self) { try feed.publish([publication(7)], in: details) }
        let error = refusal { _ = try feed.publish([publication(8, state: .shadow)], in: details) }
        #expect(error?.message.contains("9 is in shadow, to all") == true)
        #expect(remedy { _ = try feed.publish([publication(6, state: .shadow)], in: details) } == .packHigher)
    }

    /// It is in shadow again when it is resumed. A version that `rollout` has made live meanwhile is not.
    @Test mutating func publishHigherVersionPausedInShadowIsNotInTheWay() throws {
        _ = try feed.publish([publication(9, state: .shadow)], in: details)
        _ = try set(.paused, of: 9)
        #expect(throws: Never.self) { try feed.publish([publication(7)], in: details) }
        let error = refusal { _ = try feed.publish([publication(8, state: .shadow)], in: details) }
        #expect(error?.message.contains("9 is paused in shadow, to all") == true)
        let old = try entry(9)
        var live = old
        live.leaveShadow()
        feed.replace(old, with: live, in: details)
        #expect(refusal { _ = try feed.publish([publication(8)], in: details) }?.code == .feedListed)
    }

    /// Nobody stops the version in shadow, and leaves the one that answers.
    @Test mutating func meantEntryStopAboveLiveVersionNeedsVersion() throws {
        func meant(_ version: Int? = nil, isStopped: Bool) throws -> Int {
            try feed.meantEntry(Self.id, version: version, of: feed.entries(of: Self.id), isStopped: isStopped).version
        }
        _ = try set(.shadow, of: 3)
        #expect(remedy { _ = try meant(isStopped: true) } == .giveVersion)
        #expect(try meant(isStopped: false) == 3 && meant(2, isStopped: true) == 2 && meant(3, isStopped: true) == 3)
        for version in 1...2 { _ = try set(.withdrawn, of: version) }
        #expect(try meant(isStopped: true) == 3, "no version answers")
    }

    /// The good version must not be withdrawn instead of the one that was offered by mistake.
    @Test mutating func theEntryThatIsMeantIsTheLastOneOffered() throws {
        func meant(_ feed: FeedRepository, _ version: Int? = nil) throws -> Int {
            try feed.meantEntry(Self.id, version: version, of: feed.entries(of: Self.id)).version
        }
        #expect(try meant(feed) == 3)
        let later = ChangeDetails(at: FeedFixture.at("2026-11-02T12:00:00Z"))
        var feed = feed
        let old = try feed.entry(Self.id, version: 2)
        var paused = old
        paused.state = .paused
        feed.replace(old, with: paused, in: later)
        #expect(try meant(feed) == 3)
        feed.replace(paused, with: old, in: later)
        #expect(remedy { _ = try meant(feed) } == .giveVersion)
        #expect(try meant(feed, 2) == 2 && meant(feed, 3) == 3)
        var withdrawn = try feed.entry(Self.id, version: 3)
        let highest = withdrawn
        withdrawn.state = .withdrawn
        feed.replace(highest, with: withdrawn, in: later)
        #expect(try meant(feed) == 3, "it is not offered")
    }

    /// An undo without a state reverts the same person's change, and offers nothing to any device.
    @Test mutating func anUndoWithoutAStateIsSafe() throws {
        func details(_ author: String?) -> ChangeDetails {
            var details = self.details
            details.author = author
            return details
        }
        func changed(_ feed: FeedRepository, by author: String?, _ body: (inout PatchListDraft) -> Void)
            -> FeedRepository
        {
            var feed = feed
            feed.edit(in: details(author), body)
            return feed
        }
        func part(_ basisPoints: Int) -> (inout PatchListDraft) -> Void {
            { list in
                list.entries = list.entries.map {
                    var entry = $0
                    entry.rollout = Rollout(basisPoints: basisPoints)
                    return entry
                }
            }
        }
        func refused(_ new: FeedRepository, to old: FeedRepository, by author: String?) -> Bool {
            remedy { try new.checkUndo(to: old, undoing: [new.list.change], by: author) }
                == .giveState(old.state(of: .snapshot).version)
        }
        let narrow = changed(feed, by: "ada", part(500))
        let wide = changed(narrow, by: "ada", part(5000))
        #expect(throws: Never.self) { try wide.checkUndo(to: narrow, undoing: [wide.list.change], by: "ada") }
        #expect(refused(wide, to: narrow, by: "cron") && refused(wide, to: narrow, by: nil))
        #expect(refused(narrow, to: wide, by: "ada"), "a second undo is none")
        func stopped(_ state: PatchList.Entry.State) -> FeedRepository {
            changed(wide, by: "ada") { list in
                list.entries = list.entries.map {
                    var entry = $0
                    entry.state = state
                    return entry
                }
            }
        }
        let rising: [PatchList.Entry.State] = [.withdrawn, .paused, .shadow, .active]
        for (reach, state) in rising.enumerated() {
            for (other, old) in rising.enumerated() {
                #expect(refused(stopped(state), to: stopped(old), by: "ada") == (other > reach), "\(state) -> \(old)")
            }
        }
        // From shadow for all to an offer to a part, and back.
        let shadow = changed(stopped(.shadow), by: "ada", part(10_000))
        #expect(throws: Never.self) { try narrow.checkUndo(to: shadow, undoing: [narrow.list.change], by: "ada") }
        var undone = narrow
        #expect(try undone.undo(to: shadow, in: details("ada")))
        #expect(undone.list.entries.allSatisfy { $0.words == "in shadow, to 100% by installation" })
        #expect(refused(changed(shadow, by: "ada", part(500)), to: shadow, by: "ada"))
        // The same share of all devices, but other devices, and apps that were too old.
        let mixed = changed(narrow, by: "ada") { list in
            list.entries = list.entries.map {
                var entry = $0
                entry.rollout = Rollout(basisPoints: 500, seed: "other")
                return entry
            }
        }
        #expect(refused(mixed, to: narrow, by: "ada"))
        let newer = changed(narrow, by: "ada") { $0.minimumAppVersion = AppVersion("2.3.0") }
        #expect(refused(newer, to: narrow, by: "ada"))
        #expect(throws: Never.self) { try narrow.checkUndo(to: newer, undoing: [narrow.list.change], by: "ada") }
        let empty = changed(feed, by: "ada") { $0.entries = [] }
        #expect(throws: Never.self) {
            try empty.checkUndo(to: stopped(.withdrawn), undoing: [empty.list.change], by: "ada")
        }
        #expect(refused(empty, to: feed, by: "ada") && refused(empty, to: stopped(.shadow), by: "ada"))
        let off = changed(feed, by: "ada") { $0.isEnabled = false }
        #expect(refused(off, to: feed, by: "ada"))
        #expect(throws: Never.self) { try feed.checkUndo(to: off, undoing: [feed.list.change], by: nil) }
    }

    @Test mutating func publishListedVersionKeepsEntry() throws {
        let words = { (listing: Publication.Listing) -> String in
            switch listing {
            case .added: "added"
            case .unchanged: "unchanged"
            case .differs(let entry): entry.words
            }
        }
        let first = try feed.publish([publication(3), publication(4)], in: details)
        #expect(first.map(words) == ["unchanged", "added"])
        let paused = try feed.publish([publication(4, state: .paused), publication(4)], in: details)
        #expect(paused.map(words) == ["offered to all", "unchanged"])
        #expect(refusal { _ = try feed.publish([publication(3, bytes: "other")], in: details) }?.code == .feedPublished)
        // Groups have no order.
        func grouped(_ groups: [String]) throws -> Publication {
            var entry = PatchEntryDraft(FeedFixture.entry(5))
            entry.groups = groups
            return try Publication(FeedFile.Contents(Array("envelope 5".utf8)), entry: entry)
        }
        #expect(try feed.publish([grouped(["a", "b"])], in: details).map(words) == ["added"])
        #expect(try feed.publish([grouped(["b", "a"])], in: details).map(words) == ["unchanged"])
        // A pruned version keeps its bytes.
        _ = try feed.prune([Self.id], version: 1, in: details)
        let digest = try MessageDigest.sha256.text(of: Array("envelope 1".utf8))
        let files = [FeedFixture.name(1): digest]
        #expect(
            refusal { _ = try feed.publish([publication(1, bytes: "x")], files: files, in: details) }?.code
                == .feedPublished)
        #expect(try feed.publish([publication(1)], files: files, in: details).map(words) == ["withdrawn"])
        #expect(feed.digest(of: FeedFixture.path(1)) == nil)
    }

    /// A daily job has only the online key.
    @Test mutating func refreshOnlySomeKeysRenewsTheirRoles() throws {
        let online = keys.online.feedKey.id
        var soon = feed
        #expect(soon.refresh(with: [online], in: details) == [.renewed(.timestamp, version: 3)], "the others last")
        let late = ChangeDetails(at: FeedFixture.now.adding(days: 300))
        #expect(
            feed.refresh(with: [online], in: late) == [
                .endsSoon(.targets, days: 65), .renewed(.rollout, version: 3), .renewed(.snapshot, version: 3),
                .endsSoon(.root, days: 65), .renewed(.timestamp, version: 3),
            ])
        var asked = try keys.repository()
        let renewals = asked.refresh(with: [], asking: true, in: late)
        #expect(renewals.count { "\($0)".hasPrefix("renewed") } == 3, "a card may hold the online key: \(renewals)")
        // Two keys must sign, and one is available.
        let new = try SigningKey.generate(.ed25519)
        try keys.change(with: keys.root + [keys.release, new, keys.online]) { feed in
            try feed.rotate(
                .targets, adding: [new.feedKey], removing: [], threshold: 2, in: FeedFixture.details)
        }
        var two = try keys.repository()
        let release = keys.release.feedKey.id
        #expect(two.refresh(with: [release], in: late).contains(.endsSoon(.targets, days: 65)))
    }

    /// A list that was signed with a clock that is ahead is signed again.
    @Test func aWrongTimeIsMended() throws {
        let online = keys.online.feedKey.id
        let early = try #require(Timestamp(secondsSince1970: FeedFixture.now.secondsSince1970 - 10))
        var feed = feed
        _ = feed.refresh(with: [online], in: ChangeDetails(at: early))
        #expect(feed.published == early)
        var other = try keys.repository()
        _ = other.refresh(with: [], in: ChangeDetails(at: early))
        #expect(other.published == FeedFixture.now, "its key is not there")
    }

    /// After a change of the timestamp and snapshot keys, devices forget the versions that they have seen.
    @Test func rotateOnlineRolesBeginsWithTimestampAndSnapshot() throws {
        var details = details
        details.versionFloor = 1 << 40
        try keys.change { $0.edit(in: details) { $0.notice = "far" } }
        var feed = try keys.repository()
        details = FeedFixture.details
        details.unusedVersions = [.rollout: 3]
        let new = try FeedKey(SigningKey.generate(.ed25519).verifyingKey)
        let online = keys.online.feedKey.id
        let rotated = try feed.rotate(
            [.rollout, .timestamp, .snapshot], adding: [new], removing: [online], threshold: nil, in: details)
        #expect(rotated.map(\.role) == [.timestamp, .snapshot, .rollout])
        #expect(rotated.map(\.keys) == [1, 1, 1] && rotated.map(\.threshold) == [1, 1, 1])
        #expect(feed.state(of: .rollout).version == 3)
    }

    @Test mutating func theOnlyRoleThatWaitsIsMeant() throws {
        feed.edit(in: details) { $0.notice = "x" }
        #expect(try feed.waitingRole() == .rollout)
        _ = try feed.setTarget("trust/x.store", to: [1], in: details)
        #expect(remedy { _ = try feed.waitingRole() } == .giveRole(["rollout", "targets"]))
        try feed.sign(with: keys.signers([keys.online]))
        #expect(try feed.waitingRole() == .targets)
        try feed.sign(with: keys.signers([keys.release]))
        #expect(remedy { _ = try feed.waitingRole() } == .giveRole([]))
    }

    @Test func wholeDaysPartOfADayIsRoundedDown() {
        let now = FeedFixture.now
        #expect(now.wholeDays(until: now.adding(days: 7)) == 7)
        #expect(FeedFixture.at("2026-11-01T12:00:01Z").wholeDays(until: now.adding(days: 7)) == 6)
        #expect(FeedFixture.at("2026-11-01T12:00:01Z").wholeDays(until: now) == -1)
    }
}
