package import PatchCrypto
package import PatchRunner
internal import CLuaBridge
internal import CLuaSpec
internal import PatchLint
internal import PatchText
internal import Synchronization

/// Runs a spec: a Lua script of tests that runs outside of the sandbox, with patches that run inside it.
///
/// The patches are loaded again for each test and for the code of each block around them, so that none of it sees the
/// state that others have left in them.
package final class SpecRunner: Sendable {
    let patches: [VerifiedPatch]
    let interface: PatchInterface?
    /// The types of the interface, in tables.
    let types: InterfaceTypes?
    let registry = PatchRegistry(callerStates: 1)
    let runner: PatchRunner
    let spec: ScriptState
    let state: SharedState
    let mode: Mode
    /// The most calls of a test that find new instances. With more, it would take too long.
    static let mostRenewals = 1000

    enum Mode {
        case active
        /// Each call of the spec finds a new instance of each patch.
        case renewed
        /// They are compared with the spec's own functions, which answer.
        case shadow
    }

    struct State {
        /// The spec's functions, by name, as numbers of values that its Lua state keeps.
        var originals: [String: Int32] = [:]
        /// The functions from before a test, which are back after it.
        var kept: [String: Int32]?
        /// The calls of originals in this test, with their arguments.
        var calls: [(name: String, arguments: [ScriptValue])] = []
        var events: [RunnerEvent.Kind] = []
        /// Whether this test has asked for failures, so that it may expect some.
        var hasAsked = false
        /// How deeply calls of the app's functions are nested.
        var depth = 0
        /// How often this test found new instances.
        var renewals = 0
        /// For each of the app's functions that runs, whether it is asynchronous.
        var running: [Bool] = []
        /// The fallbacks that earlier instances counted, by the function's name.
        var fallbacks: [String: Int] = [:]
        /// Whether patches are being loaded again. Events are not recorded then.
        var isRenewing = false
        /// How often each line of each script ran, by its key in the report.
        var lines: [String: [Int: Int]] = [:]
    }

    /// The state, which the runner also writes. The runner is made before the spec is complete.
    final class SharedState: Sendable {
        private let state = Mutex(State())
        func locked<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.locked { body(&$0) } }
    }

    /// Runs a spec once with one instance of each patch, and once with a new instance for each call.
    ///
    /// The second run is left out if all patches have one instance only. A test fails if it does not end in the same
    /// way in both runs.
    ///
    /// - Parameters:
    ///   - script: The spec.
    ///   - patches: The patches, in the order in which they are activated.
    ///   - interface: Describes the app. Without it, the spec's functions take and return any values.
    ///   - limits: The limits of each patch. Fuel takes the place of those of time.
    ///   - filter: A Lua pattern for the names of the tests to run; empty for all.
    ///   - timeLimit: How long the spec's own code may run: its body, each `describe`, each test, and the blocks after
    ///     a test.
    ///   - covers: Whether the lines that run are counted.
    ///   - shadows: Whether a third run compares the patches in shadow with the spec's own functions.
    ///   - time: The time for patches that expire.
    ///   - codeRuns: Called with true when the spec's own code begins, and with false when it ends.
    ///   - testEnded: Called with each test of the first run.
    package static func run(
        _ script: PatchScript, on patches: [VerifiedPatch], interface: PatchInterface?,
        limits: PatchLimits = PatchLimits(), filter: String = "", timeLimit: Duration = .seconds(10),
        covers: Bool = false, shadows: Bool = false, time: Timestamp? = nil,
        codeRuns: @escaping @Sendable (Bool) -> Void = { _ in }, testEnded: (SpecReport.Test) -> Void = { _ in }
    ) -> SpecReport {
        func report(_ mode: Mode) -> SpecReport {
            var report = SpecReport()
            do throws(PatchError) {
                let run = try SpecRunner(
                    script, patches, interface: interface, limits: limits, covers: covers && mode == .active,
                    time: time, mode: mode)
                defer { run.spec.close() }
                try run.run(
                    script, filter, timeLimit, codeRuns, testEnded: mode == .active ? testEnded : { _ in }, &report)
            } catch {
                report.error = error
            }
            return report
        }
        var first = report(.active)
        guard first.error == nil else { return first }
        if patches.contains(where: { $0.manifest.instances != 1 }) { first.compare(with: report(.renewed)) }
        if shadows {
            let shadow = report(.shadow)
            first.comparisons = shadow.comparisons
            first.shadowError = shadow.error
        }
        return first
    }

    private init(
        _ script: PatchScript, _ patches: [VerifiedPatch], interface: PatchInterface?, limits: PatchLimits,
        covers: Bool, time: Timestamp?, mode: Mode
    ) throws(PatchError) {
        self.mode = mode
        self.patches = patches
        self.interface = interface
        types = interface.map(InterfaceTypes.init)
        let state = SharedState()
        self.state = state
        var limits = limits
        limits.instructionsPerCheck = 1  // fuel is counted to the instruction
        // Counting instructions and lines takes longer than a call in the app may take, so fuel limits a test instead
        // of time.
        limits.callTime = .seconds(10)
        limits.loadTime = .seconds(10)
        if mode == .shadow {
            limits.shadowCallsPerSecond = .max
            limits.shadowTextBytes = 200  // a spec has no secrets
            limits.failures = .max
        }
        let counter: @Sendable (String, String, Int) -> Void = { patch, script, line in
            state.locked { $0.lines[SpecReport.key(patch, script), default: [:]][line, default: 0] += 1 }
        }
        runner = PatchRunner(
            registry: registry,
            host: try HostInfo(
                app: interface?.app ?? patches.first?.manifest.app ?? "com.example.app",
                version: interface?.appVersion ?? "1"),
            limits: limits, clock: { time },
            onEvent: { event in state.locked { if !$0.isRenewing { $0.events.append(event.kind) } } },
            checksHost: interface != nil, onLine: covers ? counter : nil)
        // The spec is trusted. Its limits only end mistakes before they take all of the machine's memory.
        var free = PatchLimits()
        free.loadFuel = Int.max / 2
        free.callDepth = 1000
        free.sourceBytes = 8 << 20
        free.memoryBytes = 1 << 30
        free.peakMemoryBytes = 1 << 30
        spec = try ScriptState(
            [script], limits: free, host: runner.host, names: registry.names, reports: .none, seed: 1,
            libraries: .all)
    }

    // MARK: running

    /// The blocks and assertions of busted, in Lua.
    private static let library: [UInt8] = {
        var size = 0
        let bytes = unsafe pp_specs(&size)
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: size))
    }()

    private func run(
        _ script: PatchScript, _ filter: String, _ timeLimit: Duration,
        _ codeRuns: @escaping @Sendable (Bool) -> Void, testEnded: (SpecReport.Test) -> Void,
        _ report: inout SpecReport
    ) throws(PatchError) {
        for function in interface?.functions ?? [] { try add(function.name, function.signature) }
        if interface == nil { for name in Set(patches.flatMap(\.manifest.replaces)).sorted() { try add(name, nil) } }
        for exposed in interface?.classes ?? [] { try expose(exposed) }
        addFunctions(timeLimit, codeRuns)
        try spec.runOutsideSandbox(PatchScript(name: "patchpack", bytes: Self.library))
        try install()
        report.replacements = (runner.active + runner.shadows).reduce(0) { $0 + $1.replaces.count }
        runner.deactivateAll()
        // The patches were loaded only to count their replacements, which does not test them.
        state.locked { $0.lines = [:] }
        do throws(PatchError) {
            _ = try spec.callSpec("select", [.text(filter)])
        } catch {
            // Lua's message begins with the line in our own code that found the error.
            let parts = error.message.split(separator: ": ", maxSplits: 1)
            let reason =
                parts.count == 2 && parts[0].utf8.starts(with: "patchpack:".utf8) ? parts[1] : Substring(error.message)
            throw PatchError(
                PatchError.Code("usage"), "the pattern for names is wrong: \(reason)",
                hint: "names are matched with Lua patterns; write %[ for a bracket")
        }
        try load(script, testEnded, &report)
        while try runNext(testEnded, &report) {}
        report.coverage = state.locked { $0.lines }
        for patch in patches {
            for script in patch.scripts {
                let key = SpecReport.key(patch.manifest.id, script.name)
                // A script that does not compile has no lines.
                let lines = (try? spec.loader.precompiled(script)).flatMap { Prototype(dumped: $0) }?.lines ?? []
                // A line that never ran is there with 0.
                for line in lines { report.coverage[key, default: [:]][line, default: 0] += 0 }
            }
        }
    }

    /// Runs the spec's own body, which makes its blocks and tests. A failure of a patch in it is a failed test.
    private func load(
        _ script: PatchScript, _ testEnded: (SpecReport.Test) -> Void, _ report: inout SpecReport
    ) throws(PatchError) {
        try begin()
        defer { end(&report) }
        let began = pp_nanoseconds()
        let problem = try spec.callSpec("load", [.string(script.bytes), .text(script.name)]).first?.text
        let nanoseconds = pp_nanoseconds() - began
        let failures = unexpectedFailures(of: problem == nil ? .passed : .failed)
        if let problem { throw PatchError(.script, message(trimmed(problem), failures)) }
        guard !failures.isEmpty else { return }
        let test = SpecReport.Test(
            name: "the spec", line: 0, status: .failed, message: message("", failures), nanoseconds: nanoseconds)
        report.tests.append(test)
        testEnded(test)
    }

    /// Runs what comes next: a test, or a block's code outside of its tests. The latter is reported only if it fails.
    ///
    /// - Returns: Whether there was anything to run.
    private func runNext(
        _ testEnded: (SpecReport.Test) -> Void, _ report: inout SpecReport
    ) throws(PatchError) -> Bool {
        try begin()
        defer { end(&report) }
        let named = try spec.callSpec("advance", [])
        guard let name = named.first?.text else { return false }
        let began = pp_nanoseconds()
        let outcome: [ScriptValue]
        do throws(PatchError) {
            outcome = try spec.callSpec("run", [])
        } catch {
            outcome = [.text("failed"), .text(error.message)]
        }
        let nanoseconds = pp_nanoseconds() - began
        let ended = outcome.first?.text
        let status: SpecReport.Status =
            if let ended {
                SpecReport.Status(rawValue: ended) ?? .failed
            } else {
                .passed
            }
        let failures = unexpectedFailures(of: status)
        guard ended != nil || !failures.isEmpty else { return true }
        let text = outcome.dropFirst().first?.text ?? ""
        let test = SpecReport.Test(
            name: name, line: named.dropFirst().first?.number ?? 0, status: failures.isEmpty ? status : .failed,
            message: message(status == .failed ? trimmed(text) : text, failures), nanoseconds: nanoseconds)
        report.tests.append(test)
        testEnded(test)
        return true
    }

    /// Loads the patches for some of the spec's code, and forgets what they did before.
    private func begin() throws(PatchError) {
        state.locked { state in
            state.calls = []
            state.events = []
            state.hasAsked = false
            state.renewals = 0
            state.fallbacks = [:]
        }
        try install()
    }

    /// Ends the patches. What the code defined is kept, but not what a test defined.
    private func end(_ report: inout SpecReport) {
        // A patch in shadow that ends reports its last counts.
        runner.deactivateAll()
        let events = state.locked { state in
            state.originals = state.kept ?? state.originals
            state.kept = nil
            return state.events
        }
        for case .compared(let compared) in events {
            report.comparisons[compared.function, default: .init()].add(compared.comparison)
        }
    }

    /// The message of what has failed, or the reason why a test is pending.
    private func message(_ text: String, _ failures: [String]) -> String {
        ([text] + failures).filter { !$0.isEmpty }.joined(separator: "\n").shortened(to: SpecReport.messageLimit)
    }

    /// The failures of the patches since `begin`, if they are to be reported.
    ///
    /// After a failure, the app's own code answers. So code that passes all the same has not tested the patch, unless
    /// it has asked for failures.
    private func unexpectedFailures(of status: SpecReport.Status) -> [String] {
        state.locked { state in
            let mayExpectThem = status == .passed && state.hasAsked
            guard status != .pending, !mayExpectThem else { return [] }
            return state.events.compactMap { event -> String? in
                switch event {
                case .failed(let failed):
                    "the patch failed in \(failed.call.function): \(failed.failure.text)"
                        + (failed.failure.stackTrace.map { "\n" + $0 } ?? "")
                case .fellBack(let fallback):
                    "the patch was skipped in \(fallback.call.function): \(fallback.reason.rawValue)"
                default: nil
                }
            }
        }
    }

    /// A traceback without the frames of this library.
    private func trimmed(_ text: String) -> String {
        var lines = text.split(separator: "\n").map(String.init)
        lines.removeAll { line in
            line.contains("\tpatchpack:") || line.contains("in function <patchpack:")
                || ["error", "xpcall"].contains { line.contains("\t[C]: in function '\($0)'") }
        }
        if lines.last == "stack traceback:" { lines.removeLast() }
        return lines.map { $0.first == "\t" ? "  " + $0.dropFirst() : $0 }.joined(separator: "\n")
    }

    /// Loads the patches, and activates them or puts them into shadow.
    private func install() throws(PatchError) {
        for patch in patches {
            let loaded = try runner.load(patch)
            if mode == .shadow { try runner.shadow(loaded) } else { try runner.activate(loaded) }
        }
    }
}

extension ScriptValue {
    static func text(_ text: String) -> ScriptValue { .string(Array(text.utf8)) }

    fileprivate var text: String? {
        guard case .string(let bytes) = self else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    fileprivate var number: Int? {
        guard case .integer(let value) = self else { return nil }
        return Int(value)
    }
}
