import Foundation
import TestSupport
import Testing

@Suite(.ownThreads) struct InitTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        let made = try Tool.run(Tool.patchpack, ["init", "project", "--app", "com.example.demo"], in: folder.path)
        try #require(made.status == 0, "\(made.error)")
    }

    private func shell(_ line: String, environment: [String: String] = [:]) throws -> Tool {
        try Tool.shell(
            "PATH=$PWD/bin:$PATH; mkdir -p bin; ln -sf \"$TOOL\" bin/patchpack; unset -f patchpack; cd project\n"
                + line,
            environment: environment, in: folder.path)
    }

    /// The commands of the project's own README.
    @Test func initProjectReadmeCommandsMakeVerifiedPatch() throws {
        let readme = try String(contentsOfFile: folder.at("project/README.md"), encoding: .utf8)
        let commands = readme.split(separator: "\n").filter { $0.hasPrefix("    ") }.joined(separator: "\n")
        #expect(commands.contains("keygen"))
        let run = try shell("set -e\n\(commands)")
        #expect(run.status == 0, "\(run.error)")
        #expect(run.error.contains("3 passed, 0 failed, 0 pending\n"))
        let last = try #require(run.lines.last)
        #expect(
            last.hasPrefix("ok  dist.new/hello.js  com.example.demo.hello 1, signed by ")
                && last.hasSuffix(" (ed25519)"))
        // A new app has no old clients.
        #expect(run.text.contains("aes-256-gcm+sha256") && !(run.text + run.error).contains("rsa-sha1"), "\(run.error)")
        // A patch with a mistake is not packed.
        let broken = try shell(
            "sed -i 's/Greeting.text/Greeting.txt/' patches/hello.lua; rm -r dist; sh release.sh; echo $?; ls")
        #expect(broken.lines.contains("20") && !broken.lines.contains("dist"), "\(broken.text)")
    }

    /// A spec has `io` and `os`, and a release has the signing key.
    @Test func aReleaseRunsNoSpec() throws {
        let run = try shell(
            """
            patchpack keygen -o keys --profile modern -q && echo 'io.open("ran", "w"):write(tostring(os.getenv("SIGNING_KEY")))' >>specs/hello.lua
            SIGNING_KEY="$(cat keys/signing.pem)" PATCHPACK_SIGNING_KEY=env:SIGNING_KEY sh release.sh
            """)
        #expect(run.status == 0 && folder.exists("project/dist/hello.js"), "\(run.error)")
        #expect(!folder.exists("project/ran"))
    }

    /// The commands of a job's steps.
    private func steps(of job: Substring) -> [String] {
        var steps: [String] = []
        var indent: Int?
        for line in job.split(separator: "\n", omittingEmptySubsequences: false) {
            let depth = line.prefix { $0 == " " }.count
            if let limit = indent, depth >= limit, !line.isEmpty {
                steps[steps.count - 1] += line.dropFirst(limit) + "\n"
                continue
            }
            indent = nil
            guard let command = line.range(of: " run: ").map({ line[$0.upperBound...] }) else { continue }
            steps.append(command == "|" ? "" : String(command))
            if command == "|" { indent = depth + 2 }
        }
        return steps
    }

    /// Runs the workflow's steps in order, as CI does: each job in its own checkout, and the key only in the second
    /// one.
    @Test func theWorkflowRuns() throws {
        let text = try String(contentsOfFile: folder.at("project/.github/workflows/patches.yml"), encoding: .utf8)
        let border = try #require(text.range(of: "\n  pack:\n"))
        let (test, pack) = (text[..<border.lowerBound], text[border.lowerBound...])
        #expect(text.contains("on:\n  push:\n    branches: [main]\n  pull_request:\n"))
        #expect(!test.contains("secrets.") && !pack.contains("patchpack test"))
        #expect(pack.contains("\n    needs: test\n") && pack.contains("\n    environment: release\n"))
        #expect(pack.contains("\n    if: github.event_name == 'push' && github.ref == 'refs/heads/main'\n"))
        let prepared = try shell(
            """
            patchpack keygen -o keys --profile modern -q
            printf '#!/bin/sh\\n' >../bin/sudo; chmod +x ../bin/sudo; cp -r . ../checkout
            """)
        try #require(prepared.status == 0, "\(prepared.error)")
        let release = try Tool.release(in: folder.path)
        for (job, count, key) in [
            (test, 3, ""), (pack, 2, "SIGNING_KEY=\"$(cat keys/signing.pem)\" PATCHPACK_SIGNING_KEY=env:SIGNING_KEY"),
        ] {
            #expect(steps(of: job).count == count)
            try #require(try shell("cd .. && rm -rf project && cp -r checkout project").status == 0)
            for step in steps(of: job) {
                let run = try shell(
                    """
                    export GITHUB_PATH=$PWD/path RUNNER_TEMP=$PWD/temp \(key)
                    mkdir -p temp
                    [ ! -e path ] || { rm -f ../bin/patchpack; PATH=$(cat path):$PATH; }
                    set -e
                    \(step)
                    """, environment: release)
                #expect(run.status == 0, "\(step)\n\(run.text)\(run.error)")
            }
        }
        #expect(folder.exists("project/dist/hello.js"))
    }

    /// scripts/check/workflows.sh checks the workflow without the tool.
    @Test func theWorkflowThatIsCheckedIsThisOne() throws {
        let run = try shell("\"$CHECKOUT\"/scripts/check/init-workflow.sh | diff - .github/workflows/patches.yml")
        #expect(run.status == 0, "\(run.text)\(run.error)")
    }

    @Test func initExistingFolderExits73() throws {
        let again = try Tool.run(Tool.patchpack, ["init", "project"], in: folder.path)
        #expect(again.status == 73)
        #expect(try Tool.run(Tool.patchpack, ["init", "other", "--app", "demo"], in: folder.path).status == 64)
        #expect(!folder.exists("other"))
    }
}
