import PatchCrypto
import PatchText
import TestSupport
import Testing

@testable import PatchLint
@testable import PatchRunner

extension Prototype {
    /// A script as Lua has compiled it.
    static func compiled(_ source: String) throws -> Prototype {
        let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
        let state = try ScriptState(
            [script], limits: PatchLimits(), host: HostInfo(app: "com.example.app", version: "1"),
            names: NameTable(), reports: .none, seed: 1)
        defer { state.close() }
        return try #require(Prototype(dumped: try state.loader.precompiled(script)))
    }
}

/// Whether scripts may call the functions that they give to `patch.replace`.
@Suite(.ownThreads) struct OwnCallersTests {
    /// Whether a script may call the last of its functions.
    private static func mayCall(_ source: String) throws -> Bool {
        let functions = try Prototype.compiled(source).nested
        return OwnCallers(functions, LintBudget()).mayCall(functions[functions.count - 1])
    }

    /// More constants than an instruction can name.
    private static let large = "local t = {" + (0..<140).map { "k\($0) = 'v\($0)'" }.joined(separator: ", ") + "}\n"

    @Test(arguments: [
        "patch.replace('F.give', function() end)",
        "patch['replace']('F.give', function() end, {otherwise = 1})",
        "local replace = patch.replace replace('F.give', function() end)",
        "local name = 'replace' patch[name]('F.give', function() end)",
        "local patch = patch patch.replace('F.give', function() end)",
        "local patch = patch local function f() patch.replace('F.give', function() end) end",
        "local patch = patch local function f() return function() patch.replace('F.give', function() end) end end",
        "local patch = patch local function f() local add = patch.replace add('F.give', function() end) end",
        "local add = patch.replace local function f() add('F.give', function() end) end",
        "\(large)patch.replace('F.give', function() end)",
        "\(large)local patch = patch patch.replace('F.give', function() end)",
        "local patch = patch local function f()\n\(large)patch.replace('F.give', function() end) end",
    ])
    func aFunctionOnlyGivenToReplaceHasNoOtherCaller(source: String) throws {
        #expect(try !Self.mayCall(source))
    }

    @Test(arguments: [
        "other.replace('F.give', function() end)",
        "patch.other('F.give', function() end)",
        "local patch = {replace = run} patch.replace('F.give', function() end)",
        "local add = patch.replace add = run add('F.give', function() end)",
        "local add = patch.replace if x then add = run end add('F.give', function() end)",
        "local add = run if x then add = patch.replace end add('F.give', function() end)",
        "local add = patch.replace local function f() add = run end add('F.give', function() end)",
        "local add = patch.replace local function f() add('F.give', function() end) end add = run",
        "local name = 'replace' name = other patch[name]('F.give', function() end)",
        "local function both(patch) patch.replace('F.give', function() end) end",
        "\(large)patch.other('F.give', function() end)",
        "\(large)other.replace('F.give', function() end)",
    ])
    func aFunctionGivenToAnythingElseMayBeCalled(source: String) throws {
        #expect(try Self.mayCall(source))
    }
}
