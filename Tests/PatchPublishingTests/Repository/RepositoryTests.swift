import FeedTestSupport
import PatchCrypto
import PatchFeed
import Synchronization
import TestSupport
import Testing

@testable import PatchPublishing

/// The state that a signer reads from a feed, and the files that a change makes.
@Suite(.ownThreads) struct RepositoryTests {
    private let feed: FeedFixture
    private let details = FeedFixture.details

    init() throws { feed = try FeedFixture(publishing: 1...2) }

    /// The files of a rotation of a role's keys, in order.
    private func rotation(of role: FeedRole, _ new: SigningKey, with keys: [SigningKey]) throws -> [String] {
        var repository = try feed.repository()
        try repository.rotate(
            role, adding: [new.feedKey], removing: repository.keys(of: role).ids, threshold: nil,
            in: details)
        return try repository.files(signedBy: feed.signers(keys + [new]), in: details).map(\.path)
    }

    /// A device that reads in the meantime finds no file that its root does not allow.
    @Test func aNewRootComesLastIfTheOldKeysSignToo() throws {
        let new = try SigningKey.generate(.ed25519)
        let all = feed.root + [feed.release, feed.online]
        #expect(
            try rotation(of: .targets, new, with: all).suffix(2) == ["metadata/timestamp.json", "metadata/2.root.json"])
        // The old key is lost.
        #expect(try rotation(of: .targets, new, with: feed.root + [feed.online]).last == "metadata/timestamp.json")
    }

    /// The old keys and the new ones sign a root.
    @Test func theSignersOfARootAreKnown() throws {
        let (before, new) = (try feed.repository(), try SigningKey.generate(.ed25519))
        try feed.change(with: feed.root + [new, feed.release, feed.online]) { repository in
            try repository.rotate(
                .root, adding: [new.feedKey], removing: before.keys(of: .root).ids, threshold: nil,
                in: details)
        }
        let after = try FeedRepository(root: feed.pinnedRoot) { feed.server[$0] }
        let approval = try #require(after.approvals(since: before).first)
        let ids = (feed.root + [new]).map(\.feedKey.id)
        #expect(approval.role == .root && Set(approval.keyIDs) == Set(ids))
    }

    /// Nobody could read the feed: a role with a key twice is malformed.
    @Test func aRoleOfANewFeedHasEachKeyOnce() throws {
        let (root, release, online) = (feed.root[0].feedKey, feed.release.feedKey, feed.online.feedKey)
        func code(_ root: [FeedKey], _ release: [FeedKey], _ online: [FeedKey]) -> PatchError.Code? {
            refusal {
                _ = try FeedRepository(
                    app: FeedFixture.app, environment: "release", root: root, rootThreshold: 1, release: release,
                    releaseThreshold: 1, online: online, at: FeedFixture.now)
            }?.code
        }
        #expect(code([root], [release], [online]) == nil)
        #expect(code([root, root], [release], [online]) == .config)
        #expect(code([root], [release, release], [online]) == .config)
        #expect(code([root], [release], [online, online]) == .config)
    }

    /// An interrupted run leaves at most one unlisted file of each role. Someone else may leave many.
    @Test func versionsThatAreTakenAreSkippedAndBounded() throws {
        let version = try feed.repository().state(of: .snapshot).version
        let file = try #require(feed.server["metadata/\(version).snapshot.json"])
        for number in 1...99 { feed.server["metadata/\(version + number).snapshot.json"] = file }
        try feed.change { $0.refresh([.snapshot], in: ChangeDetails(at: FeedFixture.now.adding(days: 20))) }
        #expect(try feed.repository().state(of: .snapshot).version == version + 100)
        for number in 1...100 { feed.server["metadata/\(version + 100 + number).snapshot.json"] = file }
        #expect(refusal { _ = try feed.repository() }?.code == .feedMismatch)
    }

    @Test func undoVersionListedSinceIsWithdrawn() throws {
        let before = try feed.repository()
        try feed.publish(3...3)
        var repository = try feed.repository()
        var details = details
        details.reason = "too early"
        let isChanged = try repository.undo(to: before, in: details)
        #expect(isChanged && repository.list.entries.map(\.version) == [1, 2, 3])
        #expect(repository.list.entries.map(\.state) == [.active, .active, .withdrawn])
        #expect(repository.list.entries[2].reason == "too early")
        // The state is in effect now, so it is not signed once more, and the withdrawal keeps its reason.
        repository.changed = []
        details.reason = "again"
        let isChangedAgain = try repository.undo(to: before, in: details)
        #expect(!isChangedAgain && repository.changed.isEmpty)
        #expect(repository.list.entries[2].reason == "too early")
    }

    /// A withdrawal needs no path.
    @Test func undoKeepsWithdrawalsWithoutAPath() throws {
        var repository = try feed.repository()
        func withdraw(_ index: Int) {
            repository.edit(in: details) { list in
                let old = list.entries[index]
                list.entries[index] = PatchEntryDraft(withdrawing: old.id, version: old.version)
            }
        }
        withdraw(0)
        let before = repository
        withdraw(1)
        #expect(before.list.offersMore(than: repository.list) != nil)
        let isChanged = try repository.undo(to: before, in: details)
        #expect(isChanged && repository.list.entries.map(\.state) == [.withdrawn, .active])
        let older = try feed.repository()
        let isRestored = try repository.undo(to: older, in: details)
        #expect(isRestored && repository.list.entries.map(\.state) == [.active, .active])
    }

    /// A change waits for signatures, while another one is made and signed.
    @Test func aChangeIsMadeAgainOnTopOfAnother() throws {
        let base = try feed.repository()
        var (waiting, other) = (base, base)
        waiting.edit(in: details) { list in
            list.notice = "soon"
            list.setSwitch("a", to: "waiting")
        }
        other.edit(in: details) { list in
            list.isEnabled = false
            list.setSwitch("a", to: "signed")
            list.minimumAppVersion = AppVersion("2.0.0")
        }
        try waiting.rebase(from: base, onto: other, in: details)
        let list = waiting.list
        #expect(list.notice == "soon" && !list.isEnabled && list.minimumAppVersion == AppVersion("2.0.0"))
        #expect(list.switches?["a"]?.text == "waiting")
        #expect(waiting.changed == [.rollout] && waiting.signatures[.rollout]?.isEmpty == true)
        #expect(waiting.state(of: .rollout).version == other.state(of: .rollout).version + 1)
        // A change that does not affect the list needs nothing.
        var targets = base
        _ = try targets.setTarget("x", to: [1], in: details)
        try targets.rebase(from: base, onto: other, in: details)
        #expect(targets.changed == [.targets])
    }

    /// If two people change two switches, neither change is lost. The order is the same in each run, because the list
    /// is signed, and names that only look the same stay two.
    @Test func eachSwitchIsMergedByItself() throws {
        var base = try feed.repository()
        base.edit(in: details) { list in
            for name in ["kept", "both", "removed", "removed since"] { list.setSwitch(name, to: "old") }
        }
        base.changed = []
        var (waiting, other) = (base, base)
        waiting.edit(in: details) { list in
            list.setSwitch("checkout", to: "waiting")
            list.setSwitch("both", to: "waiting")
            list.setSwitch("removed", to: nil)
        }
        other.edit(in: details) { list in
            for name in ["search", "caf\u{E9}", "cafe\u{301}", "b", "a"] { list.setSwitch(name, to: "signed") }
            list.setSwitch("both", to: "signed")
            list.setSwitch("removed since", to: nil)
        }
        try waiting.rebase(from: base, onto: other, in: details)
        let switches = waiting.list.switches?.members.map { "\($0.key)=\($0.value.text ?? "")" }
        #expect(
            switches == [
                "kept=old", "both=waiting", "checkout=waiting", "search=signed", "caf\u{E9}=signed",
                "cafe\u{301}=signed", "b=signed", "a=signed",
            ])
    }

    /// The first switch of a list may be in either of the two changes.
    @Test(arguments: [true, false]) func aFirstSwitchIsMerged(isWaiting: Bool) throws {
        let base = try feed.repository()
        var (waiting, other) = (base, base)
        func change(_ repository: inout FeedRepository, setsSwitch: Bool) {
            repository.edit(in: details) { list in
                if setsSwitch { list.setSwitch("a", to: "1") } else { list.notice = "soon" }
            }
        }
        change(&waiting, setsSwitch: isWaiting)
        change(&other, setsSwitch: !isWaiting)
        try waiting.rebase(from: base, onto: other, in: details)
        #expect(waiting.list.switches?["a"]?.text == "1" && waiting.list.notice == "soon")
    }

    /// A version that is withdrawn while a change waits may be unlisted. It then gets an entry.
    @Test func entriesThatWereAddedSinceStay() throws {
        let id = FeedFixture.entry(1)["id"]?.text ?? ""
        let base = try feed.repository()
        var (waiting, other) = (base, base)
        waiting.edit(in: details) { $0.notice = "soon" }
        other.replace([:], adding: [90, 91].map { base.withdrawal(of: id, version: $0) }, in: details)
        try waiting.rebase(from: base, onto: other, in: details)
        let states = waiting.list.entries.map { "\($0.version) \($0.state?.rawValue ?? "")" }
        #expect(states == other.list.entries.map { "\($0.version) \($0.state?.rawValue ?? "")" })
        #expect(states.suffix(2) == ["90 withdrawn", "91 withdrawn"])
    }

    /// A version that was withdrawn since stays withdrawn, even if the waiting change prunes it.
    @Test func aWithdrawalIsNotPruned() throws {
        let id = FeedFixture.entry(1)["id"]?.text ?? ""
        let base = try feed.repository()
        var (waiting, other) = (base, base)
        let version = try #require(waiting.entries(of: id).first { $0.state != .withdrawn }?.version)
        waiting.edit(in: details) { list in list.entries.removeAll { $0.id == id && $0.version == version } }
        let withdrawal = base.withdrawal(of: id, version: version)
        other.replace([withdrawal.name: withdrawal], adding: [], in: details)
        try waiting.rebase(from: base, onto: other, in: details)
        #expect(try waiting.entry(id, version: version).state == .withdrawn)
    }

    /// An undo removes an entry. A change that waits for that entry still waits.
    @Test func entriesThatWereRemovedSinceAreGoneUnlessTheyWait() throws {
        let base = try feed.repository()
        var (waiting, other) = (base, base)
        let entry = try waiting.entry(FeedFixture.entry(2)["id"]?.text ?? "", version: 2)
        var paused = entry
        paused.state = .paused
        waiting.replace(entry, with: paused, in: details)
        other.edit(in: details) { $0.entries = [] }
        try waiting.rebase(from: base, onto: other, in: details)
        #expect(waiting.list.entries.map(\.version) == [2] && waiting.list.entries[0].state == .paused)
    }

    /// The reason for stopping all patches is the reason of the change that stopped them.
    @Test func theStopThatWasSignedHasItsReason() throws {
        let base = try feed.repository()
        func stopped(_ reason: String) -> FeedRepository {
            var (feed, details) = (base, details)
            details.reason = reason
            feed.edit(in: details) { $0.isEnabled = false }
            return feed
        }
        var waiting = stopped("waiting")
        try waiting.rebase(from: base, onto: stopped("signed"), in: details)
        #expect(!waiting.list.isEnabled && waiting.list.stop?.reason == "signed")
    }

    /// A patch's state in a waiting change does not override a state that was signed since.
    @Test func theStateThatWasSignedWins() throws {
        let base = try feed.repository()
        func changed(reason: String? = nil, _ change: (inout PatchEntryDraft) -> Void) -> FeedRepository {
            var feed = base
            var details = details
            details.reason = reason
            feed.edit(in: details) { list in
                list.entries = list.entries.map { entry in
                    var entry = entry
                    if entry.version == 2 { change(&entry) }
                    return entry
                }
            }
            return feed
        }
        var waiting = changed { entry in
            entry.state = .paused
            entry.rollout = Rollout(basisPoints: 500)
        }
        let other = changed(reason: "crashes") { entry in
            entry.state = .withdrawn
            entry.groups = ["qa"]
            entry.rollout = Rollout(basisPoints: 100)
        }
        try waiting.rebase(from: base, onto: other, in: details)
        let entry = try waiting.entry(FeedFixture.entry(2)["id"]?.text ?? "", version: 2)
        #expect(entry.state == .withdrawn && entry.reason == "crashes" && entry.groups == ["qa"])
        #expect(entry.rollout?.basisPoints == 500)
    }

    /// The state to which a patch resumes belongs to the pause.
    @Test func rebasePausedInShadowResumesInShadow() throws {
        func changed(_ feed: FeedRepository, _ change: (inout PatchEntryDraft) -> Void) -> FeedRepository {
            var (feed, entry) = (feed, feed.list.entries[0])
            change(&entry)
            feed.replace(feed.list.entries[0], with: entry, in: details)
            return feed
        }
        let base = changed(try feed.repository()) { $0.state = .shadow }
        var waiting = changed(base) { ($0.state, $0.rollout) = (.active, Rollout(basisPoints: 500)) }
        try waiting.rebase(from: base, onto: changed(base) { $0.state = .paused }, in: details)
        #expect(waiting.list.entries[0].words == "paused in shadow, to 5% by installation")
        var paused = changed(base) { $0.state = .paused }
        try paused.rebase(from: base, onto: changed(base) { $0.state = .active }, in: details)
        #expect(paused.list.entries[0].words == "paused in shadow, to all")
    }

    /// Of two audiences, the one that reaches fewer devices is in force after the merge, whole, with its reason.
    @Test(arguments: [
        (waiting: "80", other: "5", merged: "offered to 5% by installation: other"),
        ("5", "80", "offered to 5% by installation: waiting"),
        ("80 qa", "5", "offered to 5% by installation: other"),
        ("5", "80 qa", "offered to 5% by installation: waiting"),
        ("1 qa", "5", "offered to 5% by installation: other"),
        ("5 qa", "5 qa", "offered to 5% by installation, and group qa: other"),
    ])
    func rebaseNarrowerAudienceWins(waiting: String, other: String, merged: String) throws {
        /// - Parameter audience: The percentage, and groups.
        func changed(_ feed: FeedRepository, to audience: String, _ name: String) -> FeedRepository {
            var (feed, entry) = (feed, feed.list.entries[0])
            var details = FeedFixture.details
            details.author = name
            details.reason = name
            let words = audience.split(separator: " ").map(String.init)
            entry.rollout = Rollout(basisPoints: (Int(words[0]) ?? 0) * 100)
            entry.groups = Array(words.dropFirst())
            feed.replace(feed.list.entries[0], with: entry, in: details)
            return feed
        }
        var base = changed(try feed.repository(), to: "50", "base")
        base.changed = []
        var rebased = changed(base, to: waiting, "waiting")
        try rebased.rebase(from: base, onto: changed(base, to: other, "other"), in: details)
        let entry = rebased.list.entries[0]
        #expect("\(entry.words): \(entry.reason ?? "")" == merged && entry.change.author == entry.reason)
    }

    /// An undo is urgent, and a change that waits does not take it back.
    @Test func rebaseOntoUndoKeepsItsAudience() throws {
        func changed(_ feed: FeedRepository, to percent: Int) -> FeedRepository {
            var (feed, entry) = (feed, feed.list.entries[0])
            entry.rollout = Rollout(basisPoints: percent * 100)
            feed.replace(feed.list.entries[0], with: entry, in: FeedFixture.details)
            return feed
        }
        let five = changed(try feed.repository(), to: 5)
        var base = changed(five, to: 50)
        base.changed = []
        var (waiting, undone) = (changed(base, to: 80), base)
        var urgent = details
        urgent.reason = "undo"
        let isChanged = try undone.undo(to: five, in: urgent)
        try waiting.rebase(from: base, onto: undone, in: details)
        let entry = waiting.list.entries[0]
        #expect(isChanged && entry.words == "offered to 5% by installation" && entry.reason == "undo")
    }

    /// What stops a patch the most, or last, is in force after the merge, with its reason.
    @Test(arguments: [
        (base: "active", waiting: "withdrawn", other: "paused", merged: "withdrawn: waiting"),
        ("active", "bare", "paused", "withdrawn: waiting"),
        ("active", "paused", "shadow", "paused: waiting"),
        ("active", "paused", "paused", "paused: other"),
        ("active", "shadow", "withdrawn", "withdrawn: other"),
        ("paused", "active", "paused", "paused: other"),
        ("withdrawn", "active", "withdrawn", "withdrawn: other"),
        ("paused", "active", "", "active: waiting"),
        ("active", "", "paused", "paused: other"),
    ])
    func rebaseStrongerStopWins(base: String, waiting: String, other: String, merged: String) throws {
        /// - Parameter state: The state to change the entry to; `bare` for a withdrawal without anything else, and
        ///   empty for another change.
        func changed(_ feed: FeedRepository, to state: String, _ reason: String) -> FeedRepository {
            var feed = feed
            var details = details
            details.reason = reason
            let old = feed.list.entries[0]
            var entry = state == "bare" ? PatchEntryDraft(withdrawing: old.id, version: old.version) : old
            if let state = PatchList.Entry.State(rawValue: state) { entry.state = state }
            entry.reason = reason
            feed.edit(in: details) { list in
                if state.isEmpty { list.notice = reason } else { list.entries[0] = entry }
            }
            return feed
        }
        var start = changed(try feed.repository(), to: base, "base")
        start.changed = []
        var feed = changed(start, to: waiting, "waiting")
        try feed.rebase(from: start, onto: changed(start, to: other, "other"), in: details)
        let entry = feed.list.entries[0]
        #expect("\(entry.state?.rawValue ?? ""): \(entry.reason ?? "")" == merged)
    }

    /// All patches are stopped again, for another reason, while a change waits that switches them on.
    @Test func rebaseStopOfStoppedFeedStays() throws {
        func changed(_ feed: FeedRepository, _ reason: String, _ change: (inout PatchListDraft) -> Void)
            -> FeedRepository
        {
            var feed = feed
            var details = details
            details.reason = reason
            feed.edit(in: details, change)
            return feed
        }
        var base = changed(try feed.repository(), "first") { $0.isEnabled = false }
        base.changed = []
        var waiting = changed(base, "all is well") { list in
            list.isEnabled = true
            list.minimumAppVersion = AppVersion("1.5.0")
        }
        let other = changed(base, "fire") { list in
            list.stop = nil
            list.minimumAppVersion = AppVersion("2.0.0")
        }
        try waiting.rebase(from: base, onto: other, in: details)
        #expect(!waiting.list.isEnabled && waiting.list.stop?.reason == "fire")
        #expect(waiting.list.minimumAppVersion == AppVersion("2.0.0"))
    }

    /// A daily renewal of the timestamp leaves the signatures of a change that waits.
    @Test func rebaseOntoRenewalKeepsSignatures() throws {
        let base = try feed.repository()
        var waiting = base
        waiting.edit(in: details) { $0.notice = "soon" }
        try waiting.sign(with: feed.signers([feed.online]))
        let (version, signatures) = (waiting.state(of: .rollout).version, waiting.signatures[.rollout])
        var renewed = base
        renewed.refresh([.timestamp], in: details)
        try waiting.rebase(from: base, onto: renewed, in: details)
        #expect(signatures?.map(\.bytes) == waiting.signatures[.rollout]?.map(\.bytes) && signatures?.count == 1)
        #expect(waiting.state(of: .rollout).version == version && waiting.changed == [.rollout])
    }

    /// The keys of a state with an unknown root are not compared, because they may be from any time.
    @Test func keysOfAnUnknownRootAreNotCompared() throws {
        let old = try feed.repository()
        var new = old
        let keys = try [FeedKey(SigningKey.generate(.ed25519).verifyingKey)]
        try new.rotate(.targets, adding: keys, removing: [], threshold: nil, in: details)
        #expect(new.visibleChanges(since: old) == ["targets: adds the key \(keys[0].id.prefix(16))"])
        for (isOldKnown, isNewKnown) in [(false, true), (true, false), (false, false)] {
            var (old, new) = (old, new)
            old.knowsRoot = isOldKnown
            new.knowsRoot = isNewKnown
            #expect(new.visibleChanges(since: old).isEmpty)
        }
    }

    @Test func anUndoIsOfTheWholeList() throws {
        var repository = try feed.repository()
        repository.edit(in: details) { list in
            list.minimumAppVersion = AppVersion("2.0.0")
            list.notice = "old"
            list.setSwitch("a", to: "old")
        }
        let before = repository
        repository.edit(in: details) { list in
            list.isEnabled = false
            list.minimumAppVersion = nil
            list.notice = nil
            list.setSwitch("a", to: nil)
        }
        _ = try repository.undo(to: before, in: details)
        #expect(
            try repository.list.isEquivalent(to: before.list) && !before.list.isEquivalent(to: feed.repository().list))
    }

    /// A waiting change that switches patches off still does so, even if a change that was signed since does not.
    @Test func aSwitchThatWaitsStays() throws {
        let base = try feed.repository()
        var (waiting, other) = (base, base)
        waiting.edit(in: details) { $0.isEnabled = false }
        other.edit(in: details) { $0.notice = "other" }
        try waiting.rebase(from: base, onto: other, in: details)
        #expect(!waiting.list.isEnabled && waiting.list.notice == "other")
    }

    /// A command signs only for roles that no available key can sign.
    @Test func aCommandSignsWhatKeysCannot() throws {
        let online = try feed.signers([feed.online])
        let id = feed.release.feedKey.id
        let asked = Mutex(0)
        let command = FeedSigner(asking: { [release = feed.release] payload throws(PatchError) in
            asked.withLock { $0 += 1 }
            return try release.sign(payload[...])
        })
        var repository = try feed.repository()
        _ = try repository.setTarget("x", to: [1], in: details)
        repository.edit(in: details) { $0.notice = "x" }
        try repository.sign(with: online + [command])
        #expect(asked.withLock { $0 } == 1 && repository.signatures[.targets]?.map(\.keyID) == [id])
        #expect(try repository.missing().isEmpty)
        // A signature by none of the role's keys is refused.
        var other = try feed.repository()
        _ = try other.setTarget("x", to: [1], in: details)
        do {
            try other.sign(with: [FeedSigner(asking: { _ throws(PatchError) in [1] })])
            Issue.record("it was taken")
        } catch {
            #expect(error.code == .feedSignature)
        }
        #expect(other.signatures[.targets]?.isEmpty == true)
        #expect(try other.missing().map(\.role) == [.targets])
    }

    /// A folder may have signatures that were not made by any key of the role.
    @Test func onlySoundSignaturesAreTakenUp() throws {
        var waiting = try feed.repository()
        _ = try waiting.setTarget("x", to: [1], in: details)
        try waiting.sign(with: feed.signers([feed.release]))
        waiting.signatures[.targets]?.append(MetadataSignature(keyID: "thief", bytes: [1]))
        var files = feed.server.files
        for file in waiting.staged { files[file.path] = try file.bytes }
        var taken = try feed.repository()
        #expect(try taken.loadStagedChange { path in files[path] })
        #expect(taken.signatures[.targets]?.map(\.keyID) == [feed.release.feedKey.id])
    }

    /// Feeds that are made in the same second with the same keys are different.
    @Test func everyFeedHasAName() throws {
        func name() throws -> String? {
            let new = try FeedFixture.feed(root: feed.root, release: [feed.release], online: feed.online)
            return new.bodies.root.json["feed"]?.text
        }
        let (first, second) = (try name(), try name())
        #expect(first?.count == 32 && second?.count == 32 && first != second)
    }

    /// The lifetime of metadata begins with the change, or with the last list if that is up to an hour ahead.
    @Test func metadataLastFromTheChangeOn() throws {
        func end(of moment: String) throws -> Timestamp {
            var repository = try feed.repository()
            repository.refresh([.timestamp], in: ChangeDetails(at: FeedFixture.at(moment)))
            return repository.state(of: .timestamp).expires
        }
        #expect(try end(of: "2026-11-03T12:00:00Z") == FeedFixture.at("2026-11-10T12:00:00Z"))
        #expect(try end(of: "2026-11-01T11:00:00Z") == FeedFixture.at("2026-11-08T12:00:00Z"))
        #expect(try end(of: "2026-11-01T10:59:59Z") == FeedFixture.at("2026-11-08T10:59:59Z"))
    }

    /// Devices would not read the snapshot, which has the author.
    @Test func metadataAreNoLargerThanDevicesRead() throws {
        var (details, repository) = (FeedFixture.details, try feed.repository())
        details.author = String(repeating: "a", count: FeedLimits().snapshot)
        let signers = try feed.signers([feed.release, feed.online])
        repository.edit(in: details) { $0.notice = "hello" }
        let fault = refusal { _ = try repository.files(signedBy: signers, in: details) }
        #expect(fault?.code == .feedLimit && fault?.message.contains("role snapshot") == true)
    }

    /// A root that devices do not read is not trusted here either.
    @Test func aRootIsNoLargerThanDevicesRead() throws {
        for (more, code) in [(0, PatchError.Code.feedMalformed), (1, .feedLimit)] {
            feed.server["metadata/2.root.json"] = [UInt8](repeating: 0x20, count: FeedLimits().root + more)
            #expect(refusal { _ = try feed.repository() }?.code == code)
        }
    }
}
