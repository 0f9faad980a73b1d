package import PatchCrypto
package import PatchRunner
internal import CLuaSpec
internal import PatchLint
internal import PatchText
internal import Synchronization

/// Runs a spec: a Lua script of tests that runs outside of the sandbox, with patches that run inside it.
///
/// The patches are loaded again for each test, so that no test sees the state that another test has left in them.
package final class SpecRunner: Sendable {
    private let patches: [VerifiedPatch]
    private let interface: PatchInterface?
    private let registry = PatchRegistry(callerStates: 1)
    private let runner: PatchRunner
    private let spec: ScriptState
    private let state: SharedState
    private let mode: Mode
    /// A test that makes more calls than this would take too long with new instances.
    private static let mostRenewals = 1000

    private enum Mode {
        case active
        /// Each call of the spec finds a new instance of each patch.
        case renewed
        /// They are compared with the spec's own functions, which answer.
        case shadow
    }

    private struct State {
        /// The spec's functions, by name, as numbers of values that its Lua state keeps.
        var originals: [String: Int32] = [:]
        /// The calls of originals in this test, with their arguments.
        var calls: [(name: String, arguments: [ScriptValue])] = []
        var events: [RunnerEvent.Kind] = []
        /// Whether this test has asked for failures, so that it may expect some.
        var hasAsked = false
        /// How deeply calls of the app's functions are nested, and how often this test found new instances.
        var depth = 0, renewals = 0
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
    private final class SharedState: Sendable {
        private let state = Mutex(State())
        func locked<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.locked { body(&$0) } }
    }

    /// Runs a spec once with one instance of each patch, and once with a new instance for each call.
    ///
    /// The second run is left out if all patches have one instance only. A test fails if it does not end in the same way in both
    /// runs.
    ///
    /// - Parameters:
    ///   - patches: The patches, in the order in which they are activated.
    ///   - interface: Describes the app. Without it, the spec's functions take and return any values.
    ///   - timeLimit: How long the spec's own code may run: its body, each `describe`, each test, and the blocks after a test.
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
            first.error = shadow.error
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
        let state = SharedState()
        self.state = state
        var limits = limits
        limits.instructionsPerCheck = 1  // fuel is counted to the instruction
        // Counting instructions and lines takes longer than a call in the app may take, so fuel limits a test instead of time.
        limits.callTime = .seconds(10)
        limits.loadTime = .seconds(10)
        if mode == .shadow {
            limits.shadowCalls = .max
            limits.shadowTextBytes = 200
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
        try spec.runFree(PatchScript(name: "patchpack", bytes: Self.library))
        try install()
        report.replacements = (runner.active + runner.shadows).reduce(0) { $0 + $1.replaces.count }
        runner.deactivateAll()
        // The patches were loaded only to count their replacements, which does not test them.
        state.locked { $0.lines = [:] }
        do throws(PatchError) {
            _ = try spec.callFree("select", [.text(filter)])
        } catch {
            // Lua's message begins with the line in our own code that found the error.
            let parts = error.message.split(separator: ": ", maxSplits: 1)
            let reason =
                parts.count == 2 && parts[0].utf8.starts(with: "patchpack:".utf8) ? parts[1] : Substring(error.message)
            throw PatchError(
                PatchError.Code("usage"), "the pattern for names is wrong: \(reason)",
                hint: "names are matched with Lua patterns; write %[ for a bracket")
        }
        // The patches are also active for the calls that the spec makes outside tests.
        try install()
        let problem = try spec.callFree("load", [.string(script.bytes), .text(script.name)])
        runner.deactivateAll()
        if let problem = problem.first?.text { throw PatchError(.script, trimmed(problem)) }
        while let test = try next() {
            report.tests.append(test)
            testEnded(test)
            // A patch in shadow that ends has reported its last counts.
            for case .compared(let compared) in state.locked({ $0.events }) {
                report.comparisons[compared.call.function, default: .init()].add(compared.comparison)
            }
        }
        report.coverage = state.locked { $0.lines }
        for patch in patches {
            for script in patch.scripts {
                let key = SpecReport.key(patch.manifest.id, script.name)
                // A script that does not compile has no lines.
                let lines = (try? spec.loader.precompiled(script)).flatMap { Prototype(dumped: $0) }?.lines ?? []
                for line in lines { report.coverage[key, default: [:]][line, default: 0] += 0 }
            }
        }
    }

    /// Runs the next test; returns nil after the last one.
    private func next() throws(PatchError) -> SpecReport.Test? {
        state.locked { state in
            state.calls = []
            state.events = []
            state.hasAsked = false
            state.renewals = 0
            state.fallbacks = [:]
        }
        try install()
        defer { runner.deactivateAll() }
        let named = try spec.callFree("advance", [])
        guard let name = named.first?.text else { return nil }
        let began = monotonicTime()
        let outcome: [ScriptValue]
        do throws(PatchError) {
            outcome = try spec.callFree("run", [])
        } catch {
            outcome = [.text("failed"), .text(error.message)]
        }
        let status = SpecReport.Status(rawValue: outcome.first?.text ?? "") ?? .failed
        let text = outcome.dropFirst().first?.text ?? ""
        let failures = unexpectedFailures(of: status)
        return SpecReport.Test(
            name: name, line: named.dropFirst().first?.number ?? 0,
            status: status == .passed && !failures.isEmpty ? .failed : status,
            message: ((status == .failed ? [trimmed(text)] : text.isEmpty ? [] : [text]) + failures).joined(
                separator: "\n"
            ).shortened(to: 16 << 10),
            nanoseconds: monotonicTime() - began)
    }

    /// The failures of the patches in a test, if they are to be reported.
    ///
    /// After a failure, the app's own code answers. So a test that passes all the same has not tested the patch, unless it has
    /// asked for failures.
    private func unexpectedFailures(of status: SpecReport.Status) -> [String] {
        state.locked { state in
            guard status == .failed || status == .passed && !state.hasAsked else { return [] }
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

    private func install() throws(PatchError) {
        for patch in patches {
            let loaded = try runner.load(patch)
            if mode == .shadow { try runner.shadow(loaded) } else { try runner.activate(loaded) }
        }
    }

    private func add(_ name: String, _ signature: FunctionType?) throws(PatchError) {
        let result = signature?.resultType ?? "value"
        let function = ScriptFunction(signature: signature, interface: interface) { [weak self] arguments in
            try self?.callOriginal(name, result, arguments) ?? .nil
        }
        let slot = Slot(
            name: name, signature: signature ?? FunctionType([], result: "value", throws: true),
            invoke: { [weak self] slot, stack, first, record, cell in
                guard let self else { return CallbackResult.notCalled }
                let isAsynchronous = signature?.isAsynchronous ?? false
                guard !isAsynchronous || self.mayWait(stack) else {
                    return stack.refuseCall(message: "'\(name)' is asynchronous, but this replacement is not")
                }
                guard self.begins(on: stack) else { return CallbackResult.notCalled }
                self.state.locked { $0.running.append(isAsynchronous) }
                defer {
                    self.state.locked { state in
                        state.depth -= 1
                        state.running.removeLast()
                    }
                }
                return function.invoke(slot, stack, first, record, cell)
            },
            invokeAsync: nil,
            readResult: { [interface] in ScriptValue.readResult(from: $0, as: result, in: interface) })
        try registry.names.add([slot])
    }

    /// Whether the caller of an asynchronous function can wait for it: a spec, or the replacement of such a function.
    private func mayWait(_ stack: _PatchStack) -> Bool {
        stack.values === spec.values || state.locked { $0.running.last } != false
    }

    /// Counts a call of the app's function. A call that the spec makes outside any other call may find new instances.
    /// Returns whether the call can proceed. If not, an error was pushed.
    private func begins(on stack: _PatchStack) -> Bool {
        let mayRenew = state.locked { state in
            state.depth += 1
            guard mode == .renewed, state.depth == 1, state.renewals < Self.mostRenewals else { return false }
            state.renewals += 1
            return true
        }
        guard mayRenew else { return true }
        do throws(PatchError) {
            try renew()
            return true
        } catch {
            state.locked { $0.depth -= 1 }
            stack.push(message: "another instance of the patch could not be made: \(error)")
            return false
        }
    }

    /// Loads the active patches again, as another instance would. They keep counting their failures.
    private func renew() throws(PatchError) {
        let active = runner.active
        guard !active.contains(where: \.isBreakerOpen) else { return }
        let fallbacks = registry.state.map { ($0.name, $0.patches.reduce(0) { $0 + $1.fallbacks }) }
        state.locked { state in
            for (name, count) in fallbacks where count > 0 { state.fallbacks[name, default: 0] += count }
            state.isRenewing = true
        }
        defer { state.locked { $0.isRenewing = false } }
        for old in active {
            guard let patch = patches.first(where: { $0.manifest.id == old.name }) else { continue }
            try runner.activate(try runner.load(patch, countingWith: old.script))
        }
    }

    private func callOriginal(_ name: String, _ result: String, _ arguments: [ScriptValue]) throws -> ScriptValue {
        let held = state.locked { state in
            state.calls.append((name, arguments))
            return state.originals[name]
        }
        guard let held else {
            throw OriginalError(
                description: "the spec has no original of \(name): add host.define(\"\(name)\", function(…) … end)",
                reason: "the spec has no original of \(name)")
        }
        return try Self.converted(try spec.callHeld(held, arguments), to: result, of: name, in: interface)
    }

    /// The result of a spec's function as the app's would return it.
    private static func converted(
        _ value: ScriptValue, to result: String, of name: String, in interface: PatchInterface?
    ) throws -> ScriptValue {
        let type = InterfaceType(result)
        if let fault = value.fault(as: type, in: interface) {
            throw OriginalError(
                description: "the spec's \(name) returns a value that the app's function cannot return: \(fault)")
        }
        return value.converted(to: type, in: interface)
    }

    // MARK: functions for specs

    private func addFunctions(_ timeLimit: Duration, _ codeRuns: @escaping @Sendable (Bool) -> Void) {
        spec.addFunction("define") { [weak self] stack in self?.define(stack) ?? 0 }
        spec.addFunction("object") { [weak self] stack in self?.object(stack) ?? 0 }
        let answers: [(String, @Sendable (SpecRunner, _PatchStack) -> ScriptValue)] = [
            ("calls", { $0.calls(of: $1.string(at: 1) ?? "") }), ("failures", { runner, _ in runner.failures() }),
            ("fellback", { $0.fallbacks(of: $1.string(at: 1) ?? "") }), ("logs", { runner, _ in runner.logs() }),
            // The fuel that the last call of the patch that was given last used.
            ("fuel", { runner, _ in .integer(Int64(runner.runner.active.last?.script.lua.fuelUsed ?? 0)) }),
        ]
        for (name, answer) in answers {
            spec.addFunction(name) { [weak self] stack in
                guard let self else { return 0 }
                answer(self, stack)._push(to: stack)
                return 1
            }
        }
        for (name, nanoseconds, runs) in [("begin", timeLimit.nanoseconds, true), ("done", 0, false)] {
            spec.addFunction(name, to: "__spec") { stack in
                stack.limitTime(nanoseconds)
                codeRuns(runs)
                return 0
            }
        }
    }

    /// `host.define(name, function)`: defines the app's function.
    private func define(_ stack: _PatchStack) -> Int32 {
        guard let name = stack.string(at: 1), stack.typeName(at: 2) == "function" else {
            return stack.raise(message: "host.define takes a name and a function")
        }
        if registry.names.slot(name) == nil {
            guard interface == nil else {
                return stack.raise(message: "the app has no function \(name)")
            }
            do throws(PatchError) { try add(name, nil) } catch { return stack.raise(message: error.message) }
        }
        let held = stack.hold(2)
        state.locked { $0.originals[name] = held }
        return 0
    }

    /// `host.object(class, table)`: makes a table represent an object. The table's functions are the methods.
    private func object(_ stack: _PatchStack) -> Int32 {
        guard let name = stack.string(at: 1), stack.isTable(at: 2) else {
            return stack.raise(message: "host.object takes a class name and a table")
        }
        guard registry.names.classes.contains(where: { $0.name == name }) else {
            return stack.raise(
                message: interface == nil
                    ? "there is no class \(name), because the spec runs without the app's interface"
                    : "the interface has no class \(name)")
        }
        spec.note(ScriptObject(className: name, held: stack.hold(2), spec: spec), at: 2, on: stack)
        stack.pushCopy(of: 2)
        return 1
    }

    private func expose(_ exposed: PatchInterface.Class) throws(PatchError) {
        let methods = exposed.methods.map { [interface] method in
            let name = "\(exposed.name):\(method.name)"
            return ExposedMethod(name: method.name, signature: method.signature) { [weak self] stack in
                guard !method.signature.isAsynchronous || self?.mayWait(stack) != false else {
                    return stack.refuseCall(message: "this method is asynchronous, but this replacement is not")
                }
                guard let object = ScriptObject._read(from: stack, at: 1) else {
                    return stack.refuseCall(
                        message: "the object of \(name): " + ScriptObject._mismatch(in: stack, at: 1))
                }
                let types = method.signature.argumentTypes
                guard let arguments = ScriptValue.arguments(from: stack, at: 2, as: types, of: name, in: interface)
                else { return CallbackResult.notCalled }
                do {
                    let value = try object.spec.callHeld(
                        object.held, member: method.name, [.object(object)] + arguments)
                    try Self.converted(value, to: method.signature.resultType, of: name, in: interface)._push(to: stack)
                    return 1
                } catch {
                    return stack.raise(error)
                }
            }
        }
        try registry.names.expose(className: exposed.name, methods: methods)
    }

    /// `host.calls(name)`: the arguments of each call of the original in this test.
    private func calls(of name: String) -> ScriptValue {
        let calls = state.locked { $0.calls.filter { $0.name == name }.map(\.arguments) }
        return Self.sequence(calls.map(Self.sequence))
    }

    /// `host.failures()`: the failures of the patches in this test.
    private func failures() -> ScriptValue {
        let failures: [ScriptValue] = state.locked { state in
            state.hasAsked = true
            return state.events.compactMap { event in
                guard case .failed(let failed) = event else { return nil }
                let (call, failure) = (failed.call, failed.failure)
                let members: [(String, ScriptValue?)] = [
                    ("patch", .text(call.patch.id)), ("name", .text(call.function)), ("code", .text("\(failure.code)")),
                    ("message", .text(failure.message)), ("script", failure.script.map { .text($0) }),
                    ("line", failure.line.map { .integer(Int64($0)) }), ("stack", failure.stackTrace.map { .text($0) }),
                ]
                return .table(members.compactMap { name, value in value.map { (.text(name), $0) } }, length: nil)
            }
        }
        return Self.sequence(failures)
    }

    /// `host.fellback(name)`: how often something other than a patch's script answered in this test.
    private func fallbacks(of name: String) -> ScriptValue {
        let earlier = state.locked { state in
            state.hasAsked = true
            return state.fallbacks[name] ?? 0
        }
        return .integer(Int64(registry.names.slot(name)?.patches.reduce(earlier) { $0 + $1.fallbacks } ?? 0))
    }

    /// `host.logs()`: the log lines of the patches in this test.
    private func logs() -> ScriptValue {
        Self.sequence(
            state.locked { state in
                state.events.compactMap {
                    if case .logged(let line) = $0 { .text("\(line.severity.recorded): \(line.text)") } else { nil }
                }
            })
    }

    private static func sequence(_ values: [ScriptValue]) -> ScriptValue {
        .table(values.enumerated().map { (.integer(Int64($0 + 1)), $1) }, length: values.count)
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
