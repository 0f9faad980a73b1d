import Foundation
import PatchCrypto
import PatchRunner
import Synchronization
import TestSupport
import Testing

/// The events that a listener gets if very many happen.
@Suite(.ownThreads) struct EventThrottleTests {
    private static let patch = PatchID(id: "com.example.shop.fix", version: 1)

    /// The events that a listener got.
    private final class Told: Sendable {
        private let recorded = Mutex<[RunnerEvent]>([])

        func add(_ event: RunnerEvent) { recorded.locked { $0.append(event) } }
        var events: [RunnerEvent] { recorded.locked { $0 } }
        /// The total count of them.
        var sum: Int { events.map(\.count).reduce(0, +) }
    }

    private static func fellBack(_ function: String = "T.f", _ patch: PatchID = patch) -> RunnerEvent {
        RunnerEvent(.fellBack(.init(PatchedCall(patch, function), .busy)))
    }

    @Test func aBurstIsFewCallsWithTheRightSum() throws {
        let told = Told()
        let time = ManualUptime()
        do {
            let throttle = EventThrottle<RunnerEvent>(uptime: time.uptime) { told.add($0) }
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                for _ in 0..<50_000 { throttle.emit(Self.fellBack()) }
            }
        }
        time.advance(by: .seconds(1))
        #expect(told.sum == 100_000)
        #expect(told.events.map(\.count) == [1, 99_999])
        guard case .fellBack = told.events.first?.kind, case .fellBack = told.events.last?.kind else {
            Issue.record("\(told.events)")
            return
        }
    }

    /// Nothing more happens, and no other call triggers the last count.
    @Test func theLastCountIsToldWithoutAnotherEvent() async throws {
        let told = Told()
        let time = ManualUptime()
        let throttle = EventThrottle<RunnerEvent>(uptime: time.uptime) { told.add($0) }
        for _ in 0..<1000 { throttle.emit(Self.fellBack()) }
        while time.sleepers == 0 { try await Task.sleep(for: .milliseconds(1)) }
        time.advance(by: .milliseconds(999))
        #expect(told.sum == 1 && time.sleepers == 1)
        time.advance(by: .milliseconds(1))
        for _ in 0..<10_000 where told.sum < 1000 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(told.sum == 1000)
        // The interval of the repeated event is over too, so the next event is new.
        time.advance(by: .seconds(1))
        throttle.emit(Self.fellBack())
        guard case .fellBack = told.events.last?.kind, told.events.last?.count == 1 else {
            Issue.record("\(told.events)")
            return
        }
        withExtendedLifetime(throttle) {}
    }

    @Test func eventThrottleDifferentEventsAreNotHeldBack() {
        let told = Told()
        let time = ManualUptime()
        let throttle = EventThrottle<RunnerEvent>(uptime: time.uptime) { told.add($0) }
        let other = PatchID(id: "com.example.shop.fix", version: 2)
        let error = PatchError(.script, "no")
        func failed(_ code: PatchError.Code) -> RunnerEvent {
            let failure = RunnerEvent.Failure(code: code, message: "no", script: nil, line: nil)
            return RunnerEvent(.failed(.init(PatchedCall(Self.patch, "T.f"), failure)))
        }
        let events: [RunnerEvent] = [
            Self.fellBack(), Self.fellBack("T.g"), Self.fellBack("T.f", other), failed(.script), failed(.scriptLimit),
            RunnerEvent(.fellBack(.init(PatchedCall(Self.patch, "T.f"), .waiting))),
            RunnerEvent(.refused(.init(Self.patch, error))), RunnerEvent(.refused(.init(nil, error))),
            RunnerEvent(.logged(.init(Self.patch, .info, "a"))), RunnerEvent(.logged(.init(Self.patch, .warning, "a"))),
            RunnerEvent(.logged(.init(Self.patch, .info, "b"))),
        ]
        for event in events { throttle.emit(event) }
        #expect(told.events.count == events.count)
        for event in events { throttle.emit(event) }
        #expect(told.events.count == events.count)
        // These events are never frequent.
        let rare: [RunnerEvent.Kind] = [
            .activated(.init(Self.patch)), .deactivated(.init(Self.patch)),
            .breakerOpened(.init(Self.patch, functions: ["T.f"], failures: 5, otherwise: [])),
            .breakerClosed(.init(Self.patch, function: "T.f")),
            .loaded(.init(Self.patch, replaces: ["T.f"])),
        ]
        for kind in rare + rare { throttle.emit(RunnerEvent(kind)) }
        #expect(told.events.count == events.count + 2 * rare.count)
        time.advance(by: .seconds(1))  // a task waits for the end of the second
    }

    /// With this many functions, they are no longer distinguished.
    @Test func memoryAndCallsAreBounded() {
        let told = Told()
        do {
            let throttle = EventThrottle<RunnerEvent>(milliseconds: 3_600_000) { told.add($0) }
            for round in 0..<20_000 { throttle.emit(Self.fellBack("T.f\(round)")) }
            #expect(told.events.count == 257)
        }
        #expect(told.events.count == 258)
        #expect(told.sum == 20_000)
    }

    /// A listener may call a patched function that fails too.
    @Test func aListenerMayCauseEvents() {
        let told = Told()
        let weak = Mutex<EventThrottle<RunnerEvent>?>(nil)
        let throttle = EventThrottle<RunnerEvent> { event in
            told.add(event)
            if told.events.count < 10 { weak.locked { $0 }?.emit(Self.fellBack("T.\(told.events.count)")) }
        }
        weak.locked { $0 = throttle }
        throttle.emit(Self.fellBack())
        #expect(told.events.count == 10)
        weak.locked { $0 = nil }
    }

    @Test func aRunnersListenerIsToldOfFailuresOnceASecond() throws {
        let told = Told()
        var limits = PatchLimits.patient
        limits.failures = .max
        let registry = PatchRegistry()
        let function = try registry.replaceable("T.f") { (x: Int) -> Int in x }
        let begin = ContinuousClock.now
        do {
            let runner = PatchRunner(
                registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"), limits: limits,
                onEvent: { told.add($0) })
            try runner.activate(
                try runner.load(
                    try Harness.verified("patch.replace('T.f', function() error('no') end)", replaces: ["T.f"])))
            for x in 0..<5000 { #expect(function(x) == x) }
        }
        let seconds = Int((ContinuousClock.now - begin).components.seconds)
        let failures = told.events.filter { if case .failed = $0.kind { true } else { false } }
        #expect(failures.map(\.count).reduce(0, +) == 5000)
        #expect(failures.count <= 2 + seconds)
        #expect(told.events.map(\.name).prefix(3) == ["loaded", "activated", "failed"])
    }

    @Test func repeatedEventsSayHowOften() {
        let event = Self.fellBack().repeated(41)
        #expect(event.count == 41)
        #expect(event.name == "fell-back")
        #expect(event.patch == Self.patch)
        #expect(event.description == "com.example.shop.fix 1 was skipped in T.f: busy (41 times more)")
        let once = Self.fellBack().repeated(1)
        #expect(once.count == 1 && once.description.hasSuffix("(1 time more)"))
        #expect(once.jsonLine.hasSuffix(#""error.type":"busy","event.count":1}}"#))
        #expect(Self.fellBack().count == 1 && !Self.fellBack().jsonLine.contains("event.count"))
        #expect(event.jsonLine.hasSuffix(#""error.type":"busy","event.count":41}}"#))
        #expect(event.attributes.last.map { "\($0.name) \($0.value)" } == "event.count 41")
    }
}
