internal import PatchCrypto
internal import PatchLint
internal import PatchRunner
internal import PatchText

// The functions of the table `host`, which specs call.
extension SpecRunner {
    /// Adds the functions to the spec's state.
    func addFunctions(_ timeLimit: Duration, _ codeRuns: @escaping @Sendable (Bool) -> Void) {
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
        spec.addFunction("keep", to: "__spec") { [state] _ in
            state.locked { $0.kept = $0.originals }
            return 0
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
        let object = ScriptObject(className: name, held: stack.hold(2), spec: spec)
        spec.represent(object, byTableAt: 2, on: stack)
        stack.pushCopy(of: 2)
        return 1
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
