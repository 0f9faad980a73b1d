import Foundation
import PatchCrypto
import PatchDevice
@testable import PatchRunner
import PatchTesting
import PatchText
import Synchronization
import TestSupport
import Testing

@Suite(.ownThreads) struct EventLogTests {
    private let folder: TestFolder
    private let clock = Clock()
    private let patch = PatchID(id: "com.example.shop.fix", version: 3)

    init() throws { folder = try TestFolder() }

    private final class Clock: Sendable {
        let time = Atomic(1_790_000_000_123)
        func pass(milliseconds: Int) { time.add(milliseconds, ordering: .relaxed) }
    }

    private func log(_ limits: PatchEventLog.Limits = PatchEventLog.Limits()) throws -> PatchEventLog {
        var resource = EventResource(
            host: try HostInfo(app: "com.example.shop", version: "2.3.1"), installation: "0123abcd", environment: "qa")
        resource.groups = ["staff", "beta"]
        let clock = clock
        return PatchEventLog(
            folder: folder.at("events"), resource: resource, limits: limits,
            milliseconds: { clock.time.load(ordering: .relaxed) })
    }

    private func files() throws -> [String] {
        guard folder.exists("events") else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.at("events")).sorted()
    }

    private func lines() throws -> [String] {
        try files().flatMap { name in
            let text = String(decoding: try folder.read("events/\(name)"), as: UTF8.self)
            #expect(text.hasSuffix("\n"))
            return text.split(separator: "\n").map(String.init)
        }
    }

    @Test func descriptionOfADevicesEventIsOneLine() {
        let event = PatchEvent(.withdrawn(.init(PatchID(id: "a.b", version: 1), reason: "one\ntwo\u{1B}[31m")))
        #expect(event.description == #"a.b 1 was withdrawn: one\ntwo\u{1B}[31m"#)
        #expect(event.repeated(1).description.hasSuffix(" (1 time more)"))
    }

    @Test func aLogNamesTheInstallationAsTheAppDoes() throws {
        let bench = try DeviceTests().device()
        let device = PatchDevice(
            host: try HostInfo(app: "com.example.shop", version: "2.3.1"), registry: PatchRegistry(),
            folder: folder.at("device"), feed: .init(root: bench.feed.root, source: bench.feed),
            trust: PatchTrust(bench.feed.trust, scriptKeys: bench.feed.scriptKey),
            configuration: .init(
                settings: SyncSettings(installation: "files-0"), log: .init(folder: folder.at("events"))))
        #expect(device.log?.resource.installation == "files-0")
        device.settings.installation = "files-1"
        #expect(device.log?.resource.installation == "files-1")
        device.settings.installation = nil
        #expect(device.log?.resource.installation == device.store.installation)
    }

    /// The settings are those for a feed, so the log does not follow what is not kept either.
    @Test func settingsWithoutAFeedChangeNothing() throws {
        let device = PatchDevice(
            host: try HostInfo(app: "com.example.shop", version: "2.3.1"), registry: PatchRegistry(),
            folder: folder.at("device"), feed: nil, trust: nil, log: .init(folder: folder.at("events")),
            clock: { 1_790_000_000_000 }, uptime: .system, listener: nil)
        device.settings = SyncSettings(installation: "files-0")
        device.settings.groups = ["qa"]
        #expect(device.settings.installation == nil && device.settings.groups.isEmpty)
        let resource = try #require(device.log?.resource)
        #expect(resource.installation == device.store.installation && resource.groups.isEmpty)
    }

    /// A device in a second process, which logs to this test's folder.
    private func device(
        of bench: DeviceSimulator<DeviceTests.App>, uptime: Uptime = .system
    ) throws -> (PatchDevice, DeviceTests.App) {
        let registry = PatchRegistry()
        let app = try DeviceTests.App(registry)
        let device = PatchDevice(
            host: try HostInfo(app: "com.example.shop", version: "2.3.1"), registry: registry, folder: bench.path,
            feed: .init(root: bench.feed.root, source: bench.feed),
            trust: PatchTrust(bench.feed.trust, scriptKeys: bench.feed.scriptKey),
            log: .init(folder: folder.at("events")), clock: { 1_790_000_000_000 }, uptime: uptime, listener: nil)
        return (device, app)
    }

    /// The calls in the lines `called`.
    private func recordedCalls() throws -> [Int] {
        try lines().filter { $0.contains(#""eventName":"called""#) }.map { line in
            let count = try #require(line.firstMatch(of: /"patch.calls":(\d+)/))
            return Int(count.1) ?? 0
        }
    }

    /// A service that syncs once an hour has written the calls of each minute when it is killed.
    @Test func aServiceRecordsCallsEachMinute() async throws {
        let bench = try await DeviceTests().deviceWithAGoodPatch()
        let time = Mutex(Duration.zero)
        let app = Mutex<DeviceTests.App?>(nil)
        let uptime = Uptime(
            now: { time.locked { $0 } },
            sleep: { end in
                time.locked { $0 = max($0, end) }
                _ = app.locked { $0 }?.price(1)
                await Task.yield()
                try Task.checkCancellation()
            })
        let (device, made) = try device(of: bench, uptime: uptime)
        app.locked { $0 = made }
        let service = Task { await device.run(every: .seconds(3_600), confirmAfter: .seconds(3_600)) }
        while time.locked({ $0 }) < .seconds(3_000) { await Task.yield() }
        #expect(try recordedCalls().count >= 9)
        service.cancel()
        await service.value
    }

    @Test func aDeactivationRecordsTheCallsOfThePatch() async throws {
        let bench = try await DeviceTests().deviceWithAGoodPatch()
        let (device, app) = try device(of: bench)
        device.launch()
        for _ in 0..<3 { _ = app.price(1) }
        try bench.feed.publish(source: DeviceTests.source(8))
        await device.sync()
        #expect(app.price(1) == 9)
        #expect(try recordedCalls() == [3])
        try device.ban(heldVersionsOf: DeviceTests.id, reason: "for this test")
        #expect(try recordedCalls() == [3, 1])
    }

    @Test func theAppMaySayMoreOfTheDevice() throws {
        let log = try log()
        log.resource.system = "Android"
        log.resource.systemVersion = "14"
        log.resource.model = "Pixel 8"
        log.record(.confirmed(.init(patch)))
        #expect(
            try lines()[0].contains(
                #""os.name":"Android","os.version":"14","device.model.identifier":"Pixel 8"},"severityNumber""#))
    }

    @Test func aLineSaysWhenAndWhere() throws {
        let log = try log()
        log.record(.confirmed(.init(patch)))
        let line = #"""
            {"schema":"patchpack.event/1","timestamp":"2026-09-21T14:13:20.123Z",\#
            "resource":{"app.installation.id":"0123abcd","service.name":"com.example.shop","service.version":"2.3.1",\#
            "deployment.environment.name":"qa","device.groups":["beta","staff"]},\#
            "severityNumber":9,"eventName":"confirmed",\#
            "attributes":{"patch.id":"com.example.shop.fix","patch.version":3}}
            """#
        #expect(try lines() == [line])
        #expect(log.error == nil)
        log.resource.user = "u7"
        log.record(.beganTrial(.init(patch)))
        #expect(try lines().last?.contains(#""user.id":"u7""#) == true)
    }

    /// A function that fails ten times a second for three minutes.
    @Test func repeatsAreCounted() throws {
        var limits = PatchLimits()
        limits.failures = .max
        let bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1", limits: limits)
        let function = try bench.registry.replaceable("Shop.price") { (x: Int) -> Int in x }
        try bench.install(source: Self.script("error('no ' .. x)"))
        for call in 0..<1800 { #expect(function(call) == call) }
        let log = try log()
        for (index, event) in bench.events.enumerated() {
            log.record(PatchEvent(event))
            if index >= 2 { clock.pass(milliseconds: 100) }
        }
        let failed = try lines().filter { $0.contains(#""eventName":"failed""#) }
        // One at once, and one for each full minute.
        #expect(failed.count == 3)
        log.flush()
        let counts = try lines().compactMap { line in
            line.firstMatch(of: /"event.count":([0-9]+)/).flatMap { Int($0.output.1) }
        }
        let firsts = try lines().filter { $0.contains(#""eventName":"failed""#) }.count - counts.count
        #expect(counts.reduce(firsts, +) == 1800)
    }

    /// The last line about syncs is about the last sync, for reports.
    @Test func failedSyncsAreWrittenBeforeTheNextSync() throws {
        let log = try log()
        let error = PatchError(.feedUnavailable, "offline")
        for _ in 0..<3 {
            log.record(.syncFailed(.init(error)))
            clock.pass(milliseconds: 1000)
        }
        log.record(.synced(.init(bytes: 1, duration: .milliseconds(2), counts: [:])))
        log.flush()
        let names = try lines().compactMap { $0.firstMatch(of: /"eventName":"([a-z-]+)"/).map { String($0.output.1) } }
        #expect(names == ["sync-failed", "sync-failed", "synced"])
        #expect(try lines()[1].contains(#""event.count":2"#))
    }

    /// A runner without a device reports repeats to the log.
    @Test func repeatsThatAreToldAreCounted() throws {
        let log = try log()
        let event = RunnerEvent(.fellBack(.init(PatchedCall(patch, "Shop.price"), .busy)))
        log.record(PatchEvent(event))
        log.record(PatchEvent(event.repeated(99)))
        log.record(PatchEvent(event))
        log.flush()
        #expect(try lines().map { $0.contains(#""event.count":100}"#) } == [false, true])
        log.record(PatchEvent(event.repeated(7)))
        #expect(try lines().last?.contains(#""event.count":7}"#) == true)
    }

    /// The count of a runner's event is that of the device's event, and nothing else in it changes.
    @Test func aRunnersEventKeepsItsCountAsADevices() {
        let failure = RunnerEvent.Failure(code: .script, message: "no", script: "main.lua", line: 3)
        let single = RunnerEvent(.failed(.init(PatchedCall(patch, "Shop.price"), failure)))
        for (event, count) in [(single, 1), (single.repeated(1), 1), (single.repeated(41), 41)] {
            let own = PatchEvent(event)
            #expect(event.count == count && own.count == count)
            #expect(own.jsonLine == event.jsonLine && own.description == event.description)
            guard case .runner(.failed(let failed)) = own.kind else {
                Issue.record("\(own)")
                continue
            }
            #expect(failed.failure.message == "no")
        }
    }

    @Test func callsAreCountedSinceTheLastTime() throws {
        let bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
        let function = try bench.registry.replaceable("Shop.price") { (x: Int) -> Int in x }
        try bench.install(source: Self.script("if x == 7 then error('no') end return x"))
        let log = try log()
        log.recordCalls(of: bench.registry)
        #expect(try lines().isEmpty)
        for x in 0..<10 { #expect(function(x) == x) }
        log.recordCalls(of: bench.registry)
        #expect(
            try lines().last?.contains(#""patch.calls":10,"patch.failures":1,"patch.fallbacks":1,"patch.measured":1,"#)
                == true)
        log.recordCalls(of: bench.registry)
        #expect(try lines().count == 1)
        for _ in 0..<3 { #expect(function(1) == 1) }
        log.recordCalls(of: bench.registry)
        #expect(try lines().last?.contains(#""patch.calls":3,"patch.failures":0,"patch.fallbacks":0"#) == true)
        // After another activation it counts from the beginning.
        bench.runner.deactivateAll()
        try bench.install(source: Self.script("return x"))
        #expect(function(1) == 1)
        log.recordCalls(of: bench.registry)
        #expect(try lines().last?.contains(#""patch.calls":1,"patch.failures":0"#) == true)
    }

    /// A program may have two registries, whose functions and activations have the same names and numbers.
    @Test func callsOfTwoRegistriesAreCountedApart() throws {
        let benches = try (0..<2).map { _ in try PatchTestHost(app: "com.example.shop", version: "2.3.1") }
        let functions = try benches.map { bench in
            let function = try bench.registry.replaceable("Shop.price") { (x: Int) -> Int in x }
            try bench.install(source: Self.script("return x"))
            return function
        }
        let log = try log()
        for (function, count) in zip(functions, [100, 30]) { for x in 0..<count { #expect(function(x) == x) } }
        for bench in benches + benches { log.recordCalls(of: bench.registry) }
        let calls = try lines().compactMap { $0.firstMatch(of: /"patch.calls":(\d+)/).map { String($0.1) } }
        #expect(calls == ["100", "30"])
    }

    /// A new registry may be in the memory of one that is gone.
    @Test func callsOfARegistryThatIsGoneAreForgotten() throws {
        let log = try log()
        for _ in 0..<20 {
            let bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
            let function = try bench.registry.replaceable("Shop.price") { (x: Int) -> Int in x }
            try bench.install(source: Self.script("return x"))
            #expect(function(1) == 1)
            log.recordCalls(of: bench.registry)
        }
        #expect(try recordedCalls() == Array(repeating: 1, count: 20))
    }

    /// A service may have no other event for hours before it is killed.
    @Test func repeatsAreWrittenWithTheCallsOfTheirMinute() throws {
        let log = try log()
        let event = RunnerEvent(.fellBack(.init(PatchedCall(patch, "Shop.price"), .busy)))
        for _ in 0..<500 { log.record(PatchEvent(event)) }
        log.recordCalls(of: PatchRegistry())
        #expect(try lines().count == 1)
        clock.pass(milliseconds: 60_001)
        log.recordCalls(of: PatchRegistry())
        #expect(try lines().last?.contains(#""event.count":499}"#) == true)
    }

    @Test func callsUntilTheBreakerOpensAreCounted() throws {
        let bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
        let function = try bench.registry.replaceable("Shop.price") { (x: Int) -> Int in x }
        try bench.install(source: Self.script("error('no')"))
        let log = try log()
        var calls = 0
        while !bench.events.contains(where: { $0.name == "breaker-opened" }) {
            calls += 1
            #expect(function(calls) == calls)
            if calls == 2 { log.recordCalls(of: bench.registry) }
        }
        let rest = calls - 2
        try bench.install(source: Self.script("return x"))
        #expect(function(1) == 1)
        log.recordCalls(of: bench.registry)
        let line = try #require(try lines().last)
        #expect(line.contains(#""patch.calls":\#(rest + 1),"patch.failures":\#(rest),"#), "\(line)")
        log.recordCalls(of: bench.registry)
        #expect(try lines().count == 2)
    }

    @Test func measuredCallsAreCountedByTheirTime() throws {
        let bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
        let function = try bench.registry.replaceable("Shop.price") { (x: Int) -> Int in
            usleep(useconds_t(x))
            return x
        }
        try bench.install(source: Self.script("return original(x)"))
        let log = try log()
        // Every 64th call is measured: the first, which takes 2.5 ms or longer, and the last. On a busy machine both
        // may take that long.
        for x in 0..<65 { #expect(function(x == 0 ? 2500 : 1) > 0) }
        log.recordCalls(of: bench.registry)
        let line = try #require(try lines().last)
        let times = try #require(line.firstMatch(of: /"patch.times":\[([0-9,]*)\]/)).output.1
            .split(separator: ",").compactMap { Int($0) }
        let bounds = CallStatistics.timeBounds
        #expect(bounds == EventRecord.timeBounds.map { .nanoseconds($0) })
        let long = times.dropFirst(bounds.count { $0 <= .microseconds(2500) })
        #expect(times.reduce(0, +) == 2 && long.contains { $0 > 0 }, "\(line)")
    }

    private static func script(_ body: String) -> String {
        """
        -- @patch com.example.shop.fix
        -- @version 3
        -- @app com.example.shop
        -- @replaces Shop.price
        patch.replace('Shop.price', function(original, x) \(body) end)
        """
    }

    @Test func filesAreBoundedInSizeNumberAndAge() throws {
        var limits = PatchEventLog.Limits()
        limits.fileBytes = 1000
        limits.files = 3
        let log = try log(limits)
        for _ in 0..<100 { log.record(.confirmed(.init(patch))) }
        let sizes = try files().map { try folder.read("events/\($0)").count }
        #expect(sizes.count == 3)
        #expect(sizes.allSatisfy { $0 <= 1000 })
        clock.pass(milliseconds: limits.fileAge.milliseconds + 1)
        log.record(.beganTrial(.init(patch)))
        #expect(try files().count == 3)
        clock.pass(milliseconds: limits.age.milliseconds + 1)
        log.record(.beganTrial(.init(patch)))
        // The previous file was open until now, so its end is recent.
        #expect(try files().count == 2)
    }

    @Test func aClockThatIsSetBackLosesNothing() throws {
        let log = try log()
        for _ in 0..<5 {
            log.record(.confirmed(.init(patch)))
            clock.pass(milliseconds: -3_600_000)
        }
        #expect(try lines().count == 5)
        #expect(try files().count == 1)
        clock.time.store(.min, ordering: .relaxed)
        log.record(.confirmed(.init(patch)))
        #expect(try lines().last?.contains(#""timestamp":"1970-01-01T00:00:00.000Z""#) == true)
        clock.time.store(.max, ordering: .relaxed)
        for kind in [PatchEvent.Kind.confirmed(.init(patch)), .disabled, .disabled] { log.record(kind) }
        #expect(log.error == nil)
        #expect(try lines().last?.contains(#""timestamp":"9999-12-31T23:59:59.999Z""#) == true)
    }

    @Test(arguments: [Int.min, -1, Int.max]) func eventLogClockOutOfRangeBoundsTimestamp(now: Int) throws {
        clock.time.store(now, ordering: .relaxed)
        let log = try log()
        for _ in 0..<3 { log.record(.syncFailed(.init(PatchError(.config, "no")))) }
        log.flush()
        let time = now < 0 ? "1970-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.999Z"
        let lines = try lines()
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""timestamp":"\#(time)""#) })
        #expect(lines.last?.contains(#""event.count":2"#) == true)
    }

    @Test func aLaunchContinuesTheFile() throws {
        try log().record(.confirmed(.init(patch)))
        try log().record(.confirmed(.init(patch)))
        #expect(try files().count == 1)
        #expect(try lines().count == 2)
        // The process ended in the middle of a line.
        let name = try #require(try files().first)
        try folder.write(try folder.read("events/\(name)").dropLast(10), to: "events/\(name)")
        try log().record(.confirmed(.init(patch)))
        #expect(try lines().count == 3)
        #expect(try lines().last?.hasSuffix("}}") == true)
    }

    @Test func severalProcessesWriteWholeLines() async throws {
        let logs = try (0..<4).map { _ in try log() }
        await withTaskGroup { group in
            for log in logs { group.addTask { for _ in 0..<200 { log.record(.confirmed(.init(patch))) } } }
        }
        let found = try lines()
        #expect(logs.compactMap(\.error).isEmpty)
        #expect(found.count == 800)
        #expect(try files().count <= 2)
        #expect(try lines().allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}}") })
    }

    /// More processes than files: none of them removes a file that another one writes.
    @Test func eventLogTwelveProcessesKeepsEachLastEvent() throws {
        var limits = PatchEventLog.Limits()
        limits.fileBytes = 1_000
        let logs = try (0..<12).map { _ in try log(limits) }
        for round in 0..<20 {
            for (number, log) in logs.enumerated() where number != 3 || round == 0 {
                log.record(.runner(.logged(.init(patch, .info, "\(number) \(round)"))))
                clock.pass(milliseconds: 1)
            }
        }
        for (number, log) in logs.enumerated() {
            log.record(.runner(.logged(.init(patch, .info, "last of \(number)"))))
            log.flush()
        }
        let lines = try lines()
        #expect(logs.compactMap(\.error).isEmpty)
        for number in logs.indices { #expect(lines.contains { $0.contains("last of \(number)\"") }, "\(number)") }
        // One process was silent, and its file stays until it goes on.
        #expect(try files().count <= 10)
        for file in try files() { #expect(try folder.read("events/\(file)").count <= 1_000) }
    }

    /// Names as nothing but another program makes them: the last number, and the last time.
    @Test(arguments: [Int.max, Int.max - 1, 253_402_300_799_999, 253_402_300_799_998])
    func eventLogFileFromTheEndOfTimeLimitsHold(start: Int) throws {
        var limits = PatchEventLog.Limits()
        limits.fileBytes = 1_000
        limits.files = 3
        try folder.write(String(repeating: "x", count: 1_000) + "\n", to: "events/events-\(start).jsonl")
        let log = try log(limits)
        for number in 0..<50 {
            log.record(.runner(.logged(.init(patch, .info, "\(number)"))))
            clock.pass(milliseconds: 1)
        }
        #expect(log.error == nil)
        let files = try files()
        let lines = try lines()
        #expect(files.count <= 5, "\(files)")
        #expect(lines.contains { $0.contains("\"49\"") } && lines.count < 20, "\(lines)")
    }

    /// An app sends the files, and removes them.
    @Test func eventLogFileRemovedWhileOpenMakesAnother() throws {
        let log = try log()
        log.record(.confirmed(.init(patch)))
        for file in try files() { try FileManager.default.removeItem(atPath: folder.at("events/\(file)")) }
        log.record(.beganTrial(.init(patch)))
        #expect(try lines().count == 1 && log.error == nil)
        try FileManager.default.removeItem(atPath: folder.at("events"))
        log.record(.disabled)
        #expect(try lines().count == 1 && log.error == nil)
    }

    @Test func anEventThatIsTooLongKeepsItsPatch() throws {
        let log = try log()
        log.record(.runner(.logged(.init(patch, .warning, String(repeating: "x", count: 100_000)))))
        let line = try #require(try lines().first)
        #expect(
            line.hasSuffix(#""attributes":{"patch.id":"com.example.shop.fix","patch.version":3,"event.cut":true}}"#))
        #expect(!line.contains("body"))
    }

    @Test func aLineOfTheLargestLengthIsWhole() throws {
        func line(ofCharacters count: Int) throws -> String {
            try log().record(.runner(.logged(.init(patch, .warning, String(repeating: "x", count: count)))))
            return try #require(try lines().last)
        }
        let most = try 1 + 16_384 - line(ofCharacters: 1).utf8.count
        let longest = try line(ofCharacters: most)
        let cut = try line(ofCharacters: most + 1)
        #expect(longest.utf8.count == 16_384 && !longest.contains("event.cut"))
        #expect(cut.contains("event.cut"))
    }

    @Test func aFolderThatCannotBeWrittenIsAFault() throws {
        try folder.write("a file", to: "events")
        let log = try log()
        log.record(.confirmed(.init(patch)))
        #expect(log.error?.message == "not a directory")
        try FileManager.default.removeItem(atPath: folder.at("events"))
        log.record(.confirmed(.init(patch)))
        #expect(log.error == nil)
        #expect(try lines().count == 1)
    }

    /// Every kind of event, validated by Debian's jsonschema.
    @Test(.needs("python3-jsonschema", "/usr/lib/python3/dist-packages/jsonschema"))
    func everyEventFitsTheSchema() throws {
        let error = PatchError(.script, "no", hint: "fix it", at: .init(file: "main.lua", line: 3))
        let bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
        let function = try bench.registry.replaceable("Shop.price") { (x: Int) -> Int in x }
        try bench.install(source: Self.script("if x == 2 then return 'two' end error('no')"))
        for x in 1...6 { #expect(function(x) == x) }
        let call = PatchedCall(patch, "Shop.price")
        let told: [RunnerEvent.Kind] =
            [
                .refused(.init(patch, error)), .refused(.init(nil, error)), .fellBack(.init(call, .busy)),
                .breakerOpened(.init(patch, functions: ["Cart.total"], failures: 5, otherwise: ["Cart.total"])),
                .breakerClosed(.init(patch, function: "Cart.total")), .deactivated(.init(patch)),
                .logged(.init(patch, .debug, "a")), .logged(.init(patch, .info, "a")),
                .logged(.init(patch, .warning, "a")), .logged(.init(patch, .error, "\u{1B}[31mred")),
                .logged(.init(patch, .info, String(repeating: "x", count: 100_000))),
            ] + Self.comparisons.map { .compared(.init(patch, function: "Shop.price", $0)) }
        let halt = PatchEvent.Halt(patch, reason: "crashed", hash: String(repeating: "a", count: 64))
        let kinds: [PatchEvent.Kind] =
            told.map(PatchEvent.Kind.runner) + [
                .launched(.init([patch], isSafeMode: false)), .launched(.init([], isSafeMode: true)),
                .beganTrial(.init(patch)), .confirmed(.init(patch)), .rolledBack(halt), .suspected(halt), .closed(halt),
                .safeMode(.init(failures: 3)),
                .waiting(.init(patch, functions: ["Shop.late"])), .neverConfirmed(.init(launches: 3)),
                .expired(.init(patch, error)), .notApplicable(.init(patch, error)),
                .withdrawn(.init(patch, reason: nil)), .withdrawn(.init(patch, reason: "bad")), .disabled, .enabled,
                .synced(.init(bytes: 1, duration: .milliseconds(2), counts: [.offered: 1])),
                .syncFailed(.init(error)), .changedSwitches(.init(["a": "b"])), .storeFailed(error),
                .becameFollower(.init(isForked: true)), .misused(error),
            ]
        let events =
            bench.events.map { PatchEvent($0) } + kinds.map { PatchEvent($0) } + [
                PatchEvent(.runner(.fellBack(.init(call, .busy))), repetitions: 41),
                PatchEvent(.syncFailed(.init(error)), repetitions: 2),
            ]
        for event in events { try checkForLoggers(event) }
        let log = try log()
        for event in events { log.record(event) }
        let other = try bench.registry.replaceable("Shop.other") { (x: Int) -> Int in x }
        try bench.install(
            source: Self.script("return 1").replacing("Shop.price", with: "Shop.other").replacing("fix", with: "more"))
        #expect(other(5) == 1)
        log.recordCalls(of: bench.registry)
        log.flush()
        try folder.write((try lines() + events.map(\.jsonLine)).joined(separator: "\n"), to: "lines")
        let run = try Tool.shell(
            """
            /usr/bin/python3 -c '
            import json, jsonschema, sys
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
            lines = [json.loads(line) for line in open("lines", encoding="utf-8")]
            for line in lines: validator.validate(line)
            for wrong in [{}, {**lines[0], "schema": "x"}, {**lines[0], "eventName": "x"},
                          {**lines[0], "attributes": {}}]:
                assert list(validator.iter_errors(wrong)), wrong
            assert set(line["eventName"] for line in lines) == set(schema["properties"]["eventName"]["enum"])
            print(len(lines))
            ' "$CHECKOUT/docs/events.schema.json"
            """, in: folder.path)
        #expect(run.status == 0, "\(run.error)")
    }

    /// A logger gets the same values as the line.
    private func checkForLoggers(_ event: PatchEvent) throws {
        let json = try JSONSerialization.jsonObject(with: Data(event.jsonLine.utf8))
        let line = try #require(json as? [String: Any])
        let attributes = try #require(line["attributes"] as? [String: Any])
        #expect(Set(event.attributes.map(\.name)) == Set(attributes.keys))
        #expect(event.attributes.count == attributes.count)
        for (name, value) in event.attributes.map({ ($0.name, $0.value) }) {
            switch value {
            case .string(let text): #expect(attributes[name] as? String == text)
            case .integer(let number): #expect(attributes[name] as? Int == number)
            case .bool(let isTrue): #expect(attributes[name] as? Bool == isTrue)
            case .array(let values): #expect((attributes[name] as? [Any])?.count == values.count)
            case .dictionary(let values):
                #expect((attributes[name] as? [String: Any]).map { Set($0.keys) } == Set(values.keys))
            @unknown default: Issue.record("\(value)")
            }
        }
        let severities: [EventSeverity: Int] = [.debug: 5, .info: 9, .warning: 13, .error: 17]
        #expect(line["severityNumber"] as? Int == severities[event.severity])
        #expect(!event.message.isEmpty)
        #expect(!event.message.unicodeScalars.contains { $0.value < 32 })
        if let body = line["body"] as? String, !body.contains("\u{1B}") { #expect(event.message == body) }
        // The message is the same for all events of a name, so it contains no value.
        if event.name != "log" { #expect(!event.message.contains("Shop.price") && !event.message.contains(patch.id)) }
    }

    /// Counts, and an example of a difference and of a failure.
    private static let comparisons: [RunnerEvent.Comparison] = {
        let failure = RunnerEvent.Failure(code: .script, message: "no", script: "main.lua", line: 3)
        return [
            .init(
                agreed: 98, incomparable: 3, reasons: ["host.call pay": 2, "\u{1B}[31mtime": 1], nanoseconds: 12_000),
            .init(differed: 1, example: .init(answer: "19.0", result: "20.0", failure: nil, place: ("main.lua", 5))),
            .init(failed: 1, example: .init(answer: "19.0", result: nil, failure: failure, place: nil)),
        ]
    }()

    /// Counts are since the last event, so a line that is left out would lose them.
    @Test func eventLogEqualComparisonsWritesEach() throws {
        let log = try log()
        for _ in 0..<3 {
            log.record(.runner(.compared(.init(patch, function: "Shop.price", Self.comparisons[0]))))
        }
        log.flush()
        let lines = try lines()
        #expect(lines.count == 3 && !lines.contains { $0.contains("event.count") })
        #expect(lines.allSatisfy { $0.contains(#""shadow.agreed":98,"shadow.differed":0,"shadow.failed":0"#) })
    }

    /// The names of events are defined once, and both pages list them.
    @Test func everyWordIsDocumented() throws {
        let page = try String(contentsOfFile: "\(Tool.root)/docs/events.md", encoding: .utf8)
        let schema = try String(contentsOfFile: "\(Tool.root)/docs/events.schema.json", encoding: .utf8)
        #expect(schema.contains("\"\(EventRecord.schema)\""))
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        for name in EventRecord.Name.allCases {
            let row = rows.first { $0.dropFirst(2).prefix { $0 != "|" }.contains("`\(name.rawValue)`") }
            #expect(row?.contains("\(name.severity.rawValue)") == true, "\(name.rawValue): \(row ?? "no row")")
        }
        for key in EventRecord.Key.allCases {
            #expect(schema.contains("\"\(key.rawValue)\""), "\(key.rawValue)")
        }
    }
}
