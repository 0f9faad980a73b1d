import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import PatchLint
@testable import PatchRunner

/// The table of the sandbox's functions is compared with the sandbox, and with the documents.
@Suite(.ownThreads) struct LibraryFunctionTests {
    private static let samples: [(kind: ValueType.Kinds, text: String)] = [
        (.nil, "nil"), (.boolean, "true"), (.integer, "1"), (.float, "2.0"), (.string, "'5'"), (.table, "{}"),
        (.function, "tostring"),
    ]

    /// A value that an argument accepts.
    private static func right(_ argument: LibraryFunction.Argument) -> String {
        if argument.kinds.contains(.string) { return "'5'" }
        return samples.first { $0.kind.isSubset(of: argument.kinds) && $0.kind != .nil }?.text ?? "nil"
    }

    /// For each function, place and kind of value: whether the table refuses it, and the sandbox's verdict.
    private static func verdicts() throws -> [(call: String, isRefused: Bool, message: String)] {
        var calls: [(call: String, isRefused: Bool)] = []
        for (name, function) in LibraryFunction.all.sorted(by: { $0.key < $1.key })
        where function.returns && name != "assert" {
            let arguments = function.arguments + function.optional
            for (place, argument) in arguments.enumerated() {
                for (kind, text) in samples where place < function.arguments.count || kind != .nil {
                    let given = arguments.prefix(max(place + 1, function.arguments.count)).enumerated().map {
                        $0 == place ? text : right($1)
                    }
                    let call = "\(name)(\(given.joined(separator: ", ")))"
                    calls.append((call, ValueType(kind).isNever(argument.kinds)))
                }
            }
        }
        let messages = try messages(of: calls.map(\.call))
        return zip(calls, messages).map { ($0.call, $0.isRefused, $1) }
    }

    /// The sandbox's error for each call; empty if it succeeds.
    private static func messages(of calls: [String]) throws -> [String] {
        let registry = PatchRegistry()
        let run = try registry.replaceable("T.run") { () -> [String] in [] }
        var limits = PatchLimits()
        limits.callTime = .seconds(60)
        limits.callFuel = .max / 2
        let runner = PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.shop", version: "1.0"), limits: limits)
        let tries = calls.map { call in
            let isIterator = ["pairs", "ipairs", "string.gmatch"].contains { call.hasPrefix($0) }
            return isIterator
                ? "t(function() for _ in \(call) do break end end)" : "t(function() return \(call) end)"
        }
        let source = """
            patch.replace("T.run", function()
              local all = {}
              local function t(f)
                local ok, message = pcall(f)
                all[#all + 1] = ok and "" or tostring(message)
              end
              \(tries.joined(separator: "\n"))
              return all
            end)
            """
        let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
        let manifest = try Manifest(
            id: "com.example.fix", version: 1, app: "com.example.shop", replaces: ["T.run"],
            scripts: [.init(name: script.name, byteCount: script.bytes.count)])
        try runner.activate(try runner.load(VerifiedPatch(unverifiedForTesting: manifest, scripts: [script])))
        let messages = run()
        try #require(messages.count == calls.count)
        return messages
    }

    /// The functions for which the table accepts values that the sandbox refuses.
    private static let lenient: Set = ["tonumber", "xpcall", "math.random", "next"]

    /// The functions for which the sandbox accepts useless calls, such as the largest of one value.
    private static let strict: Set = ["math.max", "math.min", "host.error"]

    @Test func theTableRefusesWhatTheSandboxRefuses() throws {
        let verdicts = try Self.verdicts()
        #expect(verdicts.count > 300)
        for (call, isRefused, message) in verdicts {
            let name = String(call.prefix { $0 != "(" })
            if isRefused, !Self.strict.contains(name) {
                #expect(!message.isEmpty, "\(call)")
            } else if !isRefused, !Self.lenient.contains(name) {
                #expect(!message.contains(" expected"), "\(call): \(message)")
            }
        }
    }

    @Test func formatsAreRefusedThatTheSandboxRefuses() throws {
        let options = [
            "", "-", "+", "#", " ", "0", "-0", "+ ", "#0", "5", "05", "-5", "+5", "50", "100", ".", ".2", ".02", ".200",
            "5.2", "05.2", "-5.2", "5.", "5.2.", "0000000000000000000", "00000000000000000000", "000000000000000000000",
        ]
        let formats = options.flatMap { options in "cdiouxXaAeEfFgGqsz%".map { "%\(options)\($0)" } }
        let messages = try Self.messages(of: formats.map { "string.format('\($0)', 65)" })
        for (format, message) in zip(formats, messages) {
            var fault: String?
            if case .refused(let reason) = LibraryFunction.read(format) { fault = reason }
            #expect((fault == nil) == message.isEmpty, "\(format): \(fault ?? "accepted"), \(message)")
        }
    }

    @Test func theTableHasEachFunctionOfTheSandbox() {
        var functions = Set(SandboxNames.globals.subtracting(SandboxNames.members.keys))
        for (table, names) in SandboxNames.members { functions.formUnion(names.map { "\(table).\($0)" }) }
        // Constants, and functions that have their own rules in lint.
        let others: Set = [
            "_G", "_VERSION", "math.huge", "math.maxinteger", "math.mininteger", "math.pi", "patch.app",
            "patch.appVersion",
            "patch.id", "patch.version", "utf8.charpattern", "host.call", "patch.replace", "waxClass",
        ]
        #expect(functions.subtracting(others) == Set(LibraryFunction.all.keys))
    }

    @Test func theDocumentsNameEachFunction() throws {
        let document = try String(contentsOfFile: "\(Tool.root)/docs/writing-patches.md", encoding: .utf8)
        let halves = document.components(separatedBy: "\n## The sandbox\n")
        try #require(halves.count == 2)
        let section = halves[1].components(separatedBy: "\n## ")[0]
        // Every second part is between backticks. Other words, such as "next", are prose.
        let code = section.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        let words = code.joined(separator: " ").split { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") }
        // The page names the rest of these libraries only as a whole.
        let together = ["math.", "string.", "table.", "utf8."]
        for name in LibraryFunction.all.keys where !together.contains(where: name.hasPrefix) {
            #expect(words.contains { $0 == name }, "\(name)")
        }
    }
}
