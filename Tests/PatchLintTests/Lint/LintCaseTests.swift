import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import PatchLint
@testable import PatchRunner

/// The patches of Tests/Lint have exactly the findings that they name. `LintCase` has the form of these files. Those in
/// no-interface.lua are linted without the interface, and the tool lints those in tool.lua.
@Suite(.ownThreads) struct LintCaseTests {
    static let files = LintCase.files.filter { $0 != "tool.lua" }

    @Test func lintCasesAllFilesAreFound() throws {
        #expect(try Self.files.flatMap(LintCase.all).count > 700)
    }

    @Test(arguments: files)
    func linterLintCaseHasNamedFindings(file: String) throws {
        let interface = file == "no-interface.lua" ? nil : try PatchInterface(decoding: LintCase.interface())
        for patch in try LintCase.all(in: file) {
            let scripts = patch.scripts.map { PatchScript(name: $0.name, bytes: $0.bytes) }
            func findings(_ interface: PatchInterface?) -> [Finding] {
                Linter.findings(in: scripts, replaces: Self.replaces(scripts[0]), interface: interface)
            }
            let found = findings(interface)
            let names = patch.verdicts.filter { $0 != "none" }
            let isRight =
                names.count == found.count
                && zip(names, found).allSatisfy { Self.forms($1, in: scripts[0]).contains($0) }
            #expect(isRight, "\(patch): \(found.compactMap { Self.forms($0, in: scripts[0]).last })")
            // Correct code is correct without the interface too.
            if found.allSatisfy({ $0.code == .undefinedGlobal }) {
                let others = findings(nil)
                #expect(others.map(\.line) == found.map(\.line), "\(patch), without an interface: \(others)")
            }
        }
    }

    /// The ways to write a finding as a verdict.
    private static func forms(_ finding: Finding, in entry: PatchScript) -> [String] {
        let file = finding.script == entry.name ? "" : "\(finding.script) "
        let line = "\(finding.code.rawValue) in \(file)line \(finding.line)"
        return [line, "\(line):\(finding.column)"].flatMap { place in
            [place, "\(place): \(finding.message)"]
                + (finding.hint.map { ["\(place): \(finding.message); \($0)"] } ?? [])
        }
    }

    /// The names that a script's head lists, or those that it gives to `patch.replace`.
    static func replaces(_ script: PatchScript) -> [String] {
        if let listed = try? ScriptHead(of: script.bytes).replaces, !listed.isEmpty { return listed }
        let parts = String(decoding: script.bytes, as: UTF8.self).components(separatedBy: "patch.replace(")
        var names: [String] = []
        for name in parts.dropFirst().compactMap({ $0.dropFirst().split(whereSeparator: { "\"'".contains($0) }).first })
        {
            if !names.contains(String(name)) { names.append(String(name)) }
        }
        return names
    }
}
