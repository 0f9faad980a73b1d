import Foundation
import TestSupport
import Testing

/// Runs the vectors through the command line, and through a Python verifier that was written only from docs/format.md.
@Suite(.ownThreads) struct VectorTests {
    /// Without a time, the tool uses the current time, so vectors without a time are left out. It takes no empty
    /// `--app`.
    private static let cases = Vector.all.filter { $0.at != nil && $0.app != "" }

    /// The exit statuses of docs/cli.md.
    private static let statuses: [String: Int32] = [
        "ok": 0, "malformed": 10, "bad-signature": 11, "unknown-signer": 12, "decrypt-failed": 13,
        "digest-mismatch": 14,
        "policy": 15, "limit": 16,
    ]

    /// The options for a vector.
    private func options(_ vector: Vector) -> [String] {
        let rules = [
            ("--app", vector.app), ("--app-version", vector.appVersion), ("--engine", vector.engine.map(String.init)),
            ("--minimum-version", vector.floor.map(String.init)), ("--at", vector.at),
            ("--threshold", "\(vector.threshold)"),
            ("--script-key", "keys/\(vector.scriptKey)"),
        ]
        return rules.flatMap { name, value in value.map { [name, $0] } ?? [] }
            + vector.trust.flatMap { name in
                let parts = name.split(separator: ":")
                return ["--trusted-key", parts.count == 2 ? "\(parts[0]):keys/\(parts[1])" : "keys/\(name)"]
            }
    }

    @Test func everyVectorGetsItsVerdictFromTheTool() throws {
        let large = try TestFolder()
        // Accepted vectors run one by one: several with the same id and version in one run are an error.
        var groups: [([String], [Vector])] = []
        for (options, vectors) in Dictionary(grouping: Self.cases, by: { options($0) }) {
            groups += vectors.filter { $0.stage == nil }.map { (options, [$0]) }
            let refused = vectors.filter { $0.stage != nil }
            if !refused.isEmpty { groups.append((options, refused)) }
        }
        try #require(groups.count > 20)
        for (options, vectors) in groups {
            let files = try vectors.map { vector in
                try vector.zeros == nil ? vector.file : large.write(vector.bytes(), to: vector.file)
            }
            let run = try Tool.run(Tool.patchpack, ["verify", "--format", "json"] + files + options, in: Vector.folder)
            if vectors.contains(where: { $0.stage == "config" }) {
                #expect(run.status == 78, "\(vectors.map(\.file))")
                continue
            }
            let objects = try run.objects()
            try #require(objects.count == vectors.count)
            var firstFailure: Int32 = 0
            for (vector, object) in zip(vectors, objects) {
                let stages = object["stages"] as? [[String: Any]] ?? []
                let failed = stages.first { $0["status"] as? String == "fail" }?["name"] as? String
                #expect(failed == vector.stage, "\(vector.file)")
                #expect(object["verdict"] as? String == vector.code ?? "ok", "\(vector.file)")
                let exitCode = Int32(object["exitCode"] as? Int ?? -1)
                #expect(exitCode == Self.statuses[vector.code ?? "ok"], "\(vector.file)")
                if firstFailure == 0 { firstFailure = exitCode }
            }
            #expect(run.status == firstFailure)
        }
    }

    @Test func aSecondImplementationAgrees() throws {
        let run = try Tool.run("/usr/bin/python3", ["\(Vector.folder)/verifier.py"])
        #expect(run.status == 0, "\(run.text)\(run.error)")
        #expect(run.lines.last == "\(Vector.all.count) cases, 0 disagreements")
    }

    @Test func theVectorsAreWhatTheirGeneratorMakes() throws {
        let run = try Tool.run("/usr/bin/python3", ["\(Vector.folder)/generate.py", "--check"])
        #expect(run.status == 0, "\(run.text)\(run.error)")
    }
}
