import Foundation
import PatchCrypto
@testable import PatchRunner
import TestSupport
import Testing

/// Scripts that try to exceed their rights. The first line of each file names the expected outcome:
///
///     refused CODE            it does not load
///     failed CODE             the original returns the result, and the failure has this code
///     failed-answered CODE N  as `failed`, but the original has already run: N is its result
///     answered N              it is harmless, and returns N
@Suite(.ownThreads) struct HostileScriptTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "scripts")
    static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".lua") }
        .sorted()

    @Test func hostileScriptsFolderIsFound() { #expect(Self.names.count > 150) }

    @Test(arguments: names)
    func hostileScriptRunHasStatedOutcome(_ name: String) async throws {
        let source = try Data(contentsOf: Self.folder.appending(path: name))
        let text = String(decoding: source, as: UTF8.self)
        let head = try #require(text.split(separator: "\n").first { $0.contains("-- outcome: ") })
        let outcome = try #require(head.split(separator: ": ", maxSplits: 1).last).split(separator: " ").map(
            String.init)

        // The result must depend only on limits, even on a busy machine.
        var limits = outcome.contains("script-limit") ? PatchLimits() : .patient
        if outcome[0] != "refused" { limits.loadTime = .seconds(60) }
        if isSanitized {
            limits.callTime = max(limits.callTime, .seconds(2))
            limits.loadTime = .seconds(60)
        }
        let harness = try Harness(limits: limits)
        let calls = Counter()
        let run = try harness.registry.replaceable("T.run") { (x: Int) -> Int in
            calls.add()
            return x + 1000
        }
        _ = try harness.registry.replaceable("T.array") { (_: [Int]) -> Int in 0 }
        let verified = try Harness.verified(
            bytes: Array(source), replaces: ["T.run"], others: ["other.lua": "return ("])
        if outcome[0] == "refused" {
            let error = try #require(throws: PatchError.self) { _ = try harness.runner.load(verified) }
            #expect("\(error.code)" == outcome[1], "\(error)")
        } else {
            let patch = try harness.runner.load(verified)
            try harness.runner.activate(patch)
            let answer = run(1)
            switch outcome[0] {
            case "answered":
                #expect(answer == Int(outcome[1]), "\(harness.failures)")
                #expect(harness.failures.isEmpty)
            default:
                let code = try #require(harness.failures.first).code
                #expect("\(code)" == outcome[1], "\(harness.failures)")
                #expect(answer == (outcome.count > 2 ? Int(outcome[2]) : 1001))
            }
            #expect(calls.count <= 1)
            // The patch is in the state after the last call. Whatever it does now, the host gets a result.
            _ = run(2)
            // Another instance loads it again, and several threads call it, some of them while it is withdrawn.
            patch.script.makeInstance()
            LuaState.releaseReserved()
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask { for _ in 0...thread { _ = run(2) } }
                }
                for await _ in group.prefix(2) {}
                harness.runner.deactivateAll()
            }
            #expect(!harness.runner.deactivate("com.example.shop.fix"))
        }
        #expect(run(3) == 1003)
    }
}
