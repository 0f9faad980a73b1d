import Foundation
import PatchCrypto
import PatchDevice
import PatchFeed
import PatchPublishing
import PatchRunner
import PatchTesting
import TestSupport
import Testing

extension DeviceSimulator {
    func confirmAndEnd() {
        confirm()
        end()
    }

    /// Launches of an app that works.
    func work(launches: Int) async throws {
        for _ in 0..<launches {
            try await launch(syncing: true)
            confirmAndEnd()
        }
    }

    /// Waits until a condition holds, while the clock runs.
    func pass(until isDone: () -> Bool) async throws {
        for _ in 0..<3_000 where !isDone() {
            advance(by: .seconds(1))
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(isDone())
    }
}

/// The state of patches on a device over several launches.
@Suite(.ownThreads) struct DeviceTests {
    static let id = "com.example.shop.price"

    struct App: Sendable {
        let price: Replaceable<@Sendable (Int) -> Int>

        init(_ registry: PatchRegistry) throws {
            price = try registry.replaceable("Shop.price") { (x: Int) -> Int in x }
        }
    }

    static func source(_ version: Int, id: String = id, tags: String = "", body: String? = nil) -> String {
        """
        -- @patch \(id)
        -- @version \(version)
        -- @app com.example.shop >=2.0.0
        -- @replaces Shop.price
        \(tags)
        \(body ?? "patch.replace('Shop.price', function(original, x) return original(x) + \(version) end)")
        """
    }

    func device(limits: PatchLimits = PatchLimits()) throws -> DeviceSimulator<App> {
        try DeviceSimulator(app: "com.example.shop", version: "2.3.1", limits: limits) { try App($0) }
    }

    /// Publishes version 7, and makes it good.
    func deviceWithAGoodPatch() async throws -> DeviceSimulator<App> {
        let device = try device()
        try device.feed.publish(source: Self.source(7))
        try await device.work(launches: 2)
        return device
    }

    /// The state of a device's patches, such as `7 good`.
    func stages(_ device: DeviceSimulator<App>) -> [String] {
        device.device?.store.state.held.map { "\($0.patch.version) \($0.stage.rawValue)" } ?? []
    }

    /// The reason that each version of a patch runs or not, such as `8 banned`.
    static func codes(_ device: DeviceSimulator<App>, _ id: String = id) -> [String] {
        device.why(id).map { "\($0.version ?? 0) \($0.code.rawValue)" }
    }

    @Test func aPatchIsDownloadedTriedAndGood() async throws {
        let device = try device()
        try device.feed.publish(source: Self.source(7))
        let report = try await device.launch(syncing: true)
        #expect(report?.error == nil)
        #expect(report?.results.map(\.outcome) == [.offered])
        #expect(device.app?.price(1) == 8)
        #expect(device.why(Self.id).first?.code == .trial)
        device.confirm()
        // It did not exist when the launch began.
        #expect(device.why(Self.id).first?.code == .trial)
        device.end()
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 8)
        device.confirm()
        #expect(device.why(Self.id).first?.code == .good)
    }

    /// The order of patches on a function is the same after a sync, an update and a launch, whatever came first.
    @Test(arguments: [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]])
    func theOrderOfPatchesIsTheSameEverywhere(order: [String]) async throws {
        let device = try device()
        func publish(_ name: String, _ version: Int) throws {
            let digit = try #require(["a": 1, "b": 2, "c": 3][name])
            let body = "patch.replace('Shop.price', function(original, x) return original(x * 10 + \(digit)) end)"
            try device.feed.publish(source: Self.source(version, id: "com.example.shop.\(name)", body: body))
        }
        for name in order {
            try publish(name, 1)
            if name == order[0] { try await device.launch(syncing: true) } else { await device.sync() }
        }
        #expect(device.app?.price(0) == 321)
        try publish(order[0], 2)
        await device.sync()
        #expect(device.app?.price(0) == 321)
        device.confirmAndEnd()
        try await device.launch()
        #expect(device.app?.price(0) == 321)
    }

    @Test func aPatchWithWhichLaunchesFailIsTakenBackWithoutTheFeed() async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.publish(source: Self.source(8))
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 9)
        device.feed.isOffline = true
        // It was activated late in the previous launch, and crashed it.
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 9)
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 8)
        #expect(
            device.events.contains {
                if case .rolledBack(let halt) = $0.kind { halt.patch.version == 8 } else { false }
            })
        device.confirm()
        device.feed.isOffline = false
        let report = await device.sync()
        #expect(report.results.map(\.outcome) == [.banned, .kept])
        #expect(Self.codes(device) == ["8 banned", "7 good"])
        #expect(device.why(Self.id)[0].reason.hasSuffix("; version 7 runs in its place"))
        try device.feed.publish(source: Self.source(9))
        await device.sync()
        #expect(device.app?.price(1) == 10)
    }

    /// An app update past a patch's range, and an expired patch, are reported as such. A gate on `refused` counts
    /// neither.
    @Test(arguments: [true, false]) func patchStatusOutdatedOrExpiredIsNotRefused(isUpdate: Bool) async throws {
        let device = try device()
        let source = Self.source(7, tags: isUpdate ? "" : "-- @expires 2026-10-01T00:00:00Z")
        try device.feed.publish(source: isUpdate ? source.replacing(">=2.0.0", with: "<3") : source)
        try await device.work(launches: 1)
        if isUpdate { try device.update(to: "3.0") } else { device.advance(by: .seconds(30 * 86_400)) }
        for _ in 0..<2 {
            let before = device.events.count
            try await device.launch()
            #expect(Self.codes(device) == [isUpdate ? "7 app-version" : "7 expired"])
            let names = device.events.dropFirst(before).map(\.name)
            // A version of the app holds no patches of other ones.
            let told = names.filter { ["not-applicable", "expired"].contains($0) }
            #expect(told == (isUpdate ? [] : ["expired"]))
            #expect(!names.contains("refused") && !names.contains("failed"))
            await device.sync()
            #expect(device.app?.price(1) == 1)
            device.end()
        }
    }

    /// Each of them is tried again alone, so the patch without a fault is not lost.
    @Test func crashGuardTwoPatchesOnTrialBansCrashingOne() async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.publish(source: Self.source(8))
        try device.feed.publish(source: Self.source(3, id: "com.example.shop.other"))
        try await device.launch(syncing: true)
        #expect(device.active.map(\.version) == [3, 8])
        device.crash()
        device.feed.isOffline = true
        try await device.launch(syncing: true)
        device.crash()
        try await device.launch(syncing: true)
        #expect(stages(device) == ["3 suspect", "8 suspect", "7 good"])
        let told = device.events.compactMap {
            switch $0.kind {
            case .suspected(let halt): "suspected \(halt.patch.version)"
            case .rolledBack(let halt): "rolled back \(halt.patch.version)"
            default: nil
            }
        }
        #expect(told.sorted() == ["suspected 3", "suspected 8"])
        #expect(device.active.map(\.version) == [7], "the good one stays")
        device.confirmAndEnd()
        try await device.launch(syncing: true)
        #expect(device.active.map(\.version) == [3, 7])
        device.confirmAndEnd()
        try await device.launch(syncing: true)
        #expect(device.active.map(\.version) == [3, 8])
        device.crash()
        try await device.launch(syncing: true)
        #expect(device.active.map(\.version) == [3, 7])
        #expect(stages(device) == ["3 good", "7 good"])
        #expect(Self.codes(device) == ["8 banned", "7 good"])
        #expect(device.device?.store.state.bans.map(\.patch.version) == [8])
    }

    @Test func safeModeGoodPatchesCrashRunsAppWithoutThem() async throws {
        let device = try await deviceWithAGoodPatch()
        device.feed.isOffline = true
        for _ in 0..<3 {
            try await device.launch(syncing: true)
            #expect(device.app?.price(1) == 8)
            device.crash()
        }
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1)
        #expect(device.why(Self.id).first?.code == .safeMode)
        #expect(device.events.contains { if case .safeMode(let mode) = $0.kind { mode.failures == 3 } else { false } })
        device.confirmAndEnd()
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1, "the patches were the reason, so they stay away")
        device.confirm()
        device.feed.isOffline = false
        try device.feed.publish(source: Self.source(8))
        try await device.launch(syncing: true)
        device.end()
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 9, "with another set it is tried again")
    }

    @Test func aNewVersionOfTheAppKeepsBansAndForgetsTrials() async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.publish(source: Self.source(8))
        try device.feed.publish(source: Self.source(1, id: "com.example.shop.banned"))
        try await device.launch(syncing: true)
        try device.device?.store.ban("com.example.shop.banned", reason: "for this test")
        #expect(device.active.map(\.version) == [8])
        device.crash()
        #expect(throws: PatchError(.config, "")) { try device.update(to: "two") }
        try device.update(to: "2.4.0")
        for _ in 0..<2 {
            let report = try await device.launch(syncing: true)
            #expect(report?.results.map(\.outcome) == [.banned, .kept, .superseded])
            #expect(device.app?.price(1) == 9)
            device.crash()
        }
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 8)
        // No launch of this version of the app was confirmed before, so the app may be one that never confirms.
        #expect(stages(device) == ["8 suspect", "7 good"])
        device.confirm()
        #expect(stages(device) == ["7 good"])
        // An app that is too old for a patch drops it.
        try device.update(to: "1.9.0")
        let report = try await device.launch(syncing: true)
        #expect(report?.results.map(\.outcome) == [.banned, .banned, .appVersion])
        #expect(device.active.isEmpty && stages(device).isEmpty)
    }

    @Test func withdrawnPatchRunningIsOffUntilResumed() async throws {
        let device = try await deviceWithAGoodPatch()
        let twelve = try device.feed.publish(source: Self.source(12))
        let thirteen = try device.feed.publish(source: Self.source(13))
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 14)
        device.confirm()
        try device.feed.withdraw(thirteen, reason: "wrong price")
        await device.sync()
        #expect(device.app?.price(1) == 13, "the next lower one is offered")
        try device.feed.withdraw(twelve)
        await device.sync()
        #expect(device.app?.price(1) == 8)
        try device.feed.withdraw(PatchID(id: Self.id, version: 7))
        await device.sync()
        #expect(device.app?.price(1) == 1)
        device.feed.isOffline = true
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1 && device.active.isEmpty)
        #expect(device.why(Self.id).first?.code == .withdrawn)
        device.feed.isOffline = false
        try device.feed.resume(twelve)
        await device.sync()
        #expect(device.app?.price(1) == 13)
        let reasons = device.events.compactMap { event -> String?? in
            if case .withdrawn(let withdrawal) = event.kind { withdrawal.reason } else { nil }
        }
        #expect(reasons == ["wrong price", nil, nil])
    }

    @Test func callsThatRunEndWhileTheirPatchIsWithdrawn() async throws {
        let (hasBegun, begins) = AsyncStream.makeStream(of: Void.self)
        let (mayEnd, ends) = AsyncStream.makeStream(of: Void.self)
        let device = try DeviceSimulator(app: "com.example.shop", version: "2.3.1") { registry in
            try registry.replaceable("Shop.wait") { (x: Int) async -> Int in
                begins.finish()
                for await _ in mayEnd {}
                return x
            }
        }
        let patch = try device.feed.publish(
            source: Self.source(7, body: "patch.replace('Shop.wait', function(original, x) return original(x) + 7 end)")
                .replacing("@replaces Shop.price", with: "@replaces Shop.wait"))
        try await device.launch(syncing: true)
        let wait = try #require(device.app)
        async let answer = wait(1)
        for await _ in hasBegun {}
        try device.feed.withdraw(patch)
        await device.sync()
        #expect(device.active.isEmpty)
        ends.finish()
        #expect(await answer == 8, "a call goes on in the patch that it has entered")
        #expect(await wait(1) == 1)
    }

    @Test func theKillSwitchHoldsWithoutTheFeed() async throws {
        let device = try await deviceWithAGoodPatch()
        try await device.launch(syncing: true)
        try device.feed.disable()
        await device.enterForeground()
        #expect(device.app?.price(1) == 8, "it is too early for another sync")
        device.advance(by: .seconds(3600))
        await device.enterForeground()
        #expect(device.app?.price(1) == 1)
        device.feed.isOffline = true
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1)
        #expect(device.why(Self.id).first?.code == .disabled)
        device.feed.isOffline = false
        try device.feed.enable()
        await device.sync()
        #expect(device.app?.price(1) == 8)
    }

    @Test func aPercentageTakesNothingAway() async throws {
        let device = try device()
        let patch = try device.feed.publish(source: Self.source(7), percent: 0)
        var firstIn: Int?
        for day in 0..<30 {
            // Up to 100 percent, and down again.
            let percent = min(day, 30 - day) * 100 / 15
            try device.feed.rollout(patch, percent: Double(percent))
            try await device.launch(syncing: true)
            device.confirm()
            let bucket = try Rollout.bucket(of: device.device?.store.installation ?? "", seed: Self.id)
            if firstIn == nil, bucket < percent * 100 { firstIn = day }
            #expect(device.active.isEmpty == (firstIn == nil), "day \(day)")
            device.end()
            device.advance(by: .seconds(1 * 86_400))
        }
        #expect(firstIn != nil)
    }

    /// A container starts with an empty folder each time. If the app sets its installation, it keeps its place in a
    /// rollout.
    @Test func theAppMayNameItsInstallation() async throws {
        let device = try device()
        try device.feed.publish(source: Self.source(7), percent: 50)
        for number in 0..<16 {
            let name = "files-\(number)"
            device.settings.installation = name
            let isIn = try Rollout.bucket(of: name, seed: Self.id) < 5_000
            for _ in 0..<2 {
                try await device.launch(syncing: true)
                #expect(device.active.isEmpty != isIn, "\(name)")
                #expect(device.device?.installation == name)
                device.end()
                try FileManager.default.removeItem(atPath: device.path)
            }
        }
        // The folder keeps the name of the last sync for `patchpack store status`.
        device.settings.installation = "files-0"
        try await device.launch(syncing: true)
        #expect(device.device?.store.state.givenName == "files-0")
        device.settings.installation = ""
        try await device.launch(syncing: true)
        #expect(device.device?.installation == device.device?.store.installation)
        #expect(device.device?.store.state.givenName == nil)
    }

    @Test func aBreakerThatOpensTwiceBansThePatch() async throws {
        var limits = PatchLimits()
        limits.failures = 3
        let device = try device(limits: limits)
        try device.feed.publish(source: Self.source(7))
        try await device.work(launches: 2)
        try device.feed.publish(source: Self.source(8, body: "patch.replace('Shop.price', function() error('no') end)"))
        for isBanned in [false, true] {
            try await device.launch(syncing: true)
            device.confirm()
            #expect(device.active.map(\.version) == [8])
            for _ in 0..<3 { #expect(device.app?.price(1) == 1) }
            // The last good version answers, and not the original.
            #expect(device.active.map(\.version) == [7] && device.app?.price(1) == 8)
            let reason = isBanned ? "it failed 3 times" : "it has failed too often in this launch; version 7 runs"
            #expect(device.why(Self.id).first?.reason.contains(reason) == true, "\(device.why(Self.id))")
            device.end()
        }
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 8)
        #expect(device.device?.store.state.bans.map(\.reason) == ["it failed 3 times"])
    }

    @Test(arguments: [
        "error('no')", "patch.replace('Shop.other', function() end)", "while true do end",
        "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1e6) .. i end",
    ])
    func aScriptThatDoesNotLoadIsTriedTwice(body: String) async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.publish(source: Self.source(8, body: body))
        try await device.launch(syncing: true)
        #expect(Self.codes(device) == ["8 refused", "7 good"])
        device.end()
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 8)
        device.end()
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 8)
        #expect(device.device?.store.state.bans.map(\.patch.version) == [8])
    }

    /// The version before stays in its launch, and becomes good in it.
    @Test func newVersionThatDoesNotLoadLeavesTheTrialOfTheOldOne() async throws {
        let device = try device()
        try device.feed.publish(source: Self.source(7))
        try await device.launch(syncing: true)
        device.end()
        try await device.launch()
        try device.feed.publish(source: Self.source(8, body: "error('no')"))
        await device.sync()
        #expect(Self.codes(device) == ["8 refused", "7 trial"])
        device.confirm()
        #expect(Self.codes(device) == ["8 refused", "7 good"])
        device.end()
        try await device.launch()
        #expect(device.app?.price(1) == 8)
        #expect(device.device?.store.state.bans.map(\.patch.version) == [8])
    }

    @Test func nextLaunchPatchDownloadedRunsAfterNextLaunch() async throws {
        let device = try device()
        try device.feed.publish(source: Self.source(7), nextLaunch: true)
        try await device.launch(syncing: true)
        await device.sync()
        #expect(device.app?.price(1) == 1)
        #expect(device.why(Self.id).first?.code == .downloaded)
        device.end()
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 8)
        // Nor does anything change while the app is in use.
        try device.feed.publish(source: Self.source(8))
        device.advance(by: .seconds(3600))
        await device.enterForeground()
        #expect(device.app?.price(1) == 8)
        device.end()
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 9)
    }

    @Test func switchesAndNoticesReachTheApp() async throws {
        let device = try device()
        try device.feed.setSwitch("checkout", to: "old")
        try device.feed.changeList { list in
            list.json.set("notice", .string("Please update."))
            list.json.set("minimumAppVersion", .string("3.0.0"))
        }
        try device.feed.publish(source: Self.source(7))
        let report = try await device.launch(syncing: true)
        #expect(report?.results.map(\.outcome) == [.appVersion])
        device.feed.isOffline = true
        try await device.launch(syncing: true)
        let state = try #require(device.device?.store.state)
        #expect(state.switches == ["checkout": "old"] && state.notice == "Please update.")
        #expect(state.minimumAppVersion == AppVersion("3.0.0"))
        let changes = device.events.filter { $0.name == "switches" }
        #expect(changes.count == 1)
    }

    @Test func settingsCountFromTheNextSyncOn() async throws {
        let device = try device()
        try device.feed.publish(source: Self.source(7), percent: 0, groups: ["qa"])
        try await device.launch(syncing: true)
        #expect(device.active.isEmpty)
        device.settings.groups = ["qa"]
        await device.sync()
        #expect(device.active.map(\.version) == [7])
    }

    @Test func aFeedOfAnotherEnvironmentIsRefused() async throws {
        let bench = try await deviceWithAGoodPatch()
        let registry = PatchRegistry()
        let app = try App(registry)
        let device = PatchDevice(
            host: try HostInfo(app: "com.example.shop", version: "2.3.1"), registry: registry, folder: bench.path,
            feed: .init(root: bench.feed.root, source: bench.feed, environment: "debug"),
            trust: PatchTrust(bench.feed.trust, scriptKeys: bench.feed.scriptKey),
            configuration: .init().with(clock: { Timestamp(nearestTo: 1_790_000_000) }))
        device.launch()
        #expect(await device.sync().error?.code == .feedMismatch)
        #expect(app.price(1) == 8, "what runs goes on running")
        device.close()
    }

    /// The list is right: the server or a proxy is not.
    @Test(arguments: [{ $0.dropLast() }, { $0 + [0x0A] }] as [@Sendable ([UInt8]) -> [UInt8]])
    func envelopeChangedOnItsWayIsUnavailable(change: @Sendable ([UInt8]) -> [UInt8]) async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.publish(source: Self.source(8))
        for (name, bytes) in device.feed.files where name.hasSuffix("-8.js") { device.feed.files[name] = change(bytes) }
        #expect(try await device.launch(syncing: true)?.results.first?.outcome == .unavailable)
    }

    @Test func patchListWrongVersionOfEnvelopeIsListMismatch() async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.publish(source: Self.source(8))
        // The online key lists an envelope as another version, to restore an old one.
        try device.feed.changeList { list in
            let patches = (list.json["patches"]?.elements ?? []).map { entry in
                var entry = entry
                if entry["version"]?.number == 8 { entry.set("version", .integer(9)) }
                return entry
            }
            list.json.set("patches", .array(patches))
        }
        let report = try await device.launch(syncing: true)
        #expect(report?.results.map(\.outcome) == [.listMismatch, .superseded])
        #expect(device.app?.price(1) == 8)
    }

    @Test func expiredPatchAtLaunchDoesNotRun() async throws {
        let device = try device()
        try device.feed.publish(source: Self.source(7, tags: "-- @expires 2026-10-01T00:00:00Z"))
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 8)
        device.end()
        device.advance(by: .seconds(5 * 86_400))
        try device.feed.refresh()
        device.advance(by: .seconds(6 * 86_400))
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1)
        #expect(device.why(Self.id).first?.reason.contains("expired") == true)
        // A sync says so too.
        let report = try await device.launch(syncing: true)
        #expect(report?.results.map(\.outcome) == [.expired])
        let reason = try #require(report?.results.first?.reason)
        #expect(reason.hasPrefix("the envelope has expired: the patch expired at 2026-10-01T00:00:00Z"), "\(reason)")
        #expect(Self.codes(device) == ["7 expired"])
    }

    /// Expired metadata stop nothing that runs.
    @Test func aFeedThatIsNotRefreshedOffersNothingNew() async throws {
        let device = try await deviceWithAGoodPatch()
        device.advance(by: .seconds(8 * 86_400))
        let report = try await device.launch(syncing: true)
        #expect(report?.error?.code == .feedExpired)
        #expect(device.app?.price(1) == 8)
    }

    /// Keys rotate without a new app, and patches that the old key signed no longer run.
    @Test func theFeedDeliversAndRevokesKeys() async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.rotateSigningKey()
        try device.feed.publish(source: Self.source(8))
        let report = try await device.launch(syncing: true)
        #expect(report?.results.map(\.outcome) == [.offered, .superseded])
        #expect(device.app?.price(1) == 9)
        device.feed.isOffline = true
        device.end()
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 9, "the delivered key counts without a network too")
        device.end()
        // Stored files are useless without their signatures.
        let file = "\(device.part)/feed/trust.store"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing(" revoked", with: "").write(toFile: file, atomically: true, encoding: .utf8)
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1, "the new key no longer counts, and the old one stays revoked")
        device.feed.isOffline = false
        await device.sync()
        #expect(device.app?.price(1) == 9)
    }

    private static let kinds = ["mkfifo", "mkdir", "ln -s /nowhere", "ln -s /dev/zero"]

    /// A file of the store is replaced by something else. Nothing hangs, and the next sync fixes as much as possible.
    /// Long tests try each kind for each file.
    @Test(arguments: kinds)
    func noFileOfAStoreIsWaitedFor(kind: String) async throws {
        let first = try #require(Self.kinds.firstIndex(of: kind))
        let device = try await deviceWithAGoodPatch()
        try device.feed.rotateSigningKey()
        try device.feed.publish(source: Self.source(8))
        try await device.work(launches: 2)
        let names = try FileManager.default.subpathsOfDirectory(atPath: device.path).filter { !$0.hasSuffix("lock") }
        #expect(names.contains("versions/2.3.1/feed/trust.store") && names.contains("installation"))
        for (number, name) in names.enumerated()
        where testsMayBeLong || (number + first).isMultiple(of: Self.kinds.count) {
            let made = try Tool.shell("rm -rf '\(device.path)/\(name)' && \(kind) '\(device.path)/\(name)'")
            #expect(made.status == 0, "\(made.error)")
            try await device.launch(syncing: true)
            let report = await device.sync()
            #expect(report.error == nil, "\(name): \(String(describing: report.error))")
            #expect([1, 9].contains(device.app?.price(1)), "\(name): the old key's patch ran")
            device.confirmAndEnd()
            try await device.launch(syncing: true)
            #expect(device.app?.price(1) == 9, "\(kind) \(name)")
            device.confirmAndEnd()
        }
    }

    /// A patch that may no longer run ends with the sync that detects it, and the report, the events and `why` agree.
    @Test(arguments: [true, false]) func runningPatchKeyRevokedOrExpiredEndsWithSync(isRevoked: Bool) async throws {
        let device = try device()
        // Three days after the start of the clock.
        let end = try #require(Timestamp(secondsSince1970: 1_790_000_000 + 3 * 86_400))
        try device.feed.publish(source: Self.source(7, tags: isRevoked ? "" : "-- @expires \(end)"))
        try await device.launch(syncing: true)
        device.confirm()
        #expect(device.app?.price(1) == 8)
        // An unreadable file ends nothing.
        let envelopes = "\(device.part)/envelopes"
        try FileManager.default.moveItem(atPath: envelopes, toPath: envelopes + ".away")
        try device.feed.setSwitch("a", to: "b")
        _ = await device.sync()
        try? FileManager.default.removeItem(atPath: envelopes)
        try FileManager.default.moveItem(atPath: envelopes + ".away", toPath: envelopes)
        #expect(device.app?.price(1) == 8)
        let before = device.events.count
        if isRevoked {
            try device.feed.rotateSigningKey()
        } else {
            device.advance(by: .seconds(4 * 86_400))
            try device.feed.refresh()
        }
        let report = await device.sync()
        #expect(device.app?.price(1) == 1)
        #expect(report.results.map(\.outcome) == [isRevoked ? .refused : .expired])
        #expect(Self.codes(device) == [isRevoked ? "7 refused" : "7 expired"])
        let told = device.events.dropFirst(before).map(\.name)
        #expect(told.count { $0 == (isRevoked ? "refused" : "expired") } == 1, "\(told)")
        #expect(told.contains("deactivated"))
        // Once is enough.
        _ = await device.sync()
        #expect(device.events.dropFirst(before).count { ["refused", "expired"].contains($0.name) } == 1)
        // The next version, signed by the next key, runs.
        try device.feed.publish(source: Self.source(8))
        _ = await device.sync()
        #expect(device.app?.price(1) == 9)
    }

    /// A revoked key stays revoked, whatever happens to the file that revoked it, and the app is notified.
    @Test func aRevocationIsNeverLost() async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.rotateSigningKey()
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1, "it stops at once")
        device.end()
        device.feed.isOffline = true
        let file = "\(device.part)/feed/trust.store"
        let sound = try Data(contentsOf: URL(filePath: file))
        func isTold(_ what: String) async throws {
            let before = device.events.count
            try await device.launch(syncing: true)
            #expect(device.app?.price(1) == 1, "\(what)")
            let told = device.events.dropFirst(before).contains {
                if case .storeFailed(let error) = $0.kind { error.message.contains("trust.store") } else { false }
            }
            #expect(told, "\(what)")
            device.end()
        }
        for place in stride(from: 0, to: sound.count, by: max(1, sound.count / 40)) {
            var damaged = sound
            damaged[place] ^= 1 << UInt8(place % 8)
            try damaged.write(to: URL(filePath: file))
            try await isTold("a bit of byte \(place)")
        }
        try FileManager.default.removeItem(atPath: file)
        try await isTold("the file is gone")
        // The state is lost too, but not the bans next to it.
        try FileManager.default.removeItem(atPath: "\(device.part)/state")
        try await device.launch(syncing: true)
        device.end()
        // A feed that no longer delivers a trust store revokes nothing.
        device.feed.isOffline = false
        try device.feed.deliver(nil)
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1)
    }

    /// The store has recorded a time after the patch's end. Setting the clock back does not make the patch valid again.
    @Test func anExpiredPatchStaysExpiredIfTheClockGoesBack() async throws {
        let device = try device()
        // Three days after the start of the clock.
        let end = try #require(Timestamp(secondsSince1970: 1_790_000_000 + 3 * 86_400))
        try device.feed.publish(source: Self.source(7, tags: "-- @expires \(end)"))
        try await device.work(launches: 1)
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 8)
        device.end()
        device.advance(by: .seconds(5 * 86_400))
        try device.feed.setSwitch("a", to: "b")
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1)
        device.end()
        device.feed.isOffline = true
        device.setClockBack(by: .seconds(5 * 86_400))
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1)
        #expect(
            device.why(Self.id).first?.reason.contains("expired") == true, "\(String(describing: device.why(Self.id)))")
    }

    /// Launches fail or succeed for other reasons while a patch cannot run at all.
    @Test func patchEnvelopeMissingIsNeitherBannedNorGood() async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.publish(source: Self.source(8))
        try await device.launch(syncing: true)
        device.end()
        device.feed.isOffline = true
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(device.part)/envelopes")
        try await device.launch(syncing: true)
        let newest = try #require(device.device?.store.state.held.first { $0.patch.version == 8 }?.hash)
        device.end()
        try #require(names.contains("\(newest).js"))
        try FileManager.default.removeItem(atPath: "\(device.part)/envelopes/\(newest).js")
        for _ in 0..<2 {
            try await device.launch(syncing: true)
            #expect(device.app?.price(1) == 8, "the good one runs in its place")
            device.crash()
        }
        try await device.launch(syncing: true)
        #expect(stages(device) == ["8 downloaded", "7 good"], "it is not banned for launches that it was not in")
        device.confirm()
        #expect(stages(device) == ["8 downloaded", "7 good"], "nor is it good")
    }

    @Test func withdrawalNewerVersionWaitsEndsRunningVersion() async throws {
        let device = try device()
        let seven = try device.feed.publish(source: Self.source(7))
        try await device.launch(syncing: true)
        try device.feed.publish(source: Self.source(8), nextLaunch: true)
        await device.sync()
        #expect(device.active.map(\.version) == [7] && stages(device) == ["8 downloaded", "7 trial"])
        #expect(device.why(Self.id).first?.isActive == false)
        #expect(Self.codes(device) == ["8 downloaded", "7 trial"])
        try device.feed.withdraw(seven)
        await device.sync()
        #expect(device.active.isEmpty)
    }

    @Test func launchWatchForegroundAfterBackgroundCountsCrash() async throws {
        let device = try device()
        try device.feed.publish(source: Self.source(7))
        try await device.work(launches: 1)
        for _ in 0..<2 {
            try await device.launch()
            device.enterBackground()
            await device.enterForeground()
            device.crash()
        }
        try await device.launch()
        #expect(device.active.isEmpty && device.device?.store.state.bans.count == 1)
    }

    /// They are verified on several threads.
    @Test func patchesAreActivatedInTheirOrder() async throws {
        let device = try device()
        for number in 10..<30 {
            let tags = number.isMultiple(of: 3) ? "-- @expires 2026-10-01T00:00:00Z" : ""
            try device.feed.publish(source: Self.source(1, id: "com.example.shop.p\(number)", tags: tags))
        }
        try await device.launch(syncing: true)
        #expect(device.active.count == 20)
        device.confirmAndEnd()
        device.advance(by: .seconds(30 * 86_400))
        let earlier = device.events.count
        try await device.launch()
        let told = device.events.dropFirst(earlier).compactMap { event -> String? in
            switch event.kind {
            case .runner(.activated(let activation)): activation.patch.id
            case .expired(let exclusion): "expired \(exclusion.patch.id)"
            default: nil
            }
        }
        #expect(told == (10..<30).map { ($0.isMultiple(of: 3) ? "expired " : "") + "com.example.shop.p\($0)" })
    }

    @Test func aLaunchBeginsOnce() async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.publish(source: Self.source(8))
        try await device.launch(syncing: true)
        device.end()
        try await device.launch(syncing: true)
        for _ in 0..<5 { device.device?.store.begin() }
        #expect(stages(device) == ["8 trial", "7 good"])
        #expect(device.app?.price(1) == 9)
    }

    @Test func crashAfterTheKillSwitchIsNoFaultOfPatches() async throws {
        let device = try await deviceWithAGoodPatch()
        try device.feed.publish(source: Self.source(8))
        try await device.launch(syncing: true)
        device.end()
        try await device.launch()
        #expect(device.app?.price(1) == 9)
        try device.feed.disable()
        await device.sync()
        device.crash()
        try await device.launch()
        #expect(device.device?.store.state.held.map(\.failures) == [0, 0])
        try device.feed.enable()
        await device.sync()
        #expect(device.app?.price(1) == 9)
        device.crash()
        try await device.launch()
        #expect(stages(device) == ["8 trial", "7 good"], "one crash does not ban it")
    }
}
