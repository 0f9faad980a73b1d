import FeedTestSupport
import Foundation
import PatchCrypto
import PatchFeed
import TestSupport
import Testing

@testable import PatchPublishing

/// The earlier states of a feed, and the description of each change.
@Suite(.ownThreads) struct FeedHistoryTests {
    private static let name = "com.example.shop.cart-total 1"
    private let place: FeedPlace

    init() throws { place = try FeedPlace() }

    private var history: FeedHistory {
        FeedHistory(reading: place.folder().read) { (number) throws(PatchError) in
            try place.folder().repository(root: place.root, snapshot: number)
        }
    }

    private func changes(of id: String? = nil, most: Int = 20) throws -> [FeedHistory.Change] {
        try history.changes(until: place.repository(), of: id, most: most) { Issue.record($0) }
    }

    private func pause(_ author: String, _ reason: String?, at now: Timestamp = FeedFixture.now) throws {
        var details = ChangeDetails(at: now)
        details.author = author
        details.reason = reason
        try place.change(in: details) { feed in
            let entry = feed.list.entries[0]
            var paused = entry
            paused.state = entry.state == .paused ? .active : .paused
            feed.replace(entry, with: paused, in: details)
        }
    }

    @Test func eachChangeIsSaidWithItsAuthor() throws {
        try pause("ada", "hm")
        try place.change { $0.refresh([.timestamp], in: FeedFixture.details) }
        try place.change { $0.edit(in: FeedFixture.details) { $0.notice = "hello" } }
        let changes = try changes()
        #expect(
            changes.map(\.lines) == [
                ["notice: none -> hello"], ["changed \(Self.name): offered to all -> paused, to all"],
                ["signed: \(FeedFixture.path(1))", "listed \(Self.name): offered to all"],
            ])
        #expect(changes.map(\.snapshot) == [4, 3, 2])
        #expect(changes[1].stamp == ChangeStamp(time: FeedFixture.now, author: "ada", reason: "hm"))
        #expect(try self.changes(most: 1).map(\.snapshot) == [4])
        #expect(try self.changes(of: "com.example.shop.cart-total").map(\.snapshot) == [3, 2])
        #expect(try self.changes(of: "com.example.shop.cart").isEmpty)
    }

    /// A change that devices do not see was signed too.
    @Test func feedHistoryChangesUnseenByDevicesAreListed() throws {
        try pause("ada", "crash")
        func sign(_ details: ChangeDetails, _ reason: String?) throws {
            try place.change(in: details) { feed in
                let entry = feed.list.entries[0]
                feed.replace(
                    [entry.name: try #require(entry.changed(to: entry, reason: reason))], adding: [], in: details)
            }
        }
        var details = FeedFixture.details
        details.author = "cron"
        details.reason = "second"
        try sign(details, "second")
        var later = ChangeDetails(at: FeedFixture.now.adding(days: 1))
        later.author = "cron"
        try place.change(in: later) { $0.edit(in: later) { _ in } }
        for byte: UInt8 in 1...2 {
            try place.change { _ = try $0.setTarget("trust/x.store", to: [byte], in: FeedFixture.details) }
        }
        #expect(
            try changes(most: 4).map(\.lines) == [
                ["signed with other bytes: trust/x.store"], ["signed: trust/x.store"],
                ["the list was signed again"], ["reason of \(Self.name): crash -> second"],
            ])
        #expect(try changes().map(\.stamp.author).prefix(4) == [nil, nil, "cron", "cron"])
        #expect(try changes(of: "com.example.shop.cart-total").map(\.snapshot) == [4, 3, 2])
        // An undo restores the list from before the pause.
        #expect(try history.stateBefore(place.repository()).state.list.entries[0].state == .active)
    }

    /// Numbers may be skipped, to pass the numbers that a thief has used.
    @Test func feedHistorySkippedSnapshotNumbersAreTolerated() throws {
        var details = FeedFixture.details
        details.versionFloor = 500
        try place.change(in: details) { feed in
            feed.refresh(Set(FeedRole.allCases), in: details)
            feed.edit(in: details) { $0.notice = "far" }
        }
        #expect(try changes().map(\.snapshot) == [501, 2])
    }

    /// The states before a missing snapshot need not be this feed's.
    @Test func aMissingSnapshotEndsTheHistory() throws {
        try pause("ada", nil)
        try pause("bob", nil)
        try FileManager.default.removeItem(atPath: place.disk.at("feed/metadata/3.snapshot.json"))
        #expect(refusal { _ = try changes() }?.code == .feedUnavailable)
        #expect(refusal { _ = try history.stateBefore(place.repository()) }?.code == .feedUnavailable)
        let (older, gap) = try history.state(at: 2, from: place.repository())
        #expect(older.list.entries[0].state == .active && gap?.code == .feedUnavailable)
        #expect(refusal { _ = try history.state(at: 3, from: place.repository()) }?.code == .feedUnavailable)
    }

    /// Another copy of the feed has a snapshot of the same number, which the same keys have signed.
    @Test func aSnapshotOfAnotherCopyIsNotThisFeeds() throws {
        try place.copy(to: "other")
        try pause("ada", nil)
        try place.turn("mine")
        try place.turn("theirs", in: "other")
        for name in try place.disk.contents() where name.hasPrefix("other/") && !name.contains("timestamp") {
            guard let bytes = try? place.disk.read(name) else { continue }
            try place.disk.write(bytes, to: "feed/\(name.dropFirst("other/".count))")
        }
        let present = try place.repository()
        #expect(refusal { _ = try history.stateBefore(present) }?.code == .feedMismatch)
        #expect(refusal { _ = try history.state(at: 3, from: present) }?.code == .feedMismatch)
        #expect(refusal { _ = try history.state(at: 2, from: present) }?.code == .feedMismatch)
        #expect(refusal { _ = try changes() }?.code == .feedMismatch)
        #expect(try history.state(at: 4, from: present).gap == nil)
        #expect(refusal { _ = try history.state(at: 5, from: present) }?.code == .config)
    }

    /// A change of a reason is the same for devices, but its author may not want it undone.
    @Test func eachUndoneChangeHasAnAuthor() throws {
        try pause("ada", "crash")
        var details = FeedFixture.details
        details.author = "bob"
        details.reason = "ticket 12"
        try place.change(in: details) { feed in
            let entry = feed.list.entries[0]
            feed.replace(
                [entry.name: try #require(entry.changed(to: entry, reason: "ticket 12"))], adding: [], in: details)
        }
        let feed = try place.repository()
        let (older, undone) = try history.stateBefore(feed)
        #expect(older.list.entries[0].state == .active && undone.map(\.author) == ["bob", "ada"])
        let refused = refusal { try feed.checkUndo(to: older, undoing: undone, by: "bob") }
        #expect(refused?.message == "a change since then was made by ada: crash")
    }

    /// A device without a user gets a patch that is for all installations, but not one that is for all users.
    @Test func undoCheckAllUsersToInstallationsIsRefused() throws {
        func audience(_ basisPoints: Int, _ unit: Rollout.Unit) throws -> FeedRepository {
            var feed = try place.repository()
            var entry = feed.list.entries[0]
            entry.rollout = Rollout(basisPoints: basisPoints, unit: unit)
            feed.replace(feed.list.entries[0], with: entry, in: FeedFixture.details)
            return feed
        }
        func isRefused(_ now: FeedRepository, _ older: FeedRepository) -> Bool {
            refusal { try now.checkUndo(to: older, undoing: [], by: nil) } != nil
        }
        let (users, installations) = (try audience(10_000, .user), try audience(9000, .installation))
        #expect(isRefused(users, installations))
        #expect(try !isRefused(users, audience(9000, .user)))
        #expect(try !isRefused(audience(10_000, .installation), installations))
        #expect(try isRefused(users, place.repository()))
    }

    @Test func feedHistoryUnreadableSnapshotEndsLog() throws {
        try pause("ada", nil)
        try place.disk.write([1], to: "feed/metadata/2.snapshot.json")
        #expect(throws: PatchError.self, "there is nothing to show") { try self.changes() }
        try pause("bob", nil)
        var fault: PatchError?
        let changes = try history.changes(until: place.repository(), of: nil, most: 20) { fault = $0 }
        #expect(changes.map(\.stamp.author) == ["bob"] && fault != nil)
    }

    @Test func stateBeforeRefreshedListHasDifferentList() throws {
        try pause("ada", nil)
        try place.change { $0.refresh([.timestamp, .snapshot, .rollout], in: FeedFixture.details) }
        let before = try history.stateBefore(place.repository()).state
        #expect(before.list.entries[0].state == .active)
        let empty = try history.stateBefore(before).state
        #expect(empty.list.entries.isEmpty && refusal { _ = try history.stateBefore(empty) }?.code == .config)
    }

    @Test func visibleChangesEachListMemberIsNamed() throws {
        let old = try place.repository()
        var new = old
        new.edit(in: FeedFixture.details) { list in
            list.isEnabled = false
            list.minimumAppVersion = AppVersion("2.0")
            list.setSwitch("a", to: "b")
            list.entries = []
        }
        #expect(
            new.visibleChanges(since: old) == [
                "all patches: on -> off", "minimum app version: none -> 2.0", "switches: none -> {\"a\":\"b\"}",
                "no longer listed \(Self.name): it was offered to all",
            ])
        // The author and the time of a change do not affect devices.
        var same = old
        same.edit(in: ChangeDetails(at: FeedFixture.now.adding(days: 1))) { $0.change.author = "ada" }
        #expect(same.list.isEquivalent(to: old.list) && same.visibleChanges(since: old).isEmpty)
        // A part that has no words of its own.
        var other = old
        let entry = other.list.entries[0]
        var next = entry
        next.json.set("future", .integer(1))
        other.replace(entry, with: next, in: FeedFixture.details)
        #expect(other.visibleChanges(since: old).first?.contains("\"future\":1") == true)
    }

    @Test func keysAndThresholdsAreSaid() throws {
        let new = try FeedKey(SigningKey.generate(.ed25519).verifyingKey)
        let old = try place.repository()
        var rotated = old
        let gone = place.keys.online.feedKey.id
        try rotated.rotate(.timestamp, adding: [new], removing: [gone], threshold: nil, in: FeedFixture.details)
        #expect(
            rotated.visibleChanges(since: old) == [
                "timestamp: removes the key \(gone.prefix(16))", "timestamp: adds the key \(new.id.prefix(16))",
            ])
        var two = old
        try two.rotate(.targets, adding: [new], removing: [], threshold: 2, in: FeedFixture.details)
        #expect(
            two.visibleChanges(since: old) == [
                "targets: adds the key \(new.id.prefix(16))", "targets: 2 keys must sign, no longer 1",
            ])
    }

    /// A signer sees every member that changes, even one without a name.
    @Test func signedChangesUnknownMemberIsListed() throws {
        let old = try place.repository()
        var new = old
        var one = new.list
        one.json.set("future", .array([.object([("x", .integer(1))]), .object([("x", .integer(2))])]))
        new.edit(in: FeedFixture.details) { $0 = one }
        var two = new
        one.json.set("future", .array([.object([("x", .integer(2))]), .object([("x", .integer(1))])]))
        two.edit(in: FeedFixture.details) { $0 = one }
        #expect(
            two.changes(since: new).contains(#"list: future [{"x":1},{"x":2}] -> [{"x":2},{"x":1}]"#),
            "elements without names are in an order")
        #expect(new.changes(since: old).contains(#"list: future adds [{"x":1},{"x":2}]"#))
        #expect(old.changes(since: new).contains(#"list: future removes [{"x":1},{"x":2}]"#))
    }

    /// `since` is the time of the last change, which has one reason, and `offered` the beginning of the offer.
    @Test func anEntrySaysSinceWhenAndWhy() throws {
        let later = FeedFixture.now.adding(days: 1)
        var feed = try place.repository()
        let listed = feed.list.entries[0]
        #expect(listed.offered == FeedFixture.now)
        var details = ChangeDetails(at: later)
        details.reason = "of the change"
        var wide = listed
        wide.rollout = Rollout(basisPoints: 100)
        feed.replace(listed, with: wide, in: details)
        let entry = feed.list.entries[0]
        #expect(entry.since == later && entry.offered == FeedFixture.now && entry.reason == "of the change")
        var paused = entry
        paused.state = .paused
        details.reason = "crash"
        feed.replace(entry, with: paused, in: details)
        #expect(feed.list.entries[0].reason == "crash")
        var resumed = feed.list.entries[0]
        resumed.state = .active
        feed.replace(feed.list.entries[0], with: resumed, in: details)
        #expect(feed.list.entries[0].offered == later)
    }
}
