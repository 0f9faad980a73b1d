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

    @Test func fromNothingToAVerifiedPatch() throws {
        let run = try shell("patchpack keygen -o keys -q && sh release.sh")
        #expect(run.status == 0, "\(run.error)")
        #expect(run.error.contains("3 passed, 0 failed, 0 pending\n"))
        #expect(run.lines.last?.hasPrefix("ok  dist.new/hello.js  com.example.demo.hello 1, signed by ") == true)
        // A patch whose spec fails is not packed.
        let broken = try shell(
            "sed -i 's/\"stranger\"/\"nobody\"/' patches/hello.lua; rm -r dist; sh release.sh; echo $?; ls")
        #expect(broken.lines.contains("20") && !broken.lines.contains("dist"))
    }

    /// Runs the workflow's steps one after the other, as CI does.
    @Test func theWorkflowRuns() throws {
        let text = try String(contentsOfFile: folder.at("project/.github/workflows/patches.yml"), encoding: .utf8)
        var steps: [String] = []
        var indent: Int?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
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
        #expect(steps.count == 4)
        let prepared = try shell(
            """
            patchpack keygen -o keys -q && mkdir tools home temp && cp "$(readlink -f ../bin/patchpack)" tools/patchpack
            printf '#!/bin/sh\\n' >../bin/sudo; chmod +x ../bin/sudo
            """)
        try #require(prepared.status == 0, "\(prepared.error)")
        for step in steps {
            let run = try shell(
                """
                export HOME=$PWD/home GITHUB_PATH=$PWD/path RUNNER_TEMP=$PWD/temp SIGNING_KEY="$(cat keys/signing.pem)" PATCHPACK_SIGNING_KEY=env:SIGNING_KEY
                [ ! -e path ] || { rm -f ../bin/patchpack; PATH=$(cat path):$PATH; }
                set -e
                \(step)
                """)
            #expect(run.status == 0, "\(step)\n\(run.text)\(run.error)")
        }
        #expect(folder.exists("project/dist/hello.js"))
    }

    @Test func nothingIsReplaced() throws {
        let again = try Tool.run(Tool.patchpack, ["init", "project"], in: folder.path)
        #expect(again.status == 73)
        #expect(try Tool.run(Tool.patchpack, ["init", "other", "--app", "demo"], in: folder.path).status == 64)
        #expect(!folder.exists("other"))
    }

    #if os(Linux)
        @Test func watchingRunsAgain() throws {
            let run = try shell(
                """
                patchpack test patches/hello.lua --spec specs/hello.lua --interface interface.json --watch >log 2>&1 &
                watcher=$!
                wait_for() { for i in $(seq 300); do [ "$(grep -c "$1" log)" -ge "$2" ] && return; sleep 0.1; done; return 1; }
                wait_for 'waiting for a change' 1 && touch unrelated && cp patches/hello.lua new.lua &&
                  sed 's/"stranger"/"nobody"/' new.lua >patches/hello.new && mv patches/hello.new patches/hello.lua &&
                  wait_for 'waiting for a change' 2 && cp new.lua patches/hello.lua && wait_for 'waiting for a change' 3
                status=$?
                kill $watcher
                grep passed log
                exit $status
                """)
            #expect(run.status == 0, "\(run.error)")
            #expect(
                run.lines == [
                    "3 passed, 0 failed, 0 pending", "2 passed, 1 failed, 0 pending", "3 passed, 0 failed, 0 pending",
                ])
        }
    #endif
}
