package import PatchCrypto
package import PatchRunner
internal import Synchronization

/// A patch under test: what it says of itself, and its scripts.
package struct PatchUnderTest: Sendable {
    package let manifest: Manifest
    package let scripts: [PatchScript]

    package init(manifest: Manifest, scripts: [PatchScript]) {
        self.manifest = manifest
        self.scripts = scripts
    }
}

/// What a run of a spec has shown.
package struct SpecReport: Sendable {
    package enum Status: String, Sendable {
        case passed, failed, pending
    }

    package struct Test: Sendable {
        /// `describe`'s names and `it`'s, with spaces between them.
        package let name: String
        package let line: Int
        package let status: Status
        /// Why it failed, with Lua's traceback, or what is pending.
        package let message: String
        package let nanoseconds: UInt64
    }

    package internal(set) var tests: [Test] = []
    /// Why the spec, or a patch, could not even be loaded.
    package internal(set) var error: PatchError?
    package init() {}

    /// Says why the spec could not be loaded.
    package mutating func setError(_ error: PatchError) { self.error = error }

    /// How many functions the patches replaced.
    package internal(set) var replacements = 0
    /// For each script, by its `key`, its lines that hold code, and how often each ran.
    package internal(set) var coverage: [String: [Int: Int]] = [:]

    /// What a patch's script is called in `coverage`.
    package static func key(_ patch: String, _ script: String) -> String { "\(patch) \(script)" }

    /// Whether all is well: there are tests and replacements, and none failed.
    package var isGood: Bool {
        error == nil && replacements > 0 && !tests.isEmpty && !tests.contains { $0.status == .failed }
    }
}

/// Which tests of a spec are run, by their full names.
package struct SpecFilter: Sendable {
    /// Lua patterns: a name has to match the first, and not the second.
    package var only = "", except = ""
    /// Tags, which are `#words` of a name, with commas between them.
    package var tags = "", exceptTags = ""

    package init() {}

    /// Whether all tests are run.
    package var isEmpty: Bool { [only, except, tags, exceptTags].allSatisfy(\.isEmpty) }
}

/// Runs a spec: a Lua script of tests, outside of the sandbox, with patches inside it.
///
/// Each test gets the patches anew, so that none sees what another has left in them.
package final class PatchSpec: Sendable {
    private let patches: [PatchUnderTest]
    private let interface: PatchInterface?
    private let registry = PatchRegistry()
    private let runner: PatchRunner
    private let spec: ScriptState
    private let state = Mutex(State())
    private let lines = LineCounts()

    private struct State {
        /// The spec's functions, by name: where its Lua state keeps them.
        var originals: [String: Int32] = [:]
        /// The arguments that each original was called with in this test.
        var calls: [(name: String, arguments: [ScriptValue])] = []
        var events: [PatchEvent] = []
    }

    /// Counts lines that run.
    final class LineCounts: Sendable {
        private let counts = Mutex<[String: [Int: Int]]>([:])
        func count(_ script: String, _ line: Int) {
            counts.locked { $0[script, default: [:]][line, default: 0] += 1 }
        }
        func reset() { counts.locked { $0 = [:] } }
        var all: [String: [Int: Int]] { counts.locked { $0 } }
    }

    /// Runs a spec.
    ///
    /// - Parameters:
    ///   - script: The spec's name and text.
    ///   - patches: In the order in which they are applied.
    ///   - interface: What the app offers; without it, the spec's functions take and give anything.
    ///   - limits: The patches' limits.
    ///   - filter: Which of its tests are run.
    ///   - timeLimit: How long the spec's own code may run: its body, each `describe`, each test, and what follows a test.
    ///   - covers: Whether the lines that run are counted.
    ///   - time: When it is, for patches that expire.
    ///   - codeRuns: Called when the spec's own code begins and ends.
    package static func run(
        _ script: PatchScript, on patches: [PatchUnderTest], interface: PatchInterface?,
        limits: PatchLimits = PatchLimits(),
        filter: SpecFilter = SpecFilter(), timeLimit: Duration = .seconds(10), covers: Bool = false,
        time: Timestamp? = nil, codeRuns: @escaping @Sendable (Bool) -> Void = { _ in }
    ) -> SpecReport {
        var report = SpecReport()
        do throws(PatchError) {
            let run = try PatchSpec(
                script, patches, interface: interface, limits: limits, covers: covers, time: time)
            defer { run.spec.close() }
            try run.run(script, filter, timeLimit, codeRuns, &report)
        } catch {
            report.error = error
        }
        return report
    }

    private init(
        _ script: PatchScript, _ patches: [PatchUnderTest], interface: PatchInterface?, limits: PatchLimits,
        covers: Bool,
        time: Timestamp?
    ) throws(PatchError) {
        self.patches = patches
        self.interface = interface
        let recorder = Recorder()
        var limits = limits
        limits.instructionsPerCheck = 1  // fuel is counted to the instruction
        // That, and counting lines, takes longer than a call in the app may; fuel is what bounds a test.
        limits.callTime = .seconds(10)
        limits.loadTime = .seconds(10)
        let counter: @Sendable (String, String, Int) -> Void = { [lines] in lines.count(SpecReport.key($0, $1), $2) }
        runner = PatchRunner(
            registry: registry,
            host: try HostInfo(
                app: interface?.app ?? patches.first?.manifest.app ?? "com.example.app",
                version: interface?.appVersion ?? "1"),
            limits: limits, clock: { time }, events: { recorder.record($0) }, checksHost: interface != nil,
            onLine: covers ? counter : nil)
        var free = PatchLimits()
        free.loadFuel = Int.max / 2
        free.callDepth = 1000
        free.sourceBytes = 8 << 20
        free.memory = 1 << 30
        free.peakMemory = 1 << 30
        spec = try ScriptState(
            [script], limits: free, host: runner.host, names: registry.names, reports: .none, seed: 1,
            libraries: .all)
        unsafe recorder.owner = self
    }

    /// Takes the events of a run that is being made.
    private final class Recorder: Sendable {
        nonisolated(unsafe) weak var owner: PatchSpec?
        func record(_ event: PatchEvent) { unsafe owner?.state.locked { $0.events.append(event) } }
    }

    // MARK: running

    private func run(
        _ script: PatchScript, _ filter: SpecFilter, _ timeLimit: Duration,
        _ codeRuns: @escaping @Sendable (Bool) -> Void,
        _ report: inout SpecReport
    ) throws(PatchError) {
        for function in interface?.functions ?? [] { try add(function.name, function.signature) }
        if interface == nil { for name in Set(patches.flatMap(\.manifest.replaces)).sorted() { try add(name, nil) } }
        for exposed in interface?.classes ?? [] { try expose(exposed) }
        addFunctions(timeLimit, codeRuns)
        try spec.runFree(PatchScript(name: "patchpack", bytes: PackageResources.specs_lua))
        report.replacements = try countReplacements()
        lines.reset()  // that the patches were loaded to be counted is no test of them
        let options = [filter.only, filter.except, filter.tags, filter.exceptTags]
        do throws(PatchError) {
            _ = try spec.callFree("select", options.map(ScriptValue.text))
        } catch {
            throw PatchError(
                PatchError.Code("usage"), "a pattern for names is malformed: \(error.message)",
                hint: "they are patterns of Lua, in which %[ is a bracket")
        }
        // What it calls outside of tests is patched too.
        try install()
        let problem = try spec.callFree("load", [.string(script.bytes), .text(script.name)])
        runner.deactivateAll()
        if let problem = problem.first?.text { throw PatchError(.script, trimmed(problem)) }
        while let test = try next() { report.tests.append(test) }
        report.coverage = lines.all
        for patch in patches {
            for script in patch.scripts {
                let key = SpecReport.key(patch.manifest.id, script.name)
                for line in Self.lines(of: script, in: spec) {
                    report.coverage[key, default: [:]][line, default: 0] += 0
                }
            }
        }
    }

    /// The lines of a script that hold code; none if it does not compile.
    private static func lines(of script: PatchScript, in spec: ScriptState) -> Set<Int> {
        (try? spec.loader.precompiled(script)).flatMap { Chunk(dumped: $0) }?.lines ?? []
    }

    /// Runs the next test; nil after the last one.
    private func next() throws(PatchError) -> SpecReport.Test? {
        state.locked { state in
            state.calls = []
            state.events = []
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
        return SpecReport.Test(
            name: name, line: named.dropFirst().first?.number ?? 0,
            status: SpecReport.Status(rawValue: outcome.first?.text ?? "") ?? .failed,
            message: message(of: outcome), nanoseconds: monotonicTime() - began)
    }

    /// What a test says, without the frames of this library, and what the patches' own failures were.
    private func message(of outcome: [ScriptValue]) -> String {
        let text = outcome.dropFirst().first?.text ?? ""
        guard outcome.first?.text == "failed" else { return text }
        let failures = state.locked { state in
            state.events.compactMap { event -> String? in
                guard case .failed(_, let function, let failure) = event else { return nil }
                return "the patch failed in \(function): \(failure.text)"
            }
        }
        return ([trimmed(text)] + failures).joined(separator: "\n")
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
            try runner.activate(
                try runner.load(VerifiedPatch(unverifiedForTesting: patch.manifest, scripts: patch.scripts)))
        }
    }

    private func countReplacements() throws(PatchError) -> Int {
        try install()
        defer { runner.deactivateAll() }
        return runner.active.reduce(0) { $0 + $1.replaces.count }
    }

    private func add(_ name: String, _ signature: PatchSignature?) throws(PatchError) {
        let function = ScriptFunction(signature: signature) { [weak self] arguments in
            guard let self else { return .nil }
            return try self.callOriginal(name, signature?.result ?? "value", arguments)
        }
        _ = try registry.names.add(
            name, signature ?? PatchSignature([], result: "value"),
            invoke: { slot, stack, first, record, cell in function.invoke(slot, stack, first, record, cell) },
            invokeAsync: nil)
    }

    /// An error of a spec's function.
    private struct OriginalError: Error, CustomStringConvertible {
        let description: String
    }

    private func callOriginal(
        _ name: String, _ result: String, _ arguments: [ScriptValue]
    ) throws -> ScriptValue {
        let held = state.locked { state in
            state.calls.append((name, arguments))
            return state.originals[name]
        }
        guard let held else {
            throw OriginalError(
                description: "the spec has no original of \(name): host.define(\"\(name)\", function(…) … end)")
        }
        let (values, fault) = spec.callHeld(held, arguments)
        if let fault { throw OriginalError(description: fault) }
        let value = values.first ?? .nil
        guard value.fits(result) else {
            throw OriginalError(description: "the spec's \(name) gives \(value.typeName), and the app's \(result)")
        }
        return value.converted(to: result)
    }

    // MARK: what a spec can call

    private func addFunctions(_ timeLimit: Duration, _ codeRuns: @escaping @Sendable (Bool) -> Void) {
        let functions: [(String, @Sendable (PatchSpec, PatchStack) -> Int32)] = [
            ("define", { $0.define($1) }), ("object", { $0.object($1) }), ("calls", { $0.calls($1) }),
            ("failures", { $0.failures($1) }), ("fellback", { $0.fellBack($1) }), ("logs", { $0.logs($1) }),
            ("fuel", { $0.fuel($1) }),
        ]
        for (name, body) in functions {
            spec.addFunction(name) { [weak self] stack in self.map { body($0, stack) } ?? 0 }
        }
        let nanoseconds = timeLimit.nanoseconds
        spec.addFunction("begin", to: "__spec") { stack in
            stack.limitTime(nanoseconds)
            codeRuns(true)
            return 0
        }
        spec.addFunction("done", to: "__spec") { stack in
            stack.limitTime(0)
            codeRuns(false)
            return 0
        }
    }

    /// `host.define(name, function)`: what the app's function does.
    private func define(_ stack: PatchStack) -> Int32 {
        guard let name = stack.string(at: 1), stack.typeName(at: 2) == "function" else {
            stack.push(message: "host.define takes a name and a function")
            return CallbackResult.raise
        }
        if registry.names.slot(name) == nil {
            guard interface == nil else {
                stack.push(message: "the app has no function \(name)")
                return CallbackResult.raise
            }
            do throws(PatchError) { try add(name, nil) } catch {
                stack.push(message: error.message)
                return CallbackResult.raise
            }
        }
        let held = stack.hold(2)
        state.locked { $0.originals[name] = held }
        return 0
    }

    /// `host.object(class, table)`: a table that stands for an object; its functions are the methods.
    private func object(_ stack: PatchStack) -> Int32 {
        guard let name = stack.string(at: 1), stack.isTable(at: 2) else {
            stack.push(message: "host.object takes a class's name and a table")
            return CallbackResult.raise
        }
        guard registry.names.classes.contains(where: { $0.name == name }) else {
            stack.push(
                message: interface == nil
                    ? "without an interface there is no class \(name): give --interface FILE"
                    : "the interface has no class \(name)")
            return CallbackResult.raise
        }
        spec.note(SpecObject(className: name, held: stack.hold(2), spec: spec), at: 2, on: stack)
        stack.pushCopy(of: 2)
        return 1
    }

    private func expose(_ exposed: PatchInterface.Class) throws(PatchError) {
        let methods = exposed.methods.map { method in
            ExposedMethod(name: method.name, signature: method.signature) { stack in
                guard let object = SpecObject.read(from: stack, at: 1) else {
                    stack.push(
                        message: "the object of \(exposed.name):\(method.name): "
                            + SpecObject.mismatch(in: stack, at: 1))
                    return CallbackResult.notCalled
                }
                var arguments: [ScriptValue] = [.object(object)]
                for (index, type) in method.signature.arguments.enumerated() {
                    guard let value = ScriptValue.read(from: stack, at: Int32(index) + 2), value.fits(type) else {
                        let mismatch = stack.mismatch(expected: type, at: Int32(index) + 2)
                        stack.push(message: "argument \(index + 1) of \(exposed.name):\(method.name): \(mismatch)")
                        return CallbackResult.notCalled
                    }
                    arguments.append(value)
                }
                let (values, fault) = object.spec.callMember(method.name, of: object.held, arguments)
                if let fault { return stack.raise(OriginalError(description: fault)) }
                (values.first ?? .nil).push(to: stack)
                return 1
            }
        }
        try registry.names.expose(className: exposed.name, methods: methods)
    }

    /// `host.calls(name)`: the arguments of each call of the original, in this test.
    private func calls(_ stack: PatchStack) -> Int32 {
        let name = stack.string(at: 1) ?? ""
        let calls = state.locked { $0.calls.filter { $0.name == name }.map(\.arguments) }
        Self.sequence(calls.map(Self.sequence)).push(to: stack)
        return 1
    }

    /// `host.failures()`: the patches' failures in this test.
    private func failures(_ stack: PatchStack) -> Int32 {
        let failures: [ScriptValue] = state.locked { state in
            state.events.compactMap { event in
                guard case .failed(let patch, let function, let failure) = event else { return nil }
                return Self.table([
                    ("patch", .text(patch.id)), ("name", .text(function)), ("code", .text("\(failure.code)")),
                    ("message", .text(failure.message)), ("script", failure.script.map { .text($0) } ?? .nil),
                    ("line", failure.line.map { .integer(Int64($0)) } ?? .nil),
                ])
            }
        }
        Self.sequence(failures).push(to: stack)
        return 1
    }

    /// `host.fellback(name)`: how often something below a patch answered for it, in this test.
    private func fellBack(_ stack: PatchStack) -> Int32 {
        let name = stack.string(at: 1) ?? ""
        let count = registry.names.slot(name)?.patches.reduce(0) { $0 + $1.fallbacks } ?? 0
        stack.push(Int64(count))
        return 1
    }

    /// `host.logs()`: what the patches wrote, in this test.
    private func logs(_ stack: PatchStack) -> Int32 {
        let lines: [ScriptValue] = state.locked { state in
            state.events.compactMap {
                if case .log(_, let level, let text) = $0 { .text("\(level): \(text)") } else { nil }
            }
        }
        Self.sequence(lines).push(to: stack)
        return 1
    }

    /// `host.fuel()`: the fuel that the newest patch's last call took.
    private func fuel(_ stack: PatchStack) -> Int32 {
        stack.push(Int64(runner.active.last?.script.lua.fuelUsed ?? 0))
        return 1
    }

    private static func sequence(_ values: [ScriptValue]) -> ScriptValue {
        .table(values.enumerated().map { (.integer(Int64($0 + 1)), $1) })
    }

    private static func table(_ members: [(String, ScriptValue)]) -> ScriptValue {
        .table(
            members.compactMap { name, value in
                if case .nil = value { return nil }
                return (ScriptValue.text(name), value)
            })
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
