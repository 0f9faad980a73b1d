import Foundation
import TestSupport
import Testing

/// A folder is made only if it is named as a folder.
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
        "feed page feed -o none/a/page.html", "report events.jsonl --html none/a/page.html",
        "trust add none/a/trust.store trusted.pem",
        "keystore add none/a/script.store script.key --keystore-passphrase-env P",
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

    /// A page and a source file are written in place of another one, which standard output cannot be.
    @Test(arguments: [
        "embed --trusted-key trusted.pem --output -", "test 7.lua --spec spec.lua --coverage -", "feed page feed -o -",
        "report events.jsonl --html -",
    ])
    func standardOutputIsNoFile(line: String) throws {
        let run = try Tool.run(Tool.patchpack, line.split(separator: " ").map(String.init), in: work.folder.path)
        #expect(run.status == 64 && run.error.contains(" - is not a file"), "\(run.error)")
        #expect(!work.folder.exists("-"))
    }

    @Test(arguments: [
        "pack 8.lua --no-lint --signing-key signing.pem --script-key script.key -o none/a",
        "resign 7.js --trusted-key trusted.pem --signing-key signing.pem -o none/a", "keygen -o none/a",
        "unpack 7.js --trusted-key trusted.pem --script-key script.key -o none/a",
    ])
    func aFolderIsMade(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let run = try Tool.run(Tool.patchpack, words, in: work.folder.path)
        #expect(run.status == 0 && work.folder.exists("none/a"), "\(run.error)")
    }
}
