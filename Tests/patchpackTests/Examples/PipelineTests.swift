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
            cd repository && git checkout -q "$1" && mkdir -p bin && ln -sf "$TOOL" bin/patchpack && unset -f patchpack
            export PATH=$PWD/bin:$PATH CHANGE_TARGET=main CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git merge-base main HEAD)
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
}
