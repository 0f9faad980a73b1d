import Foundation
import PatchFiles
import TestSupport
import Testing

/// Which folders and files an output may make or replace: a folder only if it is named as one, and never an input.
@Suite(.ownThreads) struct OutputPlaceTests {
    private let work: FeedReleaseFixture

    init() throws {
        work = try FeedReleaseFixture()
        try work.folder.write("describe('a', function() it('b', function() end) end)", to: "spec.lua")
        try work.folder.write("", to: "events.jsonl")
    }

    @Test(arguments: [
        "pack 8.lua --no-lint --signing-key signing.pem --script-key script.key -o none/a/8.js",
        "resign 7.js --trusted-key trusted.pem --signing-key signing.pem -o none/a/7.js",
        "embed --trusted-key trusted.pem --output none/a/keys.swift",
        "test 7.lua --spec spec.lua --coverage none/a/lines",
        "report events.jsonl --html none/a/page.html",
        "trust add none/a/trust.store trusted.pem",
        "keystore add none/a/script.store script.key --passphrase-env P",
    ])
    func aFileNeedsItsFolder(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        func run() throws -> Tool {
            try Tool.run(Tool.patchpack, words, environment: ["P": "open-sesame"], in: work.folder.path)
        }
        let missing = try run()
        #expect(missing.status == 74 && missing.error.contains(": there is no folder none/a"), "\(missing.error)")
        #expect(missing.text.isEmpty && !work.folder.exists("none"))
        try FileManager.default.createDirectory(atPath: work.folder.at("none/a"), withIntermediateDirectories: true)
        let found = try run()
        #expect(found.status != 74, "\(found.error)")
    }

    /// `--force` replaces no file that the command line reads, under whatever name.
    @Test(arguments: [
        "pack 8.lua --no-lint --passphrase-file 8.js --signing-key signing.pem --script-key script.key -o . --force",
        "resign 7.js --trusted-key trusted.pem --signing-key link.js -o link.js --force",
        "embed --trusted-key trusted.pem --output trusted.pem --force",
        "embed --trusted-key trusted.pem --interface events.jsonl --output events.jsonl --force",
        "keygen --profile modern --passphrase-file trusted.pem -o . --force",
        "keystore export 7.js key --passphrase-file spec.lua --output spec.lua --force",
        "report events.jsonl --html events.jsonl --force",
    ])
    func noInputIsReplaced(line: String) throws {
        let run = try shell("ln -s signing.pem link.js; echo word >8.js; cksum *.* >before; patchpack \(line) >&2")
        #expect(run.status == 64 && run.error.contains("the output would replace an input"), "\(run.error)")
        #expect(try shell("cksum *.* | cmp - before").status == 0)
    }

    @Test func anEnvelopeIsSignedInPlace() throws {
        let run = try shell("patchpack resign 7.js --trusted-key trusted.pem --signing-key signing.pem -o 7.js --force")
        #expect(run.status == 0, "\(run.error)")
    }

    /// A verb that writes a file, one that writes several into a folder, and one that edits a file. The other verbs
    /// write with the same function, which scripts/check/references.py checks.
    private static let writers = [
        "pack 8.lua --no-lint --signing-key signing.pem --script-key script.key -o out/8.js --force",
        "unpack 7.js --trusted-key trusted.pem --script-key script.key -o out --force",
        "trust add out/trust.store trusted.pem",
    ]

    /// The verbs that write a folder of their own form.
    private static let folders = [
        FeedReleaseFixture.make("out/feed").joined(separator: " ").replacing("init out", with: "feed init out"),
        "feed deploy feed --to out/www",
        "sync feed --store out/d --app com.example.shop --app-version 2.3.1 --trusted-key trusted.pem --script-key script.key",
    ]

    private func shell(_ line: String, script: String = "") throws -> Tool {
        try work.shop.shell(line, environment: ["SCRIPT": script])
    }

    /// Prepares the folder for a writer.
    ///
    /// - Returns: Its output, or the last one of several.
    private func prepare(_ line: String) throws -> String {
        let first = try shell("mkdir out && patchpack \(line) >run && find out -type f | sort")
        return try #require(first.lines.last, "\(first.error)")
    }

    /// Runs a writer while something is in the way of its output.
    ///
    /// - Parameters:
    ///   - words: The words of the writer.
    ///   - hindrance: A line of shell, which runs first.
    ///   - variables: Variables of the writer, as words of the shell.
    ///   - isMounted: Whether the folder of the output is a file system of its own.
    /// - Returns: The run. It has output if the folder of the output is not as before.
    private func run(
        _ words: String, after hindrance: String, _ variables: String = "", isMounted: Bool = false
    ) throws -> Tool {
        let script = """
            # A file that another process has made is not the writer's, and a killed one may leave a temporary file.
            state() {
              find out -mindepth 1 ! -name '.patchpack-*.tmp' ! \\( -type f -exec grep -qsx other {} \\; \\) -printf '%y %p %l\\n' \\
                \\( ! -type f -o -exec cksum {} \\; \\) | sort
            }
            rm -rf out; mkdir out
            \(isMounted ? "mount -t tmpfs -o size=64k none out" : "")
            echo target >out/target
            \(hindrance)
            state >before
            \(variables) "$TOOL" \(words) >run 2>&1
            status=$?
            state >after
            cat run >&2
            diff before after
            [ $status != 137 ] || "$TOOL" \(words) >&2 || exit 90
            exit $status
            """
        return try shell((isMounted ? "unshare -rm " : "") + "bash -c \"$SCRIPT\"", script: script)
    }

    /// Nothing that is not a regular file is replaced, with `--force` too. An edit follows a link, to a store.
    @Test(arguments: writers) func onlyARegularFileIsReplaced(line: String) throws {
        let place = try prepare(line)
        for kind in ["ln -s target", "ln -s nowhere", "ln -s /dev/null", "mkfifo"] {
            let run = try run(line, after: "mkdir -p '\(Path(place).parent)'; \(kind) '\(place)'")
            #expect(run.status != 0 && run.status < 80 && run.text.isEmpty, "\(kind): \(run.status) \(run.text)")
        }
    }

    /// A folder that takes no file stays as it is.
    @Test(.enabled("a file system of its own") { await InputKindTests.canMount() }, arguments: writers + folders)
    func aFolderThatTakesNoFileStaysAsItIs(line: String) throws {
        _ = try prepare(line)
        for (hindrance, says) in [
            ("mount -o remount,bind,ro out", "read-only file system"),
            ("head -c 65536 /dev/zero >out/filler 2>/dev/null", "no space left on device"),
        ] {
            let run = try run(line, after: hindrance, isMounted: true)
            #expect(run.status == 74 && run.error.contains(says), "\(run.status) \(run.error)")
            let keepsFolders = ["sync", "feed deploy"].contains(where: line.hasPrefix)
            #expect(keepsFolders ? isWhole(run) : run.text.isEmpty, "\(run.text)")
        }
    }

    /// Whether no file was made, changed or removed. A new folder may be left.
    private func isWhole(_ run: Tool) -> Bool { !run.lines.contains { $0.hasPrefix("> f") || $0.hasPrefix("<") } }

    #if os(Linux)
        /// A process that is killed before its first output is in place leaves the folder as it is, and the next one
        /// works.
        @Test(arguments: writers) func outputKilledBeforeEndLeavesNothing(line: String) throws {
            _ = try prepare(line)
            let library = try #require(FaultTests.library).at("faults.so")
            let runs = try ["link", "rename"].map {
                try run(line, after: "", "LD_PRELOAD='\(library)' FAULT=\($0):1:kill")
            }
            #expect(runs.contains { $0.status == 137 })
            for run in runs where run.status != 0 { #expect(run.status == 137 && isWhole(run), "\(run.error)") }
        }

        /// A file that another process makes meanwhile is not replaced without `--force`, and no other output is there.
        @Test(arguments: writers) func outputFileMadeMeanwhileIsNotReplaced(line: String) throws {
            _ = try prepare(line)
            let library = try #require(FaultTests.library).at("faults.so")
            let words = line.replacing(" --force", with: "")
            let run = try run(words, after: "", "LD_PRELOAD='\(library)' FAULT=link:1:other")
            #expect(run.status == 73 && isWhole(run), "\(run.status) \(run.error)\(run.text)")
            #expect(try shell("grep -rlx --exclude='.patchpack-*' other out").lines.count == 1)
        }
    #endif

    /// A page and a source file are written in place of another one, which standard output cannot be.
    @Test(arguments: [
        "embed --trusted-key trusted.pem --output -", "test 7.lua --spec spec.lua --coverage -",
        "report events.jsonl --html -",
    ])
    func standardOutputIsNoFile(line: String) throws {
        let run = try Tool.run(Tool.patchpack, line.split(separator: " ").map(String.init), in: work.folder.path)
        #expect(run.status == 64 && run.error.contains(" - is not a file"), "\(run.error)")
        #expect(!work.folder.exists("-"))
    }

    @Test(arguments: [
        "pack 8.lua --no-lint --signing-key signing.pem --script-key script.key -o none/a",
        "resign 7.js --trusted-key trusted.pem --signing-key signing.pem -o none/a",
        "keygen --profile modern -o none/a",
        "unpack 7.js --trusted-key trusted.pem --script-key script.key -o none/a",
    ])
    func aFolderIsMade(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let run = try Tool.run(Tool.patchpack, words, in: work.folder.path)
        #expect(run.status == 0 && work.folder.exists("none/a"), "\(run.error)")
    }
}
