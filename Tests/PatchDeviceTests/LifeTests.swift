import FeedTestSupport
import Foundation
import PatchCrypto
@testable import PatchDevice
import PatchFeed
import PatchRunner
import PatchTesting
import Synchronization
import TestSupport
import Testing

/// The life of a device, by the rules of docs/device.md: launches, services, syncs, several processes, and writes that
/// fail, for every order of the app's calls.
@Suite(.ownThreads) struct LifeTests {
    private typealias Bench = DeviceSimulator<DeviceTests.App>

    private let devices = DeviceTests()

    private final class Events: Sendable {
        private let events = Mutex<[PatchEvent]>([])
        private let listener: @Sendable (PatchEvent) -> Void

        init(_ listener: @escaping @Sendable (PatchEvent) -> Void = { _ in }) { self.listener = listener }

        @Sendable func add(_ event: PatchEvent) {
            events.locked { $0.append(event) }
            listener(event)
        }
        var names: [String] { events.locked { $0.map(\.name) } }
    }

    private final class Count: Sendable {
        let value = Atomic(0)
    }

    /// Another object for a device's folder, as in a second process.
    private func second(
        _ bench: Bench, _ events: Events = Events(), isReader: Bool = false, source: (any FeedSource)? = nil,
        uptime: Uptime = .system, launches: Bool = false,
        clock: @escaping @Sendable () -> Int = { 1_790_000_000_000 }
    ) throws -> (PatchDevice, DeviceTests.App) {
        let registry = PatchRegistry()
        let app = try DeviceTests.App(registry)
        let device = PatchDevice(
            host: try HostInfo(app: "com.example.shop", version: "2.3.1"), registry: registry, folder: bench.path,
            feed: .init(root: bench.feed.root, source: source ?? bench.feed),
            trust: PatchTrust(bench.feed.trust, scriptKeys: bench.feed.scriptKey), settings: SyncSettings(),
            limits: PatchLimits(), crashLimits: CrashLimits(), isReader: isReader, clock: clock, uptime: uptime,
            listener: EventThrottle(milliseconds: 0, listener: events.add))
        if launches { device.launch() }
        return (device, app)
    }

    /// A device on which version 8 is on trial above a good version 7.
    private func benchWithTrial() async throws -> Bench {
        let bench = try await devices.deviceWithAGoodPatch()
        try bench.feed.publish(source: DeviceTests.source(8))
        try await bench.launch(syncing: true)
        return bench
    }

    /// The version, the stage and the failures of each held patch, such as `8 trial 1`.
    private func stages(_ device: PatchDevice?) -> [String] {
        device?.store.state.held.map { "\($0.patch.version) \($0.stage.rawValue) \($0.failures)" } ?? []
    }

    /// A feed at a wrong address.
    private struct WrongPlace: FeedSource, CustomStringConvertible {
        let description = "https://example.com/wrong"

        func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
            FeedReply(.missing)
        }
    }

    @Test func aFailedSyncNamesTheFeed() async throws {
        let bench = try devices.device()
        let (device, _) = try second(bench, source: WrongPlace())
        let error = try #require(await device.sync().error)
        #expect(
            error.text == "https://example.com/wrong: metadata/timestamp.json: the feed does not have this file")
    }

    // MARK: the launch comes first

    @Test func callsBeforeTheLaunchSayNothingOfTheLastOne() async throws {
        let bench = try await benchWithTrial()
        bench.crash()
        let events = Events()
        let (device, app) = try second(bench, events)
        let before = device.store.state
        device.confirm()
        device.enterBackground()
        device.end()
        #expect(device.store.state == before)
        #expect(events.names == ["misused", "misused", "misused"])
        // A sync launches the device, so the crash is counted.
        await device.sync()
        #expect(stages(device) == ["8 trial 1", "7 good 0"])
        #expect(app.price(1) == 9)
        #expect(device.launch() == device.active, "once")
    }

    /// The note that is open then is the last launch's, which has crashed.
    @Test func backgroundWhileTheLaunchBeginsSaysNothingOfTheLastOne() async throws {
        let bench = try await benchWithTrial()
        bench.crash()
        let caller = Mutex<PatchDevice?>(nil)
        let events = Events()
        let (device, _) = try second(
            bench, events,
            clock: {
                caller.locked { $0.take() }?.enterBackground()
                return 1_790_000_000_000
            })
        caller.locked { $0 = device }
        device.launch()
        #expect(events.names.contains("misused"))
        #expect(stages(device) == ["8 trial 1", "7 good 0"])
    }

    /// The watch of the patches that the last launch began with was over, although its app never confirmed.
    @Test func crashAfterTheFirstWatchCountsAgainstTheLatePatch() async throws {
        let bench = try devices.device()
        try bench.feed.publish(source: DeviceTests.source(7))
        try await bench.launch(syncing: true)
        bench.end()
        try await bench.launch()
        bench.advance(by: CrashLimits().watchDuration)
        try bench.feed.publish(source: DeviceTests.source(1, id: "com.example.shop.late"))
        await bench.sync()
        #expect(stages(bench.device) == ["1 trial 0", "7 trial 0"])
        bench.crash()
        try await bench.launch()
        #expect(stages(bench.device) == ["1 trial 1", "7 trial 0"])
    }

    @Test func aReturnToTheForegroundLaunchesToo() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let (device, app) = try second(bench)
        await device.enterForeground()
        #expect(app.price(1) == 8)
    }

    @Test(arguments: [false, true])
    func aSyncWaitsForTheLaunchOfAnotherThread(isCancelled: Bool) async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let (activating, activates) = AsyncStream.makeStream(of: Void.self)
        let mayGoOn = DispatchSemaphore(value: 0)
        let (device, app) = try second(
            bench,
            Events { event in
                guard case .runner(.activated) = event.kind else { return }
                activates.finish()
                mayGoOn.wait()
            })
        Thread.detachNewThread { device.launch() }
        for await _ in activating {}
        let ended = Count()
        let syncs = (0..<3).map { _ in
            Task {
                await device.sync()
                ended.value.add(1, ordering: .relaxed)
                return device.store.hasLaunched
            }
        }
        if isCancelled { for sync in syncs { sync.cancel() } }
        while device.store.waitingForLaunch + ended.value.load(ordering: .relaxed) < syncs.count {
            try await Task.sleep(for: .milliseconds(1))
        }
        mayGoOn.signal()
        for sync in syncs { #expect(await sync.value, "a sync came before the launch had ended") }
        #expect(app.price(1) == 8)
    }

    @Test func aDeviceThatNothingRefersToIsGone() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        var made: (device: PatchDevice, app: DeviceTests.App)? = try second(bench)
        made?.device.launch()
        await made?.device.sync()
        let app = try #require(made?.app)
        #expect(app.price(1) == 8)
        made = nil
        #expect(app.price(1) == 1, "patches are active only while it exists")
        let (next, _) = try second(bench)
        #expect(next.role == .writer, "the folder is free")
    }

    // MARK: two crashes

    /// Of two patches, the one whose watch is not over is blamed.
    @Test func eachPatchIsWatchedFromItsOwnActivationOn() async throws {
        let bench = try devices.device()
        try bench.feed.publish(source: DeviceTests.source(7))
        try await bench.launch(syncing: true)
        bench.confirm()
        bench.advance(by: .seconds(300))
        try bench.feed.publish(
            source: DeviceTests.source(
                1, id: "com.example.shop.other", body: "patch.replace('Shop.price', function() end)"))
        await bench.sync()
        bench.advance(by: .seconds(300))
        // The first one has run until the end of its watch, which makes it good in a confirmed launch.
        #expect(DeviceTests.codes(bench) == ["7 good"])
        bench.crash()
        try await bench.launch()
        #expect(stages(bench.device) == ["1 trial 1", "7 good 0"])
    }

    // MARK: a service

    @Test func aServiceSyncsConfirmsAndEnds() async throws {
        let bench = try devices.device()
        try bench.feed.publish(source: DeviceTests.source(7))
        try await bench.launch()
        let device = try #require(bench.device)
        let service = Task { await device.run() }
        for _ in 0..<30_000 where bench.app?.price(1) != 8 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(bench.app?.price(1) == 8, "it syncs at once")
        #expect(device.store.state.launch?.isConfirmed == false)
        try await bench.pass { device.store.state.launch?.isConfirmed == true }
        try bench.feed.publish(source: DeviceTests.source(8))
        try await bench.pass { bench.app?.price(1) == 9 }
        // A patch that came in the middle is good once it has worked for a minute, and is watched for nine more.
        try await bench.pass { DeviceTests.codes(bench).first == "8 good" }
        #expect(device.store.state.launch?.isWatched == true)
        try await bench.pass { device.store.state.launch?.isWatched == false }
        try bench.feed.publish(source: DeviceTests.source(9))
        try await bench.pass { bench.app?.price(1) == 10 }
        #expect(device.store.state.launch?.isWatched == true)
        service.cancel()
        await service.value
        #expect(device.store.state.launch?.isWatched == false, "it has ended in an orderly way")
        #expect(bench.app?.price(1) == 10, "patches go on running")
    }

    /// Two patches are on trial when the app crashes. Each is tried again alone, in a process that never ends.
    @Test func aServiceTriesSuspectsOneByOne() async throws {
        let bench = try devices.device()
        try bench.feed.publish(source: DeviceTests.source(7))
        let other = "com.example.shop.another"
        try bench.feed.publish(
            source: DeviceTests.source(1, id: other, body: "patch.replace('Shop.price', function() end)"))
        for _ in 0..<3 { try await bench.launch(syncing: true) }
        let device = try #require(bench.device)
        #expect(stages(device) == ["1 suspect 0", "7 suspect 0"])
        let service = Task { await device.run() }
        var tried: [[String]] = []
        for _ in 0..<3_000 where DeviceTests.codes(bench) != ["7 good"] || DeviceTests.codes(bench, other) != ["1 good"]
        {
            let now = [other, DeviceTests.id].map { device.why($0)[0].code.rawValue }
            if tried.last != now { tried.append(now) }
            bench.advance(by: .seconds(1))
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(tried == [["suspect", "suspect"], ["good", "suspect"]])
        #expect(bench.active.count == 2)
        service.cancel()
        await service.value
    }

    /// The call whose failure opens a breaker is one of the app's, which waits neither for the disk nor for another
    /// thread.
    @Test func openedBreakerStateIsBeingWrittenCallDoesNotWait() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try bench.feed.publish(
            source: DeviceTests.source(8, body: "patch.replace('Shop.price', function() error('no') end)"))
        try await bench.launch(syncing: true)
        bench.confirm()
        let app = try #require(bench.app)
        let store = try #require(bench.device?.store)
        func answersMeanwhile() throws -> [Int]? {
            let begun = DispatchSemaphore(value: 0)
            let isOver = DispatchSemaphore(value: 0)
            let called = DispatchSemaphore(value: 0)
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                try? store.change { _ in
                    begun.signal()
                    isOver.wait()
                    return []
                }
                done.signal()
            }
            begun.wait()
            let answers = Mutex<[Int]>([])
            DispatchQueue.global().async {
                for _ in 0..<6 {
                    let answer = app.price(1)
                    answers.locked { $0.append(answer) }
                }
                called.signal()
            }
            let isInTime = called.wait(timeout: .now() + 20) == .success
            isOver.signal()
            done.wait()
            return isInTime ? answers.locked { $0 } : nil
        }
        #expect(try answersMeanwhile() == [1, 1, 1, 1, 1, 1])
        store.waitForBreakers()
        #expect(app.price(1) == 8, "the good version answers")
        #expect(store.state.held.map(\.failures) == [1, 0])
    }

    /// A program that ends right after a breaker has opened has noted that.
    @Test func openedBreakerProgramEndsAtOnceIsNoted() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try bench.feed.publish(
            source: DeviceTests.source(8, body: "patch.replace('Shop.price', function() error('no') end)"))
        try await bench.launch(syncing: true)
        bench.confirm()
        let app = try #require(bench.app)
        let device = try #require(bench.device)
        for _ in 0..<5 { #expect(app.price(1) == 1) }
        device.end()
        #expect(device.store.state.held.map(\.failures) == [1, 0])
    }

    /// A sync that comes while nothing can be written does not make it confirm again and again.
    @Test func aServiceThatCannotWriteWaitsBetweenItsConfirmations() async throws {
        // No state with such a name is small enough to be written.
        let app = "com.example." + String(repeating: "x", count: 5 << 20)
        let folder = try TestFolder()
        let time = Mutex((now: Duration.zero, waits: 0))
        let device = PatchDevice(
            host: HostInfo(app: app, version: try #require(AppVersion("2.3.1"))), registry: PatchRegistry(),
            folder: folder.at("device"), feed: nil, trust: nil,
            uptime: Uptime(
                now: { time.locked(\.now) },
                sleep: { end in
                    time.locked {
                        $0.now = max($0.now, end)
                        $0.waits += 1
                    }
                    await Task.yield()
                    try Task.checkCancellation()
                }), listener: nil)
        let service = Task { await device.run(every: .seconds(60), confirmAfter: .zero) }
        while time.locked(\.waits) < 20 { await Task.yield() }
        #expect(device.role == .writer && device.store.state.launch?.isConfirmed == false)
        service.cancel()
        await service.value
        // It wakes for a sync, and for what is due each minute: twice a minute, after a few times at the beginning.
        #expect(time.locked { $0.now >= .seconds(30) * ($0.waits - 4) }, "\(time.locked(\.self))")
    }

    @Test func aServiceThatIsCancelledAtOnceHasLaunchedAndEnded() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let (device, app) = try second(bench)
        let service = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await device.run(every: .seconds(Int64.max), confirmAfter: .seconds(Int64.max))
        }
        await service.value
        #expect(app.price(1) == 8)
        #expect(device.store.state.launch?.isWatched == false)
    }

    /// A source that does not answer until the test allows it, cancelled or not.
    private final class SlowSource: FeedSource {
        private let state = Mutex((isAsked: false, isOver: false))
        var isAsked: Bool { state.locked(\.isAsked) }

        func end() { state.locked { $0.isOver = true } }

        func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
            state.locked { $0.isAsked = true }
            await Task.detached {
                while !self.state.locked(\.isOver) { try? await Task.sleep(for: .milliseconds(1)) }
            }.value
            return FeedReply(.missing, date: nil)
        }
    }

    /// Whether the current sync belongs to the service, or to another task and continues.
    @Test(arguments: [false, true]) func aServiceEndsWhileASyncHangs(isItsOwn: Bool) async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let source = SlowSource()
        let (device, app) = try second(bench, source: source)
        let other = Task { isItsOwn ? nil : await device.sync() }
        while !isItsOwn, !source.isAsked { try await Task.sleep(for: .milliseconds(1)) }
        let service = Task { await device.run() }
        while !source.isAsked || !device.store.hasLaunched { try await Task.sleep(for: .milliseconds(1)) }
        service.cancel()
        await service.value
        #expect(device.store.state.launch?.isWatched == false && app.price(1) == 8)
        source.end()
        _ = await other.value
        await device.sync()
        #expect(device.store.state.launch?.isWatched == false)
    }

    @Test func aServiceConfirmsWhileASyncHangs() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let source = SlowSource()
        let time = Mutex(Duration.zero)
        // Two minutes go by at once, and no more.
        let uptime = Uptime(
            now: { time.locked(\.self) },
            sleep: { end in
                guard end <= .seconds(120) else { return try await Task.sleep(for: .seconds(3_600)) }
                time.locked { $0 = max($0, end) }
                try Task.checkCancellation()
            })
        let (device, _) = try second(bench, source: source, uptime: uptime)
        let service = Task { await device.run() }
        for _ in 0..<30_000 where !source.isAsked || device.store.state.launch?.isConfirmed != true {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(source.isAsked && device.store.state.launch?.isConfirmed == true)
        service.cancel()
        await service.value
        source.end()
    }

    /// The first envelope comes at once, and the second one not in time.
    @Test func syncDownloadsNotInTimeHasFailedAndKeepsTheOthers() async throws {
        let bench = try devices.device()
        let other = "com.example.shop.second"
        try bench.feed.publish(source: DeviceTests.source(7))
        try bench.feed.publish(
            source: DeviceTests.source(
                1, id: other, body: "patch.replace('Shop.price', function(original, x) return 0 end)"))
        let source = AskingSource(bench.feed)
        let count = Count()
        source.onEnvelope.locked {
            $0 = {
                guard count.value.add(1, ordering: .relaxed).oldValue > 0 else { return }
                try? await Task.sleep(for: .seconds(600))
            }
        }
        let events = Events()
        let (device, app) = try second(bench, events, source: source, launches: true)
        device.settings.timeLimit = .seconds(3)
        let report = await device.sync()
        #expect(report.error?.message == "the sync took longer than 3.0 seconds", "\(report)")
        #expect(report.results.map(\.outcome) == [.offered, .unavailable])
        #expect(app.price(1) == 8, "what came in time is active")
        #expect(events.names.contains("sync-failed") && !events.names.contains("synced"))
        source.onEnvelope.locked { $0 = nil }
        device.settings.timeLimit = .seconds(600)
        let next = await device.enterForeground()
        #expect(next?.error == nil, "the next sync is not put off")
        #expect(next?.results.map(\.outcome) == [.kept, .offered])
    }

    enum Cancelled: CaseIterable {
        case first, later, both
    }

    /// Two screens sync at once, and are gone before the sync has ended.
    @Test(arguments: Cancelled.allCases) func sharedSyncCallerCancelledReturnsAtOnceAndAlone(
        _ cancelled: Cancelled
    ) async throws {
        let bench = try devices.device()
        try bench.feed.publish(source: DeviceTests.source(7))
        let source = AskingSource(bench.feed)
        let (asked, frees) = source.holdEnvelopes()
        let events = Events()
        let (device, app) = try second(bench, events, source: source, launches: true)
        let first = Task { await device.sync() }
        for await _ in asked {}
        let later = Task { await device.sync() }
        // It waits for the first one by then. If not, it begins a sync of its own, with the same outcome.
        try await Task.sleep(for: .milliseconds(100))
        for (task, other) in [(first, Cancelled.later), (later, .first)] where cancelled != other {
            task.cancel()
            #expect(await task.value.error?.code == .cancelled, "it does not wait for the source")
        }
        frees.finish()
        if cancelled != .first { #expect((await first.value.error == nil) == (cancelled == .later)) }
        if cancelled != .later { #expect((await later.value.error == nil) == (cancelled == .first)) }
        if cancelled == .both {
            #expect(app.price(1) == 1)
            #expect(await device.sync().error == nil)
        }
        #expect(app.price(1) == 8)
        #expect(!events.names.contains("sync-failed"), "an orderly end is no failure")
    }

    /// A push message tells of a withdrawal while a sync downloads, which has read the list before.
    @Test func syncDuringDownloadsFindsTheWithdrawal() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let (device, app, source, eight) = try await trial(bench)
        let (asked, frees) = source.holdEnvelopes()
        let first = Task { await device.sync() }
        for await _ in asked {}
        try bench.feed.withdraw(eight)
        let pushed = Task { await device.sync() }
        let other = Task { await device.sync() }
        // Both wait for the first one by then.
        try await Task.sleep(for: .milliseconds(100))
        frees.finish()
        #expect(await first.value.results.first { $0.patch == eight }?.outcome == .kept)
        for task in [pushed, other] {
            #expect(await task.value.results.first { $0.patch == eight }?.outcome == .withdrawn)
        }
        #expect(app.price(1) == 8)
        #expect(await pushed.value.duration == other.value.duration, "both are of one sync")
    }

    // MARK: one step

    /// A source of a feed's files. It notes what the app answers at each request.
    private final class AskingSource: FeedSource {
        private let feed: TestFeed
        private let state = Mutex((answers: [Int](), ask: nil as (@Sendable () -> Int)?))
        /// Called before an envelope is fetched.
        let onEnvelope = Mutex<(@Sendable () async -> Void)?>(nil)
        var answers: [Int] { state.locked(\.answers) }

        init(_ feed: TestFeed) { self.feed = feed }

        /// Holds back all envelopes.
        ///
        /// - Returns: A stream that ends when the first is asked for, and one to end when they may come.
        func holdEnvelopes() -> (asked: AsyncStream<Void>, free: AsyncStream<Void>.Continuation) {
            let (asked, asks) = AsyncStream.makeStream(of: Void.self)
            let (free, frees) = AsyncStream.makeStream(of: Void.self)
            onEnvelope.locked {
                $0 = {
                    asks.finish()
                    await Task.detached { for await _ in free {} }.value
                }
            }
            return (asked, frees)
        }

        func watch(_ ask: @escaping @Sendable () -> Int) { state.locked { $0 = ([], ask) } }

        func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
            if let answer = state.locked(\.ask)?() { state.locked { $0.answers.append(answer) } }
            if request.path.hasSuffix(".js") { await onEnvelope.locked { $0 }?() }
            guard !Task.isCancelled else { throw PatchError(.feedUnavailable, "cancelled") }
            return try await feed.fetch(request)
        }
    }

    /// Version 8 on trial above a good version 7, and other patches to download in the next sync.
    private func trial(_ bench: Bench) async throws -> (PatchDevice, DeviceTests.App, AskingSource, PatchID) {
        let source = AskingSource(bench.feed)
        let (device, app) = try second(bench, source: source, launches: true)
        let eight = try bench.feed.publish(source: DeviceTests.source(8))
        await device.sync()
        #expect(app.price(1) == 9)
        for number in 1...5 {
            try bench.feed.publish(
                source: DeviceTests.source(1, id: "com.example.other.n\(number)").replacing(
                    "Shop.price", with: "Shop.gone"))
        }
        return (device, app, source, eight)
    }

    enum Change: CaseIterable {
        case withdrawn, inShadow, cancelled
    }

    /// The older version answers at once, and not after all downloads.
    @Test(arguments: Change.allCases) func newVersionTakenAwayOlderOneAnswersInOneStep(_ change: Change) async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let (device, app, source, eight) = try await trial(bench)
        if change == .inShadow { try bench.feed.shadow(eight) } else { try bench.feed.withdraw(eight) }
        source.watch { app.price(1) }
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let sync = Task {
            for await _ in begun {}
            return await device.sync()
        }
        if change == .cancelled {
            source.onEnvelope.locked { $0 = { sync.cancel() } }
        }
        begins.finish()
        let report = await sync.value
        #expect((report.error == nil) == (change != .cancelled))
        #expect(Set(source.answers) == [9, 8], "\(source.answers)")
        #expect(app.price(1) == 8)
        #expect(device.active.map(\.version) == [7])
    }

    /// The older version is on trial, too. It has run in this launch, so it goes on at once.
    @Test func newVersionWithdrawnOlderOneOnTrialAnswersInOneStep() async throws {
        let bench = try devices.device()
        try bench.feed.publish(source: DeviceTests.source(7))
        try await bench.launch(syncing: true)
        bench.end()
        let (device, app, source, eight) = try await trial(bench)
        #expect(stages(device) == ["8 trial 0", "7 trial 0"])
        try bench.feed.withdraw(eight)
        source.watch { app.price(1) }
        #expect(await device.sync().error == nil)
        #expect(Set(source.answers) == [9, 8], "\(source.answers)")
        #expect(source.answers.last == 8 && app.price(1) == 8)
        #expect(stages(device).contains("7 trial 0") && device.active.map(\.version) == [7], "\(stages(device))")
    }

    /// The withdrawn version is the only good one of the folder. A follower waits for the writer's sync, which brings
    /// another.
    @Test func followerBesideASyncingWriterGoneVersionRunsUntilTheSyncHasEnded() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let source = AskingSource(bench.feed)
        let (writer, _) = try second(bench, source: source, launches: true)
        writer.confirm()
        let (follower, app) = try second(bench, launches: true)
        #expect(app.price(1) == 8)
        try bench.feed.withdraw(PatchID(id: DeviceTests.id, version: 7))
        try bench.feed.publish(source: DeviceTests.source(1, id: "com.example.shop.other"))
        let (asked, frees) = source.holdEnvelopes()
        let sync = Task { await writer.sync() }
        for await _ in asked {}
        let following = Task { await follower.sync() }
        while !follower.store.awaitsWriter { try await Task.sleep(for: .milliseconds(1)) }
        #expect(app.price(1) == 8 && follower.why(DeviceTests.id).map(\.code) == [.superseded])
        frees.finish()
        _ = await sync.value
        #expect(await following.value.hasFollowed)
        #expect(app.price(1) == 1 && !follower.store.awaitsWriter)
    }

    /// Version 8 is good in both processes, and version 7 is still held.
    @Test func followerGoodVersionWithdrawnOlderOneAnswersInOneStep() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let (writer, _) = try second(bench, launches: true)
        writer.confirm()
        let eight = try bench.feed.publish(source: DeviceTests.source(8))
        await writer.sync()
        writer.confirm()
        let answers = Mutex<[Int]>([])
        let ask = Mutex<(@Sendable () -> Int)?>(nil)
        let events = Events { _ in
            if let answer = ask.locked({ $0 })?() { answers.locked { $0.append(answer) } }
        }
        let (follower, app) = try second(bench, events, launches: true)
        #expect(app.price(1) == 9)
        ask.locked { $0 = { app.price(1) } }
        try bench.feed.withdraw(eight)
        await writer.sync()
        await follower.sync()
        #expect(app.price(1) == 8)
        let given = answers.locked { $0 }
        #expect(!given.isEmpty && Set(given).isSubset(of: [8, 9]), "\(given)")
    }

    @Test func newVersionBannedOlderOneAnswersAtOnce() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let (device, app, _, eight) = try await trial(bench)
        try device.ban(eight, reason: "for this test")
        #expect(app.price(1) == 8 && device.active.map(\.version) == [7])
    }

    /// A key that is lost has the same effect.
    @Test func newVersionExpiresOlderOneAnswersAtOnce() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try bench.feed.publish(source: DeviceTests.source(8, tags: "-- @expires 2026-09-24T00:00:00Z"))
        try await bench.launch(syncing: true)
        #expect(bench.app?.price(1) == 9)
        bench.advance(by: .seconds(4 * 86_400))
        await bench.sync()
        #expect(bench.app?.price(1) == 8)
        #expect(DeviceTests.codes(bench) == ["8 expired", "7 good"])
    }

    /// The breaker of a new version opens: the last good version answers, not the original. The second such launch bans
    /// the new one.
    @Test func newVersionFailsTooOftenOlderOneAnswers() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try bench.feed.publish(
            source: DeviceTests.source(8, body: "patch.replace('Shop.price', function(original, x) error('no') end)"))
        for code in ["8 trial", "8 banned"] {
            try await bench.launch(syncing: true)
            for _ in 0..<5 { #expect(bench.app?.price(1) == 1) }
            #expect(bench.app?.price(1) == 8)
            await bench.sync()
            #expect(bench.app?.price(1) == 8)
            #expect(DeviceTests.codes(bench) == [code, "7 good"])
            bench.confirmAndEnd()
        }
    }

    /// A writer whose sync takes long has not stopped to sync.
    @Test func followersWriterInASlowSyncGoOnFollowing() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let source = SlowSource()
        let (writer, _) = try second(bench, source: source, launches: true)
        let events = Events()
        let (follower, app) = try second(bench, events, launches: true)
        let sync = Task { await writer.sync() }
        while !source.isAsked { try await Task.sleep(for: .milliseconds(1)) }
        for _ in 0..<6 { #expect(await follower.sync().hasFollowed) }
        #expect(app.price(1) == 8 && events.names.allSatisfy { !$0.hasSuffix("-failed") })
        source.end()
        _ = await sync.value
        // After a sync that has failed, the old rule holds.
        var roles: [Bool] = []
        for _ in 0..<4 { roles.append(await follower.sync().hasFollowed) }
        #expect(roles == [true, true, true, false])
    }

    // MARK: what is nobody's fault

    /// A thread with too little stack for any script. The next sync has a thread with more.
    @Test func aLoadThatTheThreadHasNoRoomForIsPostponed() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        for _ in 0..<4 {
            let (device, app) = try second(bench)
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                let thread = Thread {
                    device.launch()
                    done.resume()
                }
                thread.stackSize = 384 << 10
                thread.start()
            }
            #expect(app.price(1) == 1)
            #expect(device.why(DeviceTests.id).map(\.code) == [.postponed])
            #expect(stages(device) == ["7 good 0"])
            await device.sync()
            #expect(app.price(1) == 8 && device.why(DeviceTests.id).map(\.code) == [.good])
            device.confirm()
            device.end()
            device.close()
        }
    }

    // MARK: manually

    /// A newer version waits for the next launch while an older one runs. A banned version never comes back.
    @Test(arguments: [nil, 7]) func aBanIsOfWhatRunsWhateverWaits(version: Int?) async throws {
        let bench = try devices.device()
        try await putOnTrial(bench)
        try bench.feed.publish(source: DeviceTests.source(8))
        await bench.enterForeground()
        #expect(stages(bench.device) == ["8 downloaded 0", "7 trial 0"])
        #expect(DeviceTests.codes(bench) == ["8 downloaded", "7 trial"])
        if let version {
            let patch = PatchID(id: DeviceTests.id, version: version)
            #expect(try bench.device?.ban(patch, reason: "for this test") == true)
        } else {
            #expect(try bench.device?.ban(heldVersionsOf: DeviceTests.id, reason: "for this test") == true)
        }
        #expect(bench.active.isEmpty)
        try bench.feed.withdraw(PatchID(id: DeviceTests.id, version: 8))
        for _ in 0..<2 {
            await bench.sync()
            #expect(bench.active.isEmpty)
            bench.end()
            try await bench.launch(syncing: true)
        }
        #expect(DeviceTests.codes(bench) == (version == nil ? ["8 banned", "7 banned"] : ["8 withdrawn", "7 banned"]))
    }

    @Test func patchOnTrialNewerVersionWaitsYieldsAtNextLaunch() async throws {
        let bench = try devices.device()
        try await putOnTrial(bench)
        try bench.feed.publish(source: DeviceTests.source(8))
        await bench.enterForeground()
        #expect(stages(bench.device) == ["8 downloaded 0", "7 trial 0"])
        bench.end()
        try await bench.launch()
        #expect(stages(bench.device) == ["8 trial 0"], "the newer one is tried now")
    }

    private func putOnTrial(_ bench: Bench) async throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try await bench.launch(syncing: true)
        bench.advance(by: .seconds(3600))
    }

    @Test func runningPatchClearedAndSyncedAgainIsWatched() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try await bench.launch()
        try bench.device?.clear()
        #expect(bench.app?.price(1) == 8)
        bench.confirm()
        await bench.sync()
        #expect(DeviceTests.codes(bench) == ["7 trial"])
        for _ in 0..<2 {
            bench.crash()
            try await bench.launch()
        }
        bench.confirm()
        #expect(DeviceTests.codes(bench) == ["7 banned"])
    }

    @Test func aBanRightAfterAClearIsOfWhatRuns() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try await bench.launch()
        try bench.device?.clear()
        #expect(try bench.device?.ban(heldVersionsOf: DeviceTests.id, reason: "for this test") == true)
        #expect(bench.active.isEmpty)
        await bench.sync()
        #expect(DeviceTests.codes(bench) == ["7 banned"] && bench.active.isEmpty)
    }

    // MARK: functions that are registered later

    private static let late = "com.example.shop.late"

    private static func lateSource() -> String {
        """
        -- @patch \(late)
        -- @version 1
        -- @app com.example.shop >=2.0.0
        -- @replaces Shop.late
        patch.replace('Shop.late', function(original, x) return original(x) * 100 end)
        """
    }

    /// Registers the function that the late patch replaces.
    @discardableResult
    private func registerLate(_ bench: Bench) throws -> Replaceable<@Sendable (Int) -> Int>? {
        try bench.device?.registry.replaceable("Shop.late") { (x: Int) -> Int in x }
    }

    /// A device with a good version 1 of the late patch. The app has ended.
    private func benchWithGoodLatePatch() async throws -> Bench {
        let bench = try devices.device()
        try bench.feed.publish(source: Self.lateSource())
        for _ in 0..<2 {
            try await bench.launch(syncing: true)
            try registerLate(bench)
            bench.confirmAndEnd()
        }
        return bench
    }

    @Test func aPatchWaitsForTheFunctionsThatItReplaces() async throws {
        let bench = try devices.device()
        try bench.feed.publish(source: Self.lateSource())
        for launch in 0..<4 {
            try await bench.launch(syncing: true)
            #expect(DeviceTests.codes(bench, Self.late) == ["1 waiting"], "launch \(launch)")
            bench.confirmAndEnd()
        }
        try await bench.launch(syncing: true)
        #expect(bench.device?.store.state.bans.isEmpty == true)
        #expect(bench.why(Self.late)[0].reason == "the app has registered no Shop.late yet")
        #expect(bench.events.filter { $0.name == "waiting" }.count >= 5)
        // It is active before the registration returns, and proves itself like any other.
        let late = try registerLate(bench)
        #expect(late?(1) == 100)
        #expect(DeviceTests.codes(bench, Self.late) == ["1 trial"])
        bench.confirm()
        #expect(DeviceTests.codes(bench, Self.late) == ["1 good"])
        bench.end()
        // A good patch also waits without a failure, and a crash before it runs is not blamed on it.
        for _ in 0..<2 {
            try await bench.launch()
            bench.crash()
        }
        try await bench.launch()
        #expect(stages(bench.device) == ["1 good 0"])
    }

    /// Two versions wait for one function. The higher one runs, and the lower one proves nothing.
    @Test func waitingPatchTwoVersionsHigherOneRuns() async throws {
        let bench = try await benchWithGoodLatePatch()
        try bench.feed.publish(
            source: Self.lateSource().replacing("@version 1", with: "@version 2").replacing("100", with: "200"))
        try await bench.launch(syncing: true)
        #expect(DeviceTests.codes(bench, Self.late) == ["2 waiting", "1 waiting"])
        let late = try registerLate(bench)
        #expect(late?(1) == 200)
        bench.confirm()
        #expect(DeviceTests.codes(bench, Self.late).first == "2 trial", "it came in this launch")
    }

    @Test func aGoodVersionRunsIfTheHigherOneThatWaitedFails() async throws {
        let bench = try await benchWithGoodLatePatch()
        try bench.feed.publish(
            source: Self.lateSource().replacing("@version 1", with: "@version 2") + "\nerror('broken')")
        try await bench.launch(syncing: true)
        bench.end()
        try await bench.launch(syncing: true)
        #expect(DeviceTests.codes(bench, Self.late) == ["2 waiting", "1 waiting"])
        let late = try registerLate(bench)
        #expect(late?(1) == 100)
        #expect(DeviceTests.codes(bench, Self.late).last == "1 good")
    }

    @Test func aGoodVersionBesideAClosedOneThatWaitedRuns() async throws {
        let bench = try await benchWithGoodLatePatch()
        let source = Self.lateSource().replacing("@version 1", with: "@version 2")
        try bench.feed.publish(source: source.replacing("end)", with: "end, {otherwise = 5})"))
        try await bench.launch(syncing: true)
        for _ in 0..<2 {
            try registerLate(bench)
            bench.crash()
            try await bench.launch()
        }
        #expect(DeviceTests.codes(bench, Self.late).last == "1 waiting")
        let late = try registerLate(bench)
        #expect(late?(1) == 5)
        #expect(DeviceTests.codes(bench, Self.late) == ["2 closed", "1 good"] && bench.active.map(\.version) == [1])
    }

    /// On a disk that is full, what is good runs.
    @Test func aGoodPatchThatWaitedRunsIfNothingCanBeWritten() async throws {
        let bench = try await benchWithGoodLatePatch()
        try await bench.launch(syncing: true)
        let state = "\(bench.part)/state"
        try FileManager.default.removeItem(atPath: state)
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        let late = try registerLate(bench)
        #expect(late?(1) == 100)
    }

    @Test func aFunctionThatIsRegisteredWhilePatchesAreOffRunsNone() async throws {
        let bench = try devices.device()
        try bench.feed.publish(source: Self.lateSource())
        try await bench.launch(syncing: true)
        try bench.feed.disable()
        await bench.sync()
        let late = try registerLate(bench)
        #expect(late?(1) == 1)
        #expect(DeviceTests.codes(bench, Self.late) == ["1 disabled"])
        #expect(!bench.events.contains { $0.name == "loaded" })
    }

    @Test func anEmptyRegistryIsSaid() throws {
        let bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
        let error = #expect(throws: PatchError.self) { try bench.install(source: Self.lateSource()) }
        #expect(error?.hint == "the app has registered no functions")
    }

    // MARK: several processes

    @Test func followerTakesOverInBackgroundBlamesNoPatch() async throws {
        let bench = try await benchWithTrial()
        let (device, app) = try second(bench, launches: true)
        device.enterBackground()
        bench.end()
        bench.feed.isOffline = true
        await device.sync()
        #expect(app.price(1) == 9)
        device.close()
        try await bench.launch()
        #expect(stages(bench.device) == ["8 trial 0", "7 good 0"])
    }

    /// Its app confirmed while it was a follower, and is not asked again. The end of the watch is the confirmation.
    @Test func followerConfirmedBeforeTakingOverNeedsNoConfirmation() async throws {
        let bench = try await benchWithTrial()
        let clock = ManualClock()
        let (device, app) = try second(bench, uptime: clock.uptime)
        device.launch()
        device.confirm()
        bench.end()
        await device.sync()
        #expect(stages(device) == ["8 trial 0", "7 good 0"] && app.price(1) == 9)
        clock.advance(599)
        device.store.endWatches()
        #expect(stages(device) == ["8 trial 0", "7 good 0"])
        clock.advance(1)
        device.store.endWatches()
        #expect(stages(device).first == "8 good 0")
        #expect(device.store.state.launch?.isWatched == false)
    }

    @Test func aProcessThatFoundTheFolderTakenWritesOnceItIsFree() async throws {
        let bench = try await benchWithTrial()
        let events = Events()
        let (device, app) = try second(bench, events, launches: true)
        #expect(device.role == .follower && app.price(1) == 8)
        #expect(device.patches.map(\.code) == [.follower, .good])
        bench.feed.isOffline = true
        let report = await device.sync()
        #expect(report.hasFollowed && report.error == nil && report.results.map(\.outcome) == [.kept, .kept])
        #expect(events.names.filter { $0 == "follower" }.count == 1, "said once")
        #expect(!events.names.contains("store-failed") && !events.names.contains("sync-failed"))
        bench.crash()
        device.confirm()
        #expect(device.role == .follower, "it takes over with a sync")
        // The other process's crash is counted by the remaining process, and a patch on trial now runs here.
        await device.sync()
        #expect(device.role == .writer)
        #expect(stages(device) == ["8 trial 1", "7 good 0"])
        #expect(app.price(1) == 9)
        device.close()
        try await bench.launch()
        #expect(bench.device?.role == .writer)
    }

    /// A process that has ended, and lives on, lets another one write.
    @Test func writerEndedLetsFollowerWrite() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try await bench.launch(syncing: true)
        let (device, app) = try second(bench, launches: true)
        #expect(device.role == .follower)
        bench.device?.end()
        #expect(bench.device?.role == .follower && bench.app?.price(1) == 8)
        #expect(throws: PatchError(.io, "")) {
            try bench.device?.ban(heldVersionsOf: DeviceTests.id, reason: "for this test")
        }
        try bench.feed.withdraw(PatchID(id: DeviceTests.id, version: 7))
        await device.sync()
        #expect(device.role == .writer && app.price(1) == 1)
        // It writes again once the other one has ended.
        await bench.enterForeground()
        #expect(bench.device?.role == .follower && bench.app?.price(1) == 1)
        device.end()
        await bench.enterForeground()
        #expect(bench.device?.role == .writer)
        #expect(bench.device?.store.state.launch?.isWatched == true, "a crash counts again")
        await device.sync()
        #expect(device.role == .follower)
    }

    /// A follower asks for the keys at each sync.
    @Test func followerTrustStoreIsDamagedTellsItOnce() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try bench.feed.rotateSigningKey()
        try await bench.launch(syncing: true)
        try Data("damaged".utf8).write(to: URL(filePath: "\(bench.part)/feed/trust.store"))
        let events = Events()
        let (device, app) = try second(bench, events, launches: true)
        for _ in 0..<3 { #expect(await device.sync().hasFollowed) }
        #expect(app.price(1) == 1)
        #expect(events.names.count { $0 == "store-failed" } == 1, "\(events.names)")
    }

    /// The process that writes is stopped, or never syncs. The others ask the feed themselves after three syncs.
    @Test func followerWriterDoesNotSyncAsksFeed() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try await bench.launch()
        let events = Events()
        let (device, app) = try second(bench, events, launches: true)
        try bench.feed.withdraw(PatchID(id: DeviceTests.id, version: 7))
        for sync in 0..<6 {
            let report = await device.sync()
            #expect(report.hasFollowed == (sync < 3))
            #expect(app.price(1) == (sync < 3 ? 8 : 1))
        }
        #expect(device.why(DeviceTests.id).map(\.code) == [.withdrawn])
        #expect(events.names.filter { $0 == "store-failed" }.count == 1)
        #expect(bench.app?.price(1) == 8)
        // The other one syncs again, and another patch is resumed.
        await bench.sync()
        try bench.feed.resume(PatchID(id: DeviceTests.id, version: 7))
        await bench.sync()
        let report = await device.sync()
        #expect(report.hasFollowed && bench.app?.price(1) == 8 && app.price(1) == 1, "the first one tries it")
        let reason = device.why(DeviceTests.id)[0].reason
        #expect(reason.hasSuffix(" the process that writes the device's folder synced 0 s ago"), "\(reason)")
        for _ in 0..<9 {
            await bench.sync()
            #expect(await device.sync().hasFollowed)
        }
    }

    /// A patch that launches have failed with once stays active in the processes that follow, until it is set aside.
    @Test func followerPatchFailedOnceKeepsRunningIt() async throws {
        let bench = try await benchWithTrial()
        bench.confirm()
        bench.confirm()
        let (device, app) = try second(bench, launches: true)
        #expect(app.price(1) == 9 && device.role == .follower)
        bench.crash()
        try await bench.launch(syncing: true)
        #expect(stages(bench.device) == ["8 trial 1", "7 good 0"])
        await device.sync()
        #expect(app.price(1) == 9 && device.role == .follower)
        // Another process that starts now runs it too.
        let (third, other) = try second(bench)
        third.launch()
        #expect(other.price(1) == 9)
        bench.crash()
        try await bench.launch(syncing: true)
        #expect(DeviceTests.codes(bench) == ["8 banned", "7 good"])
        await device.sync()
        #expect(app.price(1) == 8 && device.role == .follower)
    }

    @Test func aBanThatCannotBeWrittenHoldsInThisProcess() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try await bench.launch(syncing: true)
        let (device, app) = try second(bench, launches: true)
        #expect(throws: PatchError(.io, "")) { try device.ban(heldVersionsOf: DeviceTests.id, reason: "for this test") }
        for _ in 0..<2 {
            #expect(app.price(1) == 1 && bench.app?.price(1) == 8)
            #expect(device.why(DeviceTests.id).map(\.code) == [.banned])
            await device.sync()
        }
    }

    @Test func anExtensionNeverWrites() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        let files = { try FileManager.default.subpathsOfDirectory(atPath: bench.path).sorted() }
        let before = try files().map { try? Data(contentsOf: URL(filePath: "\(bench.path)/\($0)")) }
        let (device, app) = try second(bench, isReader: true, launches: true)
        device.confirm()
        device.end()
        #expect(app.price(1) == 8 && device.role == .reader)
        #expect(try files().map { try? Data(contentsOf: URL(filePath: "\(bench.path)/\($0)")) } == before)
    }

    @Test func extensionBesideATrialRunsWhatIsGood() async throws {
        let bench = try await benchWithTrial()
        let (device, app) = try second(bench, isReader: true, launches: true)
        #expect(app.price(1) == 8)
        #expect(device.why(DeviceTests.id).map(\.code) == [.reader, .good])
    }

    @Test func aFolderThatIsDeletedHasOneWriter() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try await bench.launch(syncing: true)
        try FileManager.default.removeItem(atPath: bench.path)
        let (device, _) = try second(bench)
        #expect(device.role == .writer, "it has made the folder again")
        device.launch()
        #expect(throws: PatchError(.io, "")) {
            try bench.device?.ban(heldVersionsOf: DeviceTests.id, reason: "for this test")
        }
        #expect(bench.device?.role == .follower)
        device.close()
        await bench.sync()
        #expect(bench.device?.role == .writer)
        // If there is no other process, it writes its own state again.
        await bench.sync()
        try FileManager.default.removeItem(atPath: bench.path)
        try bench.device?.ban(heldVersionsOf: DeviceTests.id, reason: "for this test")
        bench.crash()
        try await bench.launch()
        #expect(bench.device?.store.state.bans.map(\.patch.version) == [7])
    }

    // MARK: an app that never confirms

    @Test func anAppThatNeverConfirmsIsTold() async throws {
        let bench = try devices.device()
        try bench.feed.publish(source: DeviceTests.source(7))
        for _ in 0..<4 {
            try await bench.launch(syncing: bench.events.isEmpty)
            bench.crash()
        }
        #expect(bench.events.filter { $0.name == "never-confirmed" }.count == 1)
        try await bench.launch()
        #expect(DeviceTests.codes(bench) == ["7 never-confirmed"])
        #expect(bench.device?.store.state.bans.isEmpty == true)
        // The first confirmation shows that the app does confirm, and that it works without the patch.
        bench.confirm()
        #expect(DeviceTests.codes(bench) == ["7 banned"])
    }

    // MARK: writes

    @Test func aFirstSyncOfManyPatchesWritesTheStateAFewTimes() async throws {
        let bench = try devices.device()
        let count = 100
        for number in 1...count {
            try bench.feed.publish(source: DeviceTests.source(1, id: "com.example.shop.p\(number)"))
        }
        try await bench.launch()
        bench.confirm()
        let before = bench.device?.store.state.revision ?? 0
        let report = await bench.sync()
        #expect(report.error == nil)
        #expect(bench.active.count == count)
        let writes = (bench.device?.store.state.revision ?? 0) - before
        #expect(writes < count / 2, "\(writes)")
    }

    // MARK: suspects

    /// One of two suspects has expired since. It does not keep the other one from its turn.
    @Test func suspectThatCannotRunLeavesItsTurnToOthers() async throws {
        let bench = try devices.device()
        let other = "com.example.shop.another"
        let end = try #require(Timestamp(secondsSince1970: 1_790_000_000 + 300))
        try bench.feed.publish(source: DeviceTests.source(1, id: other, tags: "-- @expires \(end)"))
        try bench.feed.publish(source: DeviceTests.source(7))
        for _ in 0..<3 { try await bench.launch(syncing: true) }
        #expect(stages(bench.device) == ["1 suspect 0", "7 suspect 0"])
        bench.confirm()
        bench.advance(by: .seconds(600))
        for _ in 0..<2 { bench.device?.store.tryAlone() }
        #expect(DeviceTests.codes(bench, other) == ["1 expired"])
        #expect(bench.active == [PatchID(id: DeviceTests.id, version: 7)])
    }

    // MARK: writes that fail

    /// Lets the state be read and not written, as on a full disk: no link in the folder is followed for a write.
    private static func blockWrites(_ bench: Bench) throws {
        try FileManager.default.moveItem(atPath: bench.part, toPath: "\(bench.path)/away")
        try FileManager.default.createSymbolicLink(atPath: bench.part, withDestinationPath: "\(bench.path)/away")
    }

    private static func unblockWrites(_ bench: Bench) throws {
        try FileManager.default.removeItem(atPath: bench.part)
        try FileManager.default.moveItem(atPath: "\(bench.path)/away", toPath: bench.part)
    }

    /// The state can be written again before the launch goes on with what it could not write.
    @Test func banWhileTheLaunchCannotBeWrittenIsKept() async throws {
        let bench = try await benchWithTrial()
        bench.crash()
        let eight = PatchID(id: DeviceTests.id, version: 8)
        let caller = Mutex<PatchDevice?>(nil)
        let events = Events { event in
            guard case .storeFailed = event.kind, let device = caller.locked({ $0.take() }) else { return }
            try? Self.unblockWrites(bench)
            _ = try? device.ban(eight, reason: "for this test")
        }
        let (device, app) = try second(bench, events)
        caller.locked { $0 = device }
        try Self.blockWrites(bench)
        device.launch()
        #expect(events.names.contains("store-failed") && app.price(1) == 8)
        #expect(device.store.state.bans.map(\.patch) == [eight])
        #expect(stages(device) == ["7 good 0"])
    }

    /// Nothing that a later sync brings makes the process forget the ban, whether or not that could be written.
    @Test func aBanThatCannotBeWrittenHoldsWhateverTheFeedDoes() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try await bench.launch(syncing: true)
        try Self.blockWrites(bench)
        #expect(throws: PatchError(.io, "")) {
            try bench.device?.ban(heldVersionsOf: DeviceTests.id, reason: "for this test")
        }
        try bench.feed.disable()
        #expect(await bench.sync().error?.code == .io)
        try Self.unblockWrites(bench)
        try bench.feed.enable()
        #expect(await bench.sync().error == nil)
        #expect(bench.app?.price(1) == 1 && DeviceTests.codes(bench) == ["7 banned"])
        // Its envelope is fetched again.
        let seven = PatchID(id: DeviceTests.id, version: 7)
        try bench.feed.withdraw(seven)
        await bench.sync()
        try bench.feed.resume(seven)
        #expect(await bench.sync().results.map(\.outcome) == [.offered])
        #expect(bench.app?.price(1) == 1 && DeviceTests.codes(bench) == ["7 banned"])
    }

    // MARK: a confirmation after the watch

    /// It confirms what the launch began with, and not yet what was activated later.
    @Test func firstConfirmationAfterTheWatchCountsOnce() async throws {
        let bench = try await devices.deviceWithAGoodPatch()
        try await bench.launch()
        bench.advance(by: .seconds(600))
        try bench.feed.publish(source: DeviceTests.source(8))
        await bench.sync()
        bench.confirm()
        #expect(stages(bench.device) == ["8 trial 0", "7 good 0"])
        bench.confirm()
        #expect(stages(bench.device) == ["8 good 0", "7 good 0"])
    }

    // MARK: bans of other bytes

    @Test func openedBreakerOtherBytesOfTheVersionAreBannedEndsNothing() async throws {
        let bench = try devices.device()
        let body = "patch.replace('Shop.price', function() error('no') end)"
        let seven = try bench.feed.publish(source: DeviceTests.source(7, body: body))
        try await bench.launch(syncing: true)
        let ban = StoreState.Ban(patch: seven, hash: String(repeating: "0", count: 64), reason: "test", time: nil)
        try bench.device?.store.change { state in
            state.add(ban)
            return []
        }
        for _ in 0..<5 { #expect(bench.app?.price(1) == 1) }
        #expect(stages(bench.device) == ["7 trial 1"] && bench.active == [seven])
    }

    // MARK: a load whose end cannot be written

    /// The next change notes it, so that a later crash is not the fault of that load.
    @Test func scriptLoadedEndCannotBeWrittenIsNotedLater() async throws {
        let bench = try devices.device()
        let body = "log.info('loading')\npatch.replace('Shop.price', function() return 7 end, {otherwise = 0})"
        try bench.feed.publish(source: DeviceTests.source(7, body: body))
        try await bench.launch(syncing: true)
        bench.end()
        let events = Events { event in
            if case .runner(.logged) = event.kind { try? Self.blockWrites(bench) }
        }
        let (device, app) = try second(bench, events, launches: true)
        #expect(device.store.state.launch?.loading.count == 1 && app.price(1) == 7)
        try Self.unblockWrites(bench)
        device.confirm()
        #expect(device.store.state.launch?.loading == [])
    }
}

extension PatchStore {
    /// How many tasks wait for the end of the launch.
    fileprivate var waitingForLaunch: Int {
        memory.locked { if case .underway(let waiters) = $0.launch.activation { waiters.count } else { 0 } }
    }
}
