import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import PatchFeed

@Suite(.ownThreads) struct PatchListTests {
    /// The vectors for other implementers: buckets, and names of users.
    private struct Vectors: Decodable {
        struct Bucket: Decodable {
            let seed: String
            let unit: String
            let bucket: Int
        }

        struct User: Decodable {
            let patch: String
            let user: String
            let name: String
        }

        let buckets: [Bucket]
        let users: [User]
    }

    @Test func rolloutVectorsGiveBucketsAndNames() throws {
        let file = URL(filePath: "\(Tool.root)/Tests/Vectors/rollout.json")
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        try #require(!vectors.buckets.isEmpty && !vectors.users.isEmpty)
        for vector in vectors.buckets {
            #expect(try Rollout.bucket(of: vector.unit, seed: vector.seed) == vector.bucket, "\(vector)")
        }
        for vector in vectors.users {
            #expect(try Rollout.name(of: vector.user, patch: vector.patch) == vector.name, "\(vector)")
        }
    }

    /// A bucket can be computed without this library.
    @Test func theCommandInTheDocumentationAgrees() throws {
        let run = try Tool.shell(
            "printf 'patchpack rollout 1\\n%s\\n%s' com.example.shop.cart-total ada | openssl dgst -sha256 -r")
        let number = try #require(Int(run.text.prefix(8), radix: 16))
        #expect(try Rollout.bucket(of: "ada", seed: "com.example.shop.cart-total") == number % 10_000)
    }

    @Test func bucketsOfDevicesAreSpreadEvenly() throws {
        let buckets = try (0..<20_000).map { try Rollout.bucket(of: "device \($0)", seed: "com.example.shop.x") }
        for percent in [1, 5, 25, 50] {
            let share = Double(buckets.count { $0 < percent * 100 }) / Double(buckets.count) * 100
            #expect(abs(share - Double(percent)) < 0.3, "\(percent): \(share)")
        }
    }

    @Test func aPercentageIsBetweenNoneAndAll() {
        for (given, kept) in [(-1, 0), (0, 0), (1, 1), (9_999, 9_999), (10_000, 10_000), (10_001, 10_000)] {
            #expect(Rollout(basisPoints: given).basisPoints == kept)
        }
    }

    private func list(_ patches: String, _ more: String = #""enabled":true,"schema":1"#) throws -> PatchList {
        let text = """
            {\(more),"app":"com.example.shop","environment":"release","published":"2026-11-01T12:00:00Z",
             "patches":[\(patches)]}
            """
        return try PatchList(decoding: Array(text.utf8))
    }

    private func entry(_ version: Int, _ more: String = "", id: String = "com.example.shop.x", state: String = "active")
        -> String
    {
        #"""
        {"id":"\#(id)","version":\#(version),"path":"patches/x-\#(version).js","appVersions":">=2.0 <3.0",\#
        "engine":1,"state":"\#(state)"\#(more)}
        """#
    }

    private func device(_ change: (inout FeedDevice) -> Void = { _ in }) -> FeedDevice {
        var device = FeedDevice(
            app: "com.example.shop", environment: "release", appVersion: Self.version("2.1"), installation: "i-1")
        change(&device)
        return device
    }

    private static func version(_ text: String) -> AppVersion {
        guard let version = AppVersion(text) else { fatalError("not a version: \(text)") }
        return version
    }

    private func codes(
        _ list: PatchList, _ device: FeedDevice? = nil, held: Int? = nil, banned: Set<Int> = []
    ) throws -> [String] {
        try list.choices(
            for: device ?? self.device(), held: held.map { ["com.example.shop.x": [$0]] } ?? [:]
        ) { banned.contains($0.version) }.map { "\($0.version) \($0.code)" }
    }

    @Test func theHighestThatFitsIsOffered() throws {
        let three = try list([entry(1), entry(3), entry(2)].joined(separator: ","))
        #expect(try codes(three) == ["3 offered", "2 superseded", "1 superseded"])
        #expect(try codes(three, held: 3) == ["3 kept", "2 superseded", "1 superseded"])
        #expect(try codes(three, held: 2) == ["3 offered", "2 superseded", "1 superseded"])
        #expect(try codes(three, banned: [3]) == ["3 banned", "2 offered", "1 superseded"])
        #expect(try codes(three, held: 3, banned: [3]) == ["3 banned", "2 offered", "1 superseded"])
        #expect(
            try codes(three, device { $0.appVersion = Self.version("3.0") }) == [
                "3 appVersion", "2 appVersion", "1 appVersion",
            ])
        let engine = try list(entry(2).replacing(#""engine":1"#, with: #""engine":2"#) + "," + entry(1))
        #expect(try codes(engine) == ["2 engine", "1 offered"])
    }

    @Test func pausedEntryDeviceWithoutPatchIsNotOffered() throws {
        let paused = try list(entry(2, state: "paused") + "," + entry(1))
        #expect(try codes(paused) == ["2 paused", "1 offered"])
        #expect(try codes(paused, held: 2) == ["2 kept", "1 superseded"])
        // A value that this version does not know neither stops a running patch nor starts one.
        #expect(try codes(list(entry(2, state: "frozen")), held: 2) == ["2 kept"])
        #expect(try codes(list(entry(2, state: "frozen"))) == ["2 paused"])
    }

    /// A version in shadow takes no other one off, and one that was live is no longer kept.
    @Test func shadowEntryBesideOthersRunsAboveTheLiveVersion() throws {
        let shadow = try list([entry(3, state: "shadow"), entry(2, state: "shadow"), entry(1)].joined(separator: ","))
        #expect(try codes(shadow) == ["3 shadow", "2 superseded", "1 offered"])
        #expect(try codes(shadow, held: 1) == ["3 shadow", "2 superseded", "1 kept"])
        #expect(try codes(shadow, held: 3) == ["3 shadow", "2 superseded", "1 offered"])
        #expect(try codes(shadow, held: 4) == ["4 unlisted", "3 superseded", "2 superseded", "1 superseded"])
        #expect(try codes(shadow, banned: [3]) == ["3 banned", "2 shadow", "1 offered"])
        let lower = try list(entry(2) + "," + entry(1, state: "shadow"))
        #expect(try codes(lower) == ["2 offered", "1 superseded"])
        let group = #","groups":["qa"]"#
        let some = try list([entry(3, group, state: "shadow"), entry(2, state: "shadow")].joined(separator: ","))
        #expect(try codes(some) == ["3 group", "2 shadow"])
        #expect(try codes(some, held: 3) == ["3 group", "2 shadow"])
        #expect(try codes(some, device { $0.groups = ["qa"] }) == ["3 shadow", "2 superseded"])
        let newer = #""enabled":true,"schema":2"#
        #expect(try codes(list(entry(3, state: "shadow"), newer)) == ["3 feedTooNew"])
    }

    @Test func withdrawnEntryAnyDeviceIsWithdrawn() throws {
        let withdrawn = try list(entry(2, state: "withdrawn") + "," + entry(1))
        #expect(try codes(withdrawn, held: 2) == ["2 withdrawn", "1 offered"])
        #expect(try codes(withdrawn) == ["2 withdrawn", "1 offered"])
        #expect(try codes(list(entry(2, state: "withdrawn")), held: 2) == ["2 withdrawn"])
        // Offered, withdrawn, and then the previous version offered again.
        #expect(try codes(withdrawn, held: 1) == ["2 withdrawn", "1 kept"])
    }

    @Test func theKillSwitchIsForEverything() throws {
        let off = try list(entry(2), #""enabled":false,"schema":1"#)
        #expect(try codes(off) == ["2 disabled"])
        #expect(try codes(off, held: 2) == ["2 disabled"])
        #expect(try codes(off, held: 9) == ["9 disabled", "2 disabled"])
    }

    @Test func aNewerFormatIsObeyedButNotTaken() throws {
        let newer = try list(
            [entry(3), entry(2, state: "withdrawn"), entry(1)].joined(separator: ","),
            #""enabled":true,"schema":2,"x":{}"#)
        #expect(try codes(newer) == ["3 feedTooNew", "2 withdrawn", "1 feedTooNew"])
        #expect(try codes(newer, held: 1) == ["3 feedTooNew", "2 withdrawn", "1 kept"])
        #expect(try codes(list(entry(1), #""enabled":false,"schema":2"#), held: 1) == ["1 disabled"])
    }

    @Test func heldPatchNotListedStays() throws {
        let one = try list(entry(1))
        #expect(try codes(one, held: 5) == ["5 unlisted", "1 superseded"])
        #expect(try codes(list(entry(7)), held: 5) == ["7 offered", "5 superseded"])
        #expect(try codes(list(""), held: 5) == ["5 unlisted"])
    }

    /// The bucket of `ada` is 1565 for this seed.
    @Test func thePercentageTakesNothingAway() throws {
        func rolledOut(to basisPoints: Int, by: String = "user") throws -> PatchList {
            let seed = "com.example.shop.receipt-greeting"
            let rollout = #"{"permyriad":\#(basisPoints),"by":"\#(by)","seed":"\#(seed)"}"#
            return try list(entry(1, #","rollout":\#(rollout)"#))
        }
        let ada = device { $0.user = "ada" }
        #expect(try codes(rolledOut(to: 1566), ada) == ["1 offered"])
        #expect(try codes(rolledOut(to: 1565), ada) == ["1 rollout"])
        #expect(try codes(rolledOut(to: 0), ada, held: 1) == ["1 kept"])
        #expect(try codes(rolledOut(to: 10_000)) == ["1 rollout"], "no user is signed in")
        #expect(try codes(rolledOut(to: 10_000, by: "installation")) == ["1 offered"])
        #expect(try codes(rolledOut(to: 0, by: "installation")) == ["1 rollout"])
    }

    /// Swift's strings compare as text, and other readers of a list do not.
    @Test func groupsAndUsersCompareByBytes() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let user = try Rollout.name(of: composed, patch: "com.example.shop.x")
        let byUser = try list(entry(1, #","users":["\#(user)"]"#))
        let byGroup = try list(entry(1, #","groups":["\#(composed)"]"#))
        #expect(try codes(byUser, device { $0.user = composed }) == ["1 offered"])
        #expect(try codes(byGroup, device { $0.groups = [composed] }) == ["1 offered"])
        #expect(try codes(byUser, device { $0.user = decomposed }) == ["1 group"])
        #expect(try codes(byGroup, device { $0.groups = [decomposed] }) == ["1 group"])
    }

    @Test func groupsAndUsersAreEnough() throws {
        let name = try Rollout.name(of: "ada", patch: "com.example.shop.x")
        let groups = try list(entry(1, #","groups":["qa"]"#))
        #expect(try codes(groups) == ["1 group"])
        #expect(try codes(groups, device { $0.groups = ["beta", "qa"] }) == ["1 offered"])
        let users = try list(entry(1, #","users":["\#(name)"]"#))
        #expect(try codes(users, device { $0.user = "ada" }) == ["1 offered"])
        #expect(try codes(users, device { $0.user = "grace" }) == ["1 group"])
        let both = try list(entry(1, #","groups":["qa"],"rollout":{"permyriad":0,"by":"installation"}"#))
        #expect(try codes(both) == ["1 group"], "no device is within 0 %")
        #expect(try codes(both, device { $0.groups = ["qa"] }) == ["1 offered"])
        let named = try list(entry(1, #","users":["\#(name)"],"rollout":{"permyriad":0,"by":"user"}"#))
        #expect(try codes(named) == ["1 group"])
        #expect(try codes(named, device { $0.user = "ada" }) == ["1 offered"])
        let wider = try list(entry(1, #","groups":["qa"],"rollout":{"permyriad":1,"by":"user"}"#))
        #expect(try codes(wider) == ["1 rollout"], "no user is signed in")
    }

    /// Whatever else a later version of the format adds to the entry.
    @Test(arguments: [
        #"{"id":"com.example.shop.x","version":1,"state":"withdrawn"}"#,
        #"{"id":"com.example.shop.x","version":1,"state":"withdrawn","path":7,"rollout":{"by":"region"},"engine":"x"}"#,
    ])
    func aWithdrawalIsAlwaysObeyed(text: String) throws {
        for more in [#""enabled":true,"schema":1"#, #""enabled":true,"schema":2"#] {
            #expect(try codes(list(text, more), held: 1) == ["1 withdrawn"])
        }
    }

    /// The online key's signed part is below `rollout`.
    @Test(arguments: ["rollout/evil.json", "/patches/x", "p", "", "Patches/x"])
    func anEnvelopeIsOneOfThePatches(path: String) throws {
        let text =
            #"{"id":"com.example.shop.x","version":1,"path":"\#(path)","appVersions":"*","engine":1,"state":"active"}"#
        #expect(try list(text).entries.isEmpty)
    }

    @Test func patchListManySwitchesAreAllRead() throws {
        let switches = (0..<21_000).map { #""s\#($0)":"""# }.joined(separator: ",")
        let text =
            #"{"enabled":true,"schema":1,"app":"a","environment":"e","published":"2026-11-01T12:00:00Z","patches":[],"#
            + #""switches":{"# + switches + "}}"
        #expect(try PatchList(decoding: Array(text.utf8)).switches.count == 21_000)
    }

    @Test func anAppThatIsTooOldGetsNothing() throws {
        let old = try list(entry(1), #""enabled":true,"schema":1,"minimumAppVersion":"2.2""#)
        #expect(try codes(old, held: 1) == ["1 appVersion"])
    }

    /// A later schema may give it another form. The kill switch must reach this version of the app all the same.
    @Test func patchListMinimumVersionOfOtherFormIsRead() throws {
        let list = try list(entry(1), #""enabled":false,"schema":2,"minimumAppVersion":{"ios":"2.2"}"#)
        #expect(list.minimumAppVersion == nil && !list.isEnabled)
    }

    @Test func anotherAppOrEnvironmentIsRefused() throws {
        let one = try list(entry(1))
        for other in [device { $0.app = "com.example.other" }, device { $0.environment = "debug" }] {
            #expect(throws: PatchError(.feedMismatch, "")) { try one.choices(for: other) }
        }
    }

    @Test(arguments: [
        "{}", "null", #"{"id":"x","version":1}"#,
        #"{"id":"com.example.shop.x","version":0,"path":"patches/p","appVersions":"*","engine":1,"state":"active"}"#,
        #"{"id":"com.example.shop.x","version":1,"path":"patches/p","appVersions":"2","engine":1,"state":"active"}"#,
        #"""
        {"id":"com.example.shop.x","version":1,"path":"patches/p","appVersions":"*","engine":1,"state":"active",\#
        "rollout":{"permyriad":10001,"by":"user"}}
        """#,
        #"""
        {"id":"com.example.shop.x","version":1,"path":"patches/p","appVersions":"*","engine":1,"state":"active",\#
        "groups":[1]}
        """#,
    ])
    func aMalformedEntryIsRefusedByItself(text: String) throws {
        let list = try list(text + "," + entry(2))
        #expect(try codes(list) == ["2 offered"])
        #expect(list.errors.count == 1)
    }

    @Test func theSameVersionTwiceCountsAsWithdrawnIfEitherIs() throws {
        for patches in [entry(1) + "," + entry(1, state: "withdrawn"), entry(1, state: "withdrawn") + "," + entry(1)] {
            let list = try list(patches)
            #expect(try codes(list, held: 1) == ["1 withdrawn"])
            #expect(list.errors.count == 1)
        }
    }

    @Test(arguments: [
        "", "[]", "{}",
        #"{"schema":0,"enabled":true,"app":"a","environment":"e","published":"2026-11-01T12:00:00Z","patches":[]}"#,
        #"{"schema":1,"enabled":1,"app":"a","environment":"e","published":"2026-11-01T12:00:00Z","patches":[]}"#,
        #"{"schema":1,"enabled":true,"app":"a","environment":"e","published":"yesterday","patches":[]}"#,
        #"{"schema":1,"enabled":true,"app":"a","environment":"e","published":"2026-11-01T12:00:00Z","patches":{}}"#,
    ])
    func patchListWrongJSONIsMalformed(text: String) {
        #expect(throws: PatchError(.feedMalformed, "")) { try PatchList(decoding: Array(text.utf8)) }
    }

    @Test func aListMayHaveTenThousandPatches() throws {
        let entries = (1...PatchList.entryLimit).map { entry(1, id: "com.example.shop.x\($0)") }
        let all = try list(entries.joined(separator: ","))
        #expect(all.entries.count == PatchList.entryLimit && all.errors.isEmpty)
        let choices = try all.choices(for: device())
        #expect(choices.count == PatchList.entryLimit && choices.allSatisfy { $0.code == .offered })
    }

    @Test func aListThatIsTooLargeIsRefused() throws {
        #expect(throws: PatchError(.feedLimit, "")) {
            try PatchList(decoding: [UInt8](repeating: 0x20, count: PatchList.byteLimit + 1))
        }
        let many = (1...PatchList.entryLimit + 1).map { _ in "{}" }.joined(separator: ",")
        #expect(throws: PatchError(.feedLimit, "")) { try list(many) }
    }
}
