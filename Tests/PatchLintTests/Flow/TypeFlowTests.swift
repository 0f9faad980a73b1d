import PatchCrypto
import TestSupport
import Testing

@testable import PatchLint
@testable import PatchRunner

/// The reader of bytecode, and the types that lint infers from it. LintCaseTests has the findings.
@Suite(.ownThreads) struct TypeFlowTests {
    /// It ends for every bytecode, even if this compiler did not make it.
    @Test func damagedBytecodeIsReadToItsEnd() throws {
        let registry = PatchRegistry()
        let source =
            "local t = {a = 1, 'x'} for i = 1, 10 do t[i] = i .. 'x' end for k, v in pairs(t) do t[k] = v and not v end return function(...) return t, ... end"
        let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
        let state = try ScriptState(
            [script], limits: PatchLimits(), host: HostInfo(app: "com.example.app", version: "1"),
            names: registry.names, reports: .none, seed: 1)
        defer { state.close() }
        let bytes = try state.loader.precompiled(script)
        let context = FlowContext(
            interface: KnownInterface(try PatchInterface(decoding: LintCase.interface()), adding: []), knowsApp: true,
            assigned: [], written: [], setsMetatables: false, helpers: LocalFunctions(TypeFlow.result))
        var random = SystemRandomNumberGenerator()
        var read = 0
        for _ in 0..<(testsMayBeLong && !isSanitized ? 20_000 : 1_000) {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: 32..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let function = Prototype(dumped: damaged) else { continue }
            read += 1
            _ = FlowChecks.problems(in: function, upvalues: [], context) { _ in nil }
            _ = GlobalUses(function)
        }
        #expect(read > 50)
    }
}
