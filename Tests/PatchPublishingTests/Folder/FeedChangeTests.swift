import FeedTestSupport
import Foundation
import PatchCrypto
import PatchFeed
import PatchFiles
import Synchronization
import TestSupport
import Testing

@testable import PatchPublishing

/// A series of changes by a signer.
@Suite(.ownThreads) struct FeedChangeTests {
    private let place: FeedPlace
    private let warnings = Warnings()

    init() throws {
        place = try FeedPlace()
        try place.disk.write(place.root, to: "pinned.json")
    }

    /// The warnings for the signer.
    private final class Warnings: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ warning: FeedChange.Warning) {
            let name = "\(warning)".prefix { $0 != "(" }
            all.withLock { $0.append(String(name)) }
        }
        var names: [String] { all.withLock { $0 } }
    }

    private func change(
        _ name: String = "feed", with keys: [SigningKey]? = nil, at now: Timestamp = FeedFixture.now,
        _ set: (inout FeedChange.Settings) -> Void = { _ in }
    ) throws -> FeedChange {
        var settings = FeedChange.Settings(ChangeDetails(at: now))
        set(&settings)
        return FeedChange(
            of: place.folder(name), settings, signers: try place.keys.signers(keys ?? [place.keys.online]),
            root: Path(place.disk.at("pinned.json")), keys: [Path(place.disk.at("a.pem"))]
        ) { [warnings] in warnings.add($0) }
    }

    /// A change of the list, which the online key signs.
    @discardableResult
    private func turn(_ word: String, _ change: FeedChange, isUrgent: Bool = false) throws -> FeedChange.Result {
        try change.run(isUrgent: isUrgent) { (feed, details) in
            feed.edit(in: details) { $0.setSwitch(word, to: "1") }
        }
    }

    /// A change of the targets, which the release key signs.
    private func addTarget(_ change: FeedChange) throws -> FeedChange.Result {
        try change.run(isUrgent: false) { (feed, details) throws(PatchError) in
            _ = try feed.setTarget("trust/x.store", to: [1], in: details)
        }
    }

    private func remedy(_ body: () throws -> Void) -> PublishingRemedy? { refusal(body)?.remedy as? PublishingRemedy }

    private func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try place.disk.contents() { files[name] = try? place.disk.read(name) }
        return files
    }

    private func switches() throws -> [String] { try place.repository().list.switches?.members.map(\.key) ?? [] }

    @Test func aChangeIsWrittenWithItsDetails() throws {
        let result = try turn("a", change { ($0.details.author, $0.details.reason) = ("ada", "why") })
        #expect(result.outcome == .written && result.missing.isEmpty && result.changes.isEmpty)
        #expect(result.files.last?.path == "metadata/timestamp.json")
        let list = try place.repository().list
        #expect(list.change.author == "ada" && list.change.reason == "why" && list.switches?["a"]?.text == "1")
        #expect(try turn("b", change()).feed.state(of: .snapshot).version == 4)
    }

    @Test func aTrialWritesNothingAndShowsEverything() throws {
        let before = try files()
        let result = try turn("a", change { $0.isTrial = true })
        #expect(result.outcome == .written && !result.files.isEmpty)
        #expect(result.changes.contains("list: switches adds {\"a\":\"1\"}"))
        _ = try addTarget(change { ($0.isTrial, $0.stages) = (true, true) })
        #expect(try files() == before)
    }

    @Test func feedChangeWithoutEffectWritesNothing() throws {
        let before = try files()
        #expect(try change().run(isUrgent: false) { _, _ in }.outcome == .unchanged)
        #expect(try files() == before)
    }

    @Test func signaturesThatAreMissingStopAChangeOrStageIt() throws {
        let before = try files()
        #expect(remedy { _ = try addTarget(change()) } == .giveKeysOrStage)
        #expect(try files() == before)
        let staged = try addTarget(change { $0.stages = true })
        #expect(staged.outcome == .staged && staged.missing.map(\.role) == [.targets])
        #expect(try place.repository().digest(of: "trust/x.store") == nil)
        // Another change waits until this one is signed or dropped.
        #expect(remedy { try turn("a", change()) } == .signOrDropStaged(in: place.disk.at("feed")))
        var shown: [String] = []
        let signed = try change(with: [place.keys.release, place.keys.online]).resume { _, changes in shown = changes }
        #expect(signed.outcome == .written && shown.contains { $0.contains("trust/x.store") })
        #expect(try place.repository().digest(of: "trust/x.store") != nil)
        #expect(!place.folder().hasStaged())
        #expect(refusal { _ = try change().resume { _, _ in } }?.code == .config)
    }

    /// One of two keys signs, and the change still waits.
    @Test func stagedChangeTwoSignersInTurnIsWritten() throws {
        let new = try SigningKey.generate(.ed25519)
        try place.change(with: place.keys.root + [place.keys.release, new, place.keys.online]) { feed in
            try feed.rotate(
                .targets, adding: [new.feedKey], removing: [], threshold: 2, in: FeedFixture.details)
        }
        _ = try addTarget(change(with: [place.keys.release]) { $0.stages = true })
        // A key that does not belong to the role adds no signature.
        let ids = [new.feedKey.id]
        for key in [place.keys.online, place.keys.release] {
            #expect(remedy { _ = try change(with: [key]).resume { _, _ in } } == .giveKeys(of: .targets, ids: ids))
        }
        #expect(try change(with: [new, place.keys.online]).resume { _, _ in }.outcome == .written)
    }

    /// Whoever has the online key signs first or last, alone or with another key.
    @Test(arguments: [
        [["release", "online"], ["new"], ["online"]], [["new", "online"], ["release"], ["online"]],
        [["release"], ["new"], ["online"]], [["new"], ["release", "online"]], [["release", "new"], ["online"]],
    ])
    func stagedChangeSignersInAnyOrderIsWrittenByTheLast(_ turns: [[String]]) throws {
        let new = try SigningKey.generate(.ed25519)
        let keys = ["release": place.keys.release, "new": new, "online": place.keys.online]
        try place.change(with: place.keys.root + [place.keys.release, new, place.keys.online]) { feed in
            try feed.rotate(
                .targets, adding: [new.feedKey], removing: [], threshold: 2, in: FeedFixture.details)
        }
        var outcomes: [FeedChange.Result.Outcome] = []
        for turn in turns {
            let change = try change(with: turn.compactMap { keys[$0] }) { $0.stages = outcomes.isEmpty }
            let result = try outcomes.isEmpty ? addTarget(change) : change.resume { _, _ in }
            outcomes.append(result.outcome)
        }
        #expect(outcomes == turns.dropLast().map { _ in .staged } + [.written])
        #expect(!place.folder().hasStaged())
        // Nothing is newly signed by who comes once more without the missing key.
        let staged = try turn("a", change(with: [place.keys.release]) { $0.stages = true })
        #expect(staged.outcome == .staged && staged.missing.map(\.role) == [.rollout])
    }

    /// Devices can have a step of a rollout when it is signed, and not when it was staged.
    @Test func stagedStepBeginIsItsSignature() throws {
        let begin = FeedFixture.now
        let later = begin.adding(days: 1)
        func found(at now: Timestamp) throws -> Timestamp? {
            let change = try change(at: now)
            let feed = try change.repository()
            return try change.history().begin(of: feed.list.entries[0], until: feed)
        }
        let first = try found(at: begin)
        #expect(first == begin)
        let staged = try change(with: [place.keys.release], at: begin) { $0.stages = true }.run(isUrgent: false) {
            (feed, details) in
            let entry = feed.list.entries[0]
            var part = entry
            part.rollout = Rollout(basisPoints: 100, unit: .installation, seed: nil)
            feed.replace(entry, with: part, in: details)
        }
        #expect(staged.outcome == .staged)
        #expect(try change(at: later).resume { _, _ in }.outcome == .written)
        _ = try turn("a", change(at: later.adding(days: 1)))
        #expect(try place.repository().list.entries[0].since == begin)
        let found = try found(at: later)
        #expect(found == later, "\(String(describing: found))")
    }

    /// Old and new owners of the root sign in any order, each in a different place.
    @Test func aRootIsHandedOver() throws {
        let new = try [SigningKey.generate(.ed25519), SigningKey.generate(.ed25519)]
        let added = new.map(\.feedKey)
        let removed = place.keys.root.map(\.feedKey.id)
        let staged = try change(with: [new[0]]) { $0.stages = true }.run(isUrgent: false) {
            (feed, details) throws(PatchError) in
            try feed.rotate(.root, adding: added, removing: removed, threshold: 2, in: details)
        }
        #expect(staged.outcome == .staged)
        let half = try change(with: place.keys.root).resume { _, _ in }
        #expect(half.outcome == .staged && half.missing.map(\.count) == [1])
        #expect(try change(with: [new[1], place.keys.online]).resume { _, _ in }.outcome == .written)
    }

    @Test func anUrgentChangePassesWhatWaits() throws {
        _ = try addTarget(change { $0.stages = true })
        let urgent = try turn("a", change(), isUrgent: true)
        #expect(urgent.outcome == .written)
        #expect(try switches() == ["a"] && place.folder().hasStaged())
        // It does not affect the waiting change.
        _ = try change { $0.details.versionFloor = 300 }.run(isUrgent: true) { (feed, details) in
            #expect(details.locked == [.targets, .root])
            feed.refresh(Set(FeedRole.allCases), in: details)
        }
        #expect(try place.repository().state(of: .targets).version == 2)
        let both = try change(with: [place.keys.release, place.keys.online]).resume { _, _ in }
        #expect(both.outcome == .written)
        #expect(try switches() == ["a"] && place.repository().digest(of: "trust/x.store") != nil)
    }

    /// A waiting list includes the changes that were signed in the meantime.
    @Test func aListThatWaitsIsMadeAgain() throws {
        let waiting = try change(with: []) { $0.stages = true }.run(isUrgent: false) { (feed, details) in
            feed.edit(in: details) { $0.notice = "soon" }
        }
        #expect(waiting.outcome == .staged)
        #expect(try turn("a", change(), isUrgent: true).outcome == .written)
        #expect(try switches() == ["a"] && place.repository().list.notice == nil)
        #expect(try change().resume { _, _ in }.outcome == .written)
        #expect(try switches() == ["a"] && place.repository().list.notice == "soon")
    }

    /// The reason of one change is not recorded for the other.
    @Test func aListThatWaitsKeepsItsAuthorAndReason() throws {
        func change(with keys: [SigningKey], by author: String, _ reason: String?, stages: Bool = false) throws
            -> FeedChange
        {
            try self.change(with: keys) {
                $0.details.author = author
                $0.details.reason = reason
                $0.stages = stages
            }
        }
        _ = try change(with: [], by: "bob", nil, stages: true).run(isUrgent: false) { (feed, details) in
            feed.edit(in: details) { $0.notice = "soon" }
        }
        _ = try turn("a", change(with: [place.keys.online], by: "ada", "stop"), isUrgent: true)
        #expect(try place.repository().change.reason == "stop")
        _ = try change(with: [place.keys.online], by: "eve", "signs").resume { _, _ in }
        let feed = try place.repository()
        #expect(feed.list.notice == "soon" && feed.list.change.author == "bob" && feed.list.change.reason == nil)
        #expect(feed.change.author == "bob" && feed.change.reason == nil)
        // A change of the keys has its own words. The words in the list stay.
        _ = try change(with: place.keys.root + [place.keys.online], by: "eve", "yearly").run(isUrgent: false) {
            (feed, details) throws(PatchError) in
            let new = try FeedKey(SigningKey.generate(.ed25519).verifyingKey)
            try feed.rotate(.root, adding: [new], removing: [], threshold: nil, in: details)
        }
        #expect(try place.repository().change.reason == "yearly" && place.repository().list.change.author == "bob")
    }

    /// A question or a signature may take long. Meanwhile another process changes the feed, and the change is made
    /// again on that.
    @Test func aSlowChangeKeepsNoOtherFromTheFeed() throws {
        var calls = 0
        let result = try change().run(isUrgent: false) { (feed, details) throws(PatchError) in
            calls += 1
            if calls == 1 { #expect(throws: Never.self) { try turn("fast", change()) } }
            feed.edit(in: details) { $0.setSwitch("slow", to: "1") }
        }
        #expect(calls == 2 && result.outcome == .written)
        #expect(try switches() == ["fast", "slow"])
        // The same while a change is signed, and with one that waits for signatures.
        _ = try addTarget(change { $0.stages = true })
        let isFirst = Atomic(true)
        let signer = FeedSigner(asking: { [place] payload throws(PatchError) in
            if isFirst.exchange(false, ordering: .relaxed) { try? place.turn("other") }
            return try place.keys.online.sign(payload[...])
        })
        let slow = FeedChange(
            of: place.folder(), FeedChange.Settings(FeedFixture.details), signers: [signer],
            root: Path(place.disk.at("pinned.json")))
        _ = try turn("signed", slow, isUrgent: true)
        #expect(try switches() == ["fast", "slow", "other", "signed"] && place.folder().hasStaged())
    }

    /// A change that was overtaken has the time of its second attempt, so no time goes back.
    @Test func changeOvertakenHasItsOwnTime() throws {
        let later = try #require(Timestamp(secondsSince1970: FeedFixture.now.secondsSince1970 + 7200))
        let soon = try #require(Timestamp(secondsSince1970: FeedFixture.now.secondsSince1970 + 7201))
        var calls = 0
        let slow = try change { $0.clock = { calls == 0 ? FeedFixture.now : soon } }
        let result = try slow.run(isUrgent: false) { (feed, details) throws(PatchError) in
            if calls == 0 { #expect(throws: Never.self) { try turn("fast", change(at: later)) } }
            calls += 1
            feed.edit(in: details) { $0.setSwitch("slow", to: "1") }
        }
        #expect(calls == 2 && result.outcome == .written)
        #expect(try place.repository().published == soon && switches() == ["fast", "slow"])
    }

    /// An attempt may give the change a reason, as one that a gate pauses has.
    @Test func changeOvertakenHasItsOwnReason() throws {
        var reasons: [String?] = []
        let result = try change().run(isUrgent: false) { (feed, details) throws(PatchError) in
            reasons.append(details.reason)
            if reasons.count == 1 {
                details.reason = "first"
                #expect(throws: Never.self) { try turn("fast", change()) }
            }
            feed.edit(in: details) { $0.setSwitch("slow", to: "1") }
        }
        #expect(reasons == [nil, nil] && result.outcome == .written)
        #expect(try place.repository().list.change.reason == nil && switches() == ["fast", "slow"])
    }

    /// The lock, for which a kill switch waits, is not held while many envelopes are written.
    @Test func manyTargetsAreWrittenBeforeTheLock() throws {
        let change = try change(with: [place.keys.release, place.keys.online])
        let folder = Path(place.disk.at("feed"))
        let isSeen = Atomic(false)
        let done = DispatchSemaphore(value: 0)
        let result = try change.run(isUrgent: false) { [place] (feed, details) throws(PatchError) in
            for number in 0..<120 { _ = try feed.setTarget("trust/\(number).store", to: [UInt8(number)], in: details) }
            guard let lock = try Folder.lock(folder) else { throw PatchError(.internal, "it is locked") }
            // A change that waits for the lock first gives up after ten seconds. To write so much may take longer.
            Thread {
                for _ in 0..<1200 where !isSeen.load(ordering: .relaxed) {
                    usleep(50_000)
                    let names = (try? place.disk.contents()) ?? []
                    isSeen.store(names.contains { $0.hasSuffix(".119.store") }, ordering: .relaxed)
                }
                lock.unlock()
                done.signal()
            }.start()
        }
        done.wait()
        #expect(result.outcome == .written && isSeen.load(ordering: .relaxed))
        #expect(try place.repository().digest(of: "trust/119.store") != nil)
    }

    /// The second signer signs what was shown, although another process has changed the feed since then.
    @Test func stagedChangeFeedChangedMeanwhileIsShownAgain() throws {
        _ = try change(with: []) { $0.stages = true }.run(isUrgent: false) { (feed, details) in
            feed.edit(in: details) { $0.notice = "soon" }
        }
        var shown: [[String]] = []
        let result = try change().resume { (_, changes) throws(PatchError) in
            shown.append(changes)
            if shown.count == 1 { #expect(throws: Never.self) { try turn("a", change(), isUrgent: true) } }
        }
        #expect(result.outcome == .written && shown.count == 2)
        #expect(try switches() == ["a"] && place.repository().list.notice == "soon")
        // If the waiting change is dropped meanwhile, nothing is signed.
        _ = try addTarget(change { $0.stages = true })
        let other = try change()
        let dropped = refusal {
            _ = try change(with: [place.keys.release, place.keys.online]).resume {
                (_, _) throws(PatchError) in _ = try other.discard()
            }
        }
        #expect(dropped?.code == .config)
    }

    @Test func keysThatTheRoleHasAreNotSignedAgain() throws {
        let online = place.keys.online.feedKey
        let result = try change().run(isUrgent: false) { (feed, details) throws(PatchError) in
            try feed.rotate(.timestamp, adding: [online], removing: [], threshold: 1, in: details)
        }
        #expect(result.outcome == .unchanged)
    }

    @Test func stagedChangeUnreadableStopsOnlyNonUrgent() throws {
        try place.disk.write([1], to: "feed/staged/targets.json")
        #expect(remedy { try turn("a", change()) } == .dropStaged(in: place.disk.at("feed")))
        #expect(try turn("a", change(), isUrgent: true).outcome == .written)
        #expect(warnings.names == ["stagedIsUnreadable"] && place.disk.exists("feed/staged/targets.json"))
        // A change that would have to wait does not mix with it.
        let waits = try change(with: []) { $0.stages = true }
        #expect(remedy { try turn("b", waits, isUrgent: true) } == .dropStaged(in: place.disk.at("feed")))
        #expect(try place.disk.contents().filter { $0.hasPrefix("feed/staged/") } == ["feed/staged/targets.json"])
        #expect(try change { $0.isTrial = true }.discard() && place.folder().hasStaged())
        #expect(try change().discard() && !place.folder().hasStaged())
        #expect(try !change().discard())
    }

    /// Devices would refuse a time before the time of the last change, and one of the two clocks is wrong.
    @Test func theClockIsCompared() throws {
        let published = FeedFixture.now.secondsSince1970
        let (hour, earlier) = (
            Timestamp(secondsSince1970: published - 3600), Timestamp(secondsSince1970: published - 3601)
        )
        #expect(remedy { try turn("a", change(at: #require(earlier))) } == .setClock)
        let trial = try change(at: #require(hour)) { $0.isTrial = true }
        #expect(try turn("a", trial).outcome == .written)
        let right = try change(at: #require(earlier)) { $0.trustsClock = true }
        #expect(try turn("a", right).outcome == .written)
    }

    /// A change of keys that is not deployed yet keeps no stop waiting.
    @Test func feedChangeServedBeforeChangeOfKeysIsMade() throws {
        let old = try place.disk.read("feed/metadata/timestamp.json")
        let new = try SigningKey.generate(.ed25519)
        let online = place.keys.online.feedKey
        try place.change(with: place.keys.root + [place.keys.online, new]) { feed in
            try feed.rotate(
                .timestamp, adding: [new.feedKey], removing: [online.id], threshold: nil,
                in: FeedFixture.details)
        }
        let rotated = try change(with: [place.keys.online, new]) {
            $0.served = ("www", { FeedReply(.bytes(old), date: nil) })
        }
        #expect(try turn("a", rotated).outcome == .written)
    }

    @Test func feedChangeServedStateDiffersIsRefused() throws {
        try place.copy(to: "other")
        try place.turn("x", in: "other")
        let served = try place.disk.read("other/metadata/timestamp.json")
        func change(_ bytes: [UInt8]?, date: Timestamp? = nil, above: Int = 0) throws -> FeedChange {
            try self.change {
                $0.details.versionFloor = above
                $0.served = ("www", { FeedReply(bytes.map { .bytes($0) } ?? .missing, date: date) })
            }
        }
        #expect(refusal { try turn("a", change(served)) }?.code == .feedRollback, "it is newer")
        try place.turn("y")
        #expect(refusal { try turn("a", change(served)) }?.code == .feedConflict, "it is another copy's")
        #expect(try turn("a", change(served, above: 5)).outcome == .written, "which is given up")
        let late = try #require(Timestamp(secondsSince1970: FeedFixture.now.secondsSince1970 + 301))
        #expect(remedy { try turn("b", change(nil, date: late)) } == .setClock)
        let soon = try #require(Timestamp(secondsSince1970: FeedFixture.now.secondsSince1970 + 300))
        #expect(try turn("b", change(nil, date: soon)).outcome == .written)
        // A doubt about a clock keeps no stop waiting.
        let stop = try change(nil, date: late).run(isUrgent: true) { (feed, details) in
            feed.edit(in: details) { $0.isEnabled = false }
        }
        #expect(
            try stop.outcome == .written && !place.repository().list.isEnabled && warnings.names == ["clockDiffers"])
        #expect(
            remedy {
                _ = try change(nil, date: late).run(isUrgent: true) { (feed, details) in
                    feed.edit(in: details) { $0.isEnabled = true }
                }
            } == .setClock)
    }

    /// Times of a feed are whole seconds, so the time alone does not tell two stops apart.
    @Test func secondStopInTheSameSecondIsNotUndone() throws {
        func disable(_ author: String) throws {
            let stopping = try change {
                $0.details.author = author
                $0.details.reason = "seen by \(author)"
            }
            _ = try stopping.run(isUrgent: true) { (feed, details) in
                feed.edit(in: details) { list in
                    list.isEnabled = false
                    list.stop?.reason = details.reason
                }
            }
        }
        try disable("ada")
        var isFirst = true
        let enabling = try change()
        let error = refusal {
            _ = try enabling.run(isUrgent: false) { (feed, details) in
                if isFirst { #expect(throws: Never.self) { try disable("bob") } }
                isFirst = false
                feed.edit(in: details) { $0.isEnabled = true }
            }
        }
        #expect(error?.message == "all patches were switched off meanwhile, by bob: seen by bob")
        #expect(try !place.repository().list.isEnabled)
    }

    /// While a change waits for signatures, or is unreadable, nothing more is offered.
    @Test func urgentChangeOffersMoreWaitsForTheStagedOne() throws {
        func offer(_ part: Int) throws -> FeedChange.Result {
            try change().run(isUrgent: true) { (feed, details) throws(PatchError) in
                let entry = try feed.entry(feed.list.entries[0].id, version: nil)
                var new = entry
                new.rollout = Rollout(basisPoints: part, unit: .installation, seed: nil)
                feed.replace(entry, with: new, in: details)
            }
        }
        _ = try addTarget(change { $0.stages = true })
        #expect(try offer(500).outcome == .written)
        #expect(remedy { _ = try offer(2500) } == .signOrDropStaged(in: place.disk.at("feed")))
        try place.disk.write([1], to: "feed/staged/targets.json")
        #expect(remedy { _ = try offer(2500) } == .dropStaged(in: place.disk.at("feed")))
        #expect(try offer(100).outcome == .written)
    }

    /// The copy that was signed last was lost or given up, so versions above its own are signed.
    @Test func oldCopyVersionsAboveTheNoteAreSigned() throws {
        let old = try place.disk.read("feed/metadata/timestamp.json")
        for word in ["a", "b", "c"] { try turn(word, change()) }
        let last = try place.repository().state(of: .timestamp).version
        try #require(try place.disk.contents().contains { $0.hasSuffix(".signed") })
        try place.disk.write(old, to: "feed/metadata/timestamp.json")
        #expect(remedy { try turn("d", change()) } == .takeNewestOrPass(last))
        #expect(remedy { try turn("d", change { $0.details.versionFloor = last - 1 }) } == .takeNewestOrPass(last))
        #expect(try turn("d", change { $0.details.versionFloor = last }).feed.state(of: .timestamp).version == last + 1)
        #expect(try turn("e", change()).outcome == .written)
    }

    @Test func anOlderFolderIsNotSigned() throws {
        let old = try place.disk.read("feed/metadata/timestamp.json")
        try turn("a", change())
        try place.disk.write(old, to: "feed/metadata/timestamp.json")
        #expect(refusal { try turn("b", change()) }?.code == .feedRollback)
    }

    @Test func aFeedIsMadeOrNothingIs() throws {
        let keys = place.keys
        let feed = try FeedFixture.feed(root: keys.root, release: [keys.release], online: keys.online)
        #expect(remedy { _ = try change("new/feed").make(feed) } == .giveKeysOrStage)
        #expect(!place.disk.exists("new"))
        let made = try change("new/feed", with: keys.root + [keys.release, keys.online]).make(feed)
        #expect(made.outcome == .written && place.disk.exists("new/feed/metadata/1.root.json"))
        // The next signer with this key trusts it.
        let name = try MessageDigest.sha256.text(of: place.disk.read("new/feed/metadata/1.root.json")).prefix(16)
        #expect(place.disk.exists("feed-\(name).root.json"))
    }

    @Test func feedChangeNotAFeedHasRemedy() throws {
        try place.disk.write([], to: "folder/file")
        #expect(remedy { try turn("a", change("folder")) } == .makeFeed)
        let none = refusal { try turn("a", change("none")) }
        #expect(none?.code == .feedUnavailable && none?.hint == "the folder of the feed comes first")
        let inside = refusal { try turn("a", change("feed/metadata")) }
        #expect(inside?.hint == "did you mean \(Path(place.disk.at("feed")))?")
        for url in ["https://example.com/feed", "HTTP://example.com/feed"] {
            let online = FeedChange(
                of: FeedFolder(path: Path(url)), FeedChange.Settings(FeedFixture.details), signers: [])
            #expect(
                refusal { try turn("a", online) }?.hint
                    == "a change is made in the folder of the feed, and then deployed", "\(url)")
        }
    }

    @Test func feedChangeExpiredRolesWarns() throws {
        let late = FeedFixture.now.adding(days: 400)
        try turn("a", change(at: late))
        #expect(Set(warnings.names) == ["refused"], "root and targets have ended")
    }

    @Test func aListThatGrowsIsSaid() throws {
        let long = String(repeating: "x", count: PatchList.largeBytes)
        _ = try change().run(isUrgent: false) { (feed, details) in feed.edit(in: details) { $0.notice = long } }
        #expect(warnings.names == ["largeList"])
    }

    @Test func earlierStatesAreRead() throws {
        try turn("a", change())
        let older = try change().history().stateBefore(change().repository()).state
        #expect(older.state(of: .snapshot).version == 2)
    }

    @Test func authorsAreBounded() {
        #expect(ChangeDetails.author("") == nil)
        #expect(ChangeDetails.author(String(repeating: "x", count: 101))?.count == 100)
        let accents = "e" + String(repeating: "\u{301}", count: 200)
        #expect(accents.count == 1 && ChangeDetails.author(accents)?.utf8.count == 199, "an accent has two bytes")
    }
}
