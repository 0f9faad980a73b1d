import Foundation
import PatchCrypto
import TestSupport
import Testing

/// The CI examples on a change that brings its own key, in a repository whose main branch has another one.
@Suite(.ownThreads) struct PipelineTests {
    private let shop: ReleaseFixture

    init() throws {
        shop = try ReleaseFixture()
        try shop.folder.write(TestKeys.otherSigning.pem().exposed, to: "thief.pem", mode: 0o600)
        let made = try shop.shell(
            """
            git init -q -b main repository && cd repository && git config user.name a && git config user.email a@example.com
            pack() { patchpack pack --no-lint -q ../cart.lua -o dist --force --signing-key ../$1 --script-key ../script.key; }
            mkdir keys && cp ../trusted.pem ../script.key keys && pack signing.pem && git add . && git commit -q -m base
            git update-ref refs/remotes/origin/main main
            git checkout -q -b good && echo >>README && git add . && git commit -q -m good
            git checkout -q -b bad && cp ../other.pem keys/trusted.pem && pack thief.pem && git add . && git commit -q -m bad
            """)
        try #require(made.status == 0, "\(made.error)")
    }

    /// The shell block of an example that names the keys.
    private func script(of example: String, from start: String, to end: String) throws -> String {
        let text = try String(contentsOfFile: "\(Tool.root)/examples/\(example)", encoding: .utf8)
        let block = try #require(text.split(separator: start).last?.split(separator: end).first)
        return String(block)
    }

    private func status(_ script: String, on branch: String) throws -> Int32 {
        let run = try Tool.shell(
            """
            cd repository && git checkout -q "$1" && { git remote add origin "$PWD" 2>/dev/null || true; } && mkdir -p bin && ln -sf "$TOOL" bin/patchpack && unset -f patchpack
            export PATH=$PWD/bin:$PATH CHANGE_TARGET=main CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main
            bash -eo pipefail -c "$2"
            """, branch, script, in: shop.folder.path)
        return run.status
    }

    @Test(arguments: [
        ("gitlab-ci.yml", "verify-patches:", "  artifacts:", "    - |\n"), ("Jenkinsfile", "sh \'\'\'\n", "\'\'\'", ""),
    ])
    func noChangeBringsItsOwnKey(_ example: String, _ start: String, _ end: String, _ block: String) throws {
        var script = try script(of: example, from: start, to: end)
        if !block.isEmpty { script = try #require(script.split(separator: block).last.map(String.init)) }
        #expect(script.contains("patchpack verify") && !script.contains("patchpack test"))
        #expect(try status(script, on: "good") == 0)
        #expect(try status(script, on: "bad") == 12)
        // With the key of the change, it would have passed.
        let own = "patchpack verify -r dist --trusted-key keys/trusted.pem --signature-only"
        #expect(try status(own, on: "bad") == 0)
    }

    /// The lines of each example that download the tool unpack only the release whose hash they have.
    @Test(arguments: ["verify-patches.yml", "rollout.yml", "gitlab-ci.yml", "Jenkinsfile"])
    func pipelineDownload_wrongHash_unpacksNothing(_ example: String) throws {
        let lines = try String(contentsOfFile: "\(Tool.root)/examples/\(example)", encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingPrefix { " -".contains($0) } }
        let first = try #require(lines.firstIndex { $0.hasPrefix("curl ") })
        let last = try #require(lines[first...].firstIndex { $0.hasPrefix("tar ") })
        let script = lines[first...last].joined(separator: "\n")
        let release = try Tool.release(in: shop.folder.path)
        func unpacked(_ variables: [String: String]) throws -> Bool {
            let run = try Tool.shell(
                "rm -rf place; mkdir place; cd place; export RUNNER_TEMP=$PWD tool=$PWD; bash -ec \"$1\"", script,
                environment: release.merging(variables) { $1 }, in: shop.folder.path)
            let isThere = ["place", "place/patchpack"].contains { shop.folder.exists("\($0)/bin/patchpack") }
            #expect((run.status == 0) == isThere, "\(run.error)")
            return isThere
        }
        #expect(try unpacked([:]))
        #expect(try !unpacked(["PATCHPACK_SHA256": String(repeating: "0", count: 64)]))
        #expect(try !unpacked(["PATCHPACK_URL": "file://\(Tool.root)/LICENSE"]))
    }

    /// pre-commit's hooks run the release that the variables name, and keep it.
    @Test func aHookRunsOnlyTheReleaseThatItNames() throws {
        let release = try Tool.release(in: shop.folder.path)
        func hook(_ variables: [String: String]) throws -> Tool {
            try Tool.shell(
                "XDG_CACHE_HOME=$PWD/cache PATH=/usr/bin:/bin \"$CHECKOUT\"/scripts/hook.sh --version",
                environment: release.merging(variables) { $1 }, in: shop.folder.path)
        }
        for hash in ["", "00", String(repeating: "0", count: 64)] {
            let run = try hook(["PATCHPACK_SHA256": hash])
            #expect(run.status == (hash.count == 64 ? 1 : 64) && run.text.isEmpty, "\(run.error)")
        }
        #expect(try hook([:]).text.hasPrefix("patchpack "))
        try FileManager.default.removeItem(atPath: shop.folder.at("release.tar.xz"))
        #expect(try hook([:]).text.hasPrefix("patchpack "))
    }
}
