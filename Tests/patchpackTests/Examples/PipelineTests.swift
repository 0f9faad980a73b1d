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

    /// The script of an example is between two texts of its file, and behind a third one if there is one.
    @Test(arguments: [
        ("gitlab-ci.yml", "verify-patches:", "  artifacts:", "    - |\n"), ("Jenkinsfile", "sh '''\n", "'''", ""),
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
    func pipelineDownloadWrongHashUnpacksNothing(_ example: String) throws {
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

    /// pre-commit's hooks run the release that the variables name, and keep it. They run no other one, and take no file
    /// for an option.
    @Test func aHookRunsOnlyTheReleaseThatItNames() throws {
        let release = try Tool.release(in: shop.folder.path)
        func hook(_ variables: [String: String], _ line: String = "doctor --") throws -> Tool {
            try Tool.shell(
                """
                mkdir -p other && printf '#!/bin/sh\necho other\n' >other/patchpack && chmod +x other/patchpack
                XDG_CACHE_HOME=$PWD/cache PATH=$PWD/other:/usr/bin:/bin "$CHECKOUT"/scripts/hook.sh \(line)
                """, environment: release.merging(variables) { $1 }, in: shop.folder.path)
        }
        for hash in ["", "00", String(repeating: "0", count: 64)] {
            let run = try hook(["PATCHPACK_SHA256": hash])
            #expect(run.status == (hash.count == 64 ? 1 : 64) && run.text.isEmpty, "\(run.error)")
        }
        let none = try hook(["PATCHPACK_URL": ""])
        #expect(none.status == 64 && none.text.isEmpty, "\(none.text)")
        let unended = try hook([:], "verify --signature-only '--trusted-key=x/dist/k.js'")
        #expect(unended.status == 64 && unended.error.contains("end in --"), "\(unended.error)")
        let inName = try hook([:], "verify --signature-only 'a -- b/dist/g.js'")
        #expect(inName.status == 64 && inName.error.contains("end in --"), "\(inName.error)")
        #expect(try hook([:]).text.hasPrefix("patchpack "))
        // The folder has lost its program.
        let program = shop.folder.at("cache/patchpack/\(try #require(release["PATCHPACK_SHA256"]))/bin/patchpack")
        try FileManager.default.removeItem(atPath: program)
        #expect(try hook([:]).text.hasPrefix("patchpack "))
        try FileManager.default.removeItem(atPath: shop.folder.at("release.tar.xz"))
        #expect(try hook([:]).text.hasPrefix("patchpack "))
        try FileManager.default.removeItem(atPath: program)
        let gone = try hook([:])
        #expect(gone.status != 0 && gone.text.isEmpty, "\(gone.text)")
    }

    /// A statement counts if the key has signed it, and it is about the named payload and its origin, not if it
    /// mentions a hash.
    @Test func anAttestationIsAboutItsSubject() throws {
        let run = try shop.shell(
            #"""
            for key in builder other; do openssl genpkey -algorithm ed25519 -out $key.key; openssl pkey -in $key.key -pubout -out $key.pub; done
            hash=$(sha256sum <cart.lua | cut -d ' ' -f 1) wrong=$(sha256sum <trusted.pem | cut -d ' ' -f 1)
            "$CHECKOUT"/examples/attest.sh sign builder.key cart.js "$hash" https://ci.example.com "$wrong" >good
            cat >lies.py <<'END'
            import base64, json, subprocess, sys
            good, wrong = json.load(open("good")), sys.argv[1]
            statement = json.loads(base64.b64decode(good["payload"]))
            def lie(name, change, keys=("builder",), kind=good["payloadType"], **layout):
                said = json.loads(json.dumps(statement))
                change(said)
                payload = json.dumps(said, **layout).encode()
                open("signed", "wb").write(b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload))
                signatures = [subprocess.check_output(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key + ".key", "-in", "signed"]) for key in keys]
                json.dump({"signatures": [{"sig": base64.b64encode(s).decode()} for s in signatures], "payload": base64.b64encode(payload).decode(),
                    "payloadType": kind}, open(name, "w"), indent=2)
            def dependency(said):
                said["predicate"]["buildDefinition"]["resolvedDependencies"] = said["subject"]
                said["subject"] = [{"name": "cart.js", "digest": {"sha256": wrong}}]
            lie("formatted", lambda said: None, ("other", "builder"), indent=1)
            lie("capital", lambda said: said["subject"][0]["digest"].update(sha256=said["subject"][0]["digest"]["sha256"].upper()))
            lie("dependency", dependency)
            lie("test", lambda said: said.update(predicateType="https://in-toto.io/attestation/test-result/v0.1"))
            lie("renamed", lambda said: said["subject"][0].update(name="other.js"))
            lie("kind", lambda said: None, kind="application/json")
            lie("foreign", lambda said: None, ("other",))
            lie("flat", lambda said: said.update(subject="cart.js"))
            END
            python3 lies.py "$wrong"
            : >empty; echo '<html>' >page; echo '{"payload":3}' >numbers; sed 's/"sig":"./"sig":"/' good >cut
            for file in good formatted capital dependency test renamed kind foreign flat empty page numbers cut; do
              "$CHECKOUT"/examples/attest.sh check builder.pub cart.js "$hash" <$file >out 2>err
              echo "$file $? $(wc -l <out) $(wc -l <err)"
            done
            "$CHECKOUT"/examples/attest.sh check cart.lua cart.js "$hash" <good; echo "key $?"
            for module in json base64; do
              echo 'import os; os.write(1, b"(a statement that nobody signed)\n"); os._exit(0)' >$module.py
              "$CHECKOUT"/examples/attest.sh check builder.pub cart.js "$hash" <numbers 2>err; echo "beside $module.py $?"
              PYTHONPATH=$PWD sh -c 'cd / && "$CHECKOUT"/examples/attest.sh check "$0/builder.pub" cart.js x' $PWD <numbers 2>err; echo "PYTHONPATH $?"
              rm $module.py
            done
            """#)
        let expected = """
            good 0 1 0
            formatted 0 30 0
            capital 0 1 0
            dependency 34 0 1
            test 34 0 1
            renamed 34 0 1
            kind 34 0 1
            foreign 11 0 1
            flat 10 0 1
            empty 10 0 1
            page 10 0 1
            numbers 10 0 1
            cut 10 0 1
            key 78
            beside json.py 10
            PYTHONPATH 10
            beside base64.py 10
            PYTHONPATH 10
            """
        #expect(run.text == expected + "\n", "\(run.text) \(run.error)")
    }

    /// The version of a source is that of its own commit, and only if nothing is changed or added.
    @Test func aVersionIsOfThisSource() throws {
        let run = try shop.shell(
            #"""
            make() { mkdir -p $1/scripts $1/Sources/patchpack && cp "$CHECKOUT"/scripts/version.sh $1/scripts && cp "$CHECKOUT"/Sources/patchpack/Version.swift $1/Sources/patchpack; }
            commit() { git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m "$1"; }
            make outer/copy && cd outer && git init -q -b main . && commit a
            next=$(sed -n 's/^let nextVersion = "\(.*\)"$/\1/p' copy/Sources/patchpack/Version.swift)
            version() { scripts/version.sh "$@" | (unset GIT_DIR; sed "s/$next/NEXT/; s/$(git rev-parse HEAD | cut -c 1-9)/COMMIT/"); }
            git tag $next && (cd copy && version && version debian)
            cd copy && git init -q -b main . && cp "$CHECKOUT"/.gitattributes . && git add . && commit b && git tag $next && version && version debian
            touch Sources/new.swift && version && rm Sources/new.swift
            echo >>.gitattributes && version && git checkout -q .gitattributes && commit c && version
            mkdir archive && git archive HEAD | tar -x -C archive && archive/scripts/version.sh | sed "s/$(git rev-parse HEAD | cut -c 1-9)/COMMIT/" && rm -r archive
            git checkout -q $next && touch Sources/a.swift
            printf '[status]\n\tshowUntrackedFiles = no\n' >../settings && GIT_CONFIG_GLOBAL=$PWD/../settings version && rm Sources/a.swift
            echo Sources/b.swift >.git/info/exclude && touch Sources/b.swift && version && rm Sources/b.swift
            mkdir Sources/__pycache__ && touch Sources/__pycache__/c.swift && version && rm -r Sources/__pycache__
            git init -q ../other && touch Sources/d.swift && GIT_DIR=$PWD/../other/.git version && rm Sources/d.swift
            GIT_DIR=$PWD/../other/.git version && git checkout -q main
            previous=$(scripts/version.sh debian)
            for i in 1 2 3 4 5 6 7 8 9 10; do
              commit $i; new=$(scripts/version.sh debian)
              dpkg --compare-versions "$previous" lt "$new" && dpkg --compare-versions "$new" lt "$next" || echo "$previous $new"
              previous=$new
            done
            """#)
        let lines = [
            "NEXT-dev", "NEXT~dev0", "NEXT", "NEXT", "NEXT-dev (COMMIT, changed)", "NEXT-dev (COMMIT, changed)",
            "NEXT-dev (COMMIT)",
        ]
        let atTag = Array(repeating: "NEXT-dev (COMMIT, changed)", count: 4) + ["NEXT"]
        #expect(Array(run.lines.prefix(lines.count)) == lines, "\(run.text) \(run.error)")
        let archived = run.lines.dropFirst(lines.count).first
        #expect(archived?.hasSuffix("-dev (COMMIT)") == true, "\(run.text)")
        #expect(Array(run.lines.dropFirst(lines.count + 1)) == atTag, "\(run.text) \(run.error)")
    }
}
