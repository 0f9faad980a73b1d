import Foundation
import TestSupport
import Testing

/// The runbooks of docs/operations.md about copies of a feed, with their own commands and the notes of a month beside
/// the keys.
@Suite(.ownThreads) struct RunbookTests {
    private static let id = FeedReleaseFixture.id
    private let work: FeedReleaseFixture

    /// Thirty changes by two keys, a backup in the middle, and a device that has seen the last state.
    init() throws {
        work = try FeedReleaseFixture()
        try shell("patchpack feed deploy feed --to www -q")
        for day in 1...30 {
            try shell(
                "patchpack feed switch feed day=\(day) --key online.pem -q; patchpack feed deploy feed --to www -q")
            if day == 15 { try shell("cp -a feed backup && cp -a www www-backup") }
        }
        try #require(try work.publish(["8.js"]).status == 0)
        try shell("patchpack feed deploy feed --to www -q")
        try #require(try sync().status == 0)
    }

    /// A section of the page, as one line.
    private func page(_ section: String) throws -> String {
        let text = try String(contentsOfFile: "\(Tool.root)/docs/operations.md", encoding: .utf8)
        let found = try #require(text.components(separatedBy: "\n### ").first { $0.hasPrefix(section + "\n") })
        return found.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Runs a command that the section has, with this test's names in the place of the page's.
    @discardableResult
    private func run(
        _ command: String, of section: String, with names: [String: String] = [:], _ more: String = ""
    ) throws -> Tool {
        #expect(try page(section).contains(command), "\(section): \(command)")
        var line = command.hasPrefix("feed ") ? "patchpack \(command)" : command
        for (name, actual) in names { line = line.replacingOccurrences(of: name, with: actual) }
        return try work.shop.shell("export PATCHPACK_FEED_KEY=online.pem; \(line) \(more)")
    }

    @discardableResult
    private func shell(_ line: String) throws -> Tool {
        let run = try work.shop.shell("set -e; \(line)")
        try #require(run.status == 0, "\(line): \(run.text) \(run.error)")
        return run
    }

    private func sync() throws -> Tool {
        try work.shop.shell(
            """
            patchpack sync www --store store --app com.example.shop --app-version 2.3.1 \
              --script-key script.key --trusted-key trusted.pem
            """)
    }

    /// The version that a refused change says to pass.
    private func floor(_ refused: Tool) throws -> String {
        #expect(refused.status == 32, "\(refused.error)")
        let word = try #require(refused.error.components(separatedBy: "--after-version ").last)
        return String(word.prefix { $0.isNumber })
    }

    private static let restored = "A backup was restored"
    private static let copies = "Two copies were changed"
    private static let copy =
        "rsync -a --checksum --delete --exclude '*.next.json' --exclude .gitattributes PLACE/ feed/"

    @Test func restoredServerDeployedWithRepairIsTaken() throws {
        try shell("rm -rf www && mv www-backup www")
        #expect(try sync().status == 32)
        let repaired = try work.shop.shell("patchpack feed deploy feed --to www --repair")
        #expect(try page(Self.restored).contains("deploy the folder again with `--repair`") && repaired.status == 0)
        #expect(try sync().text.hasPrefix("kept  \(Self.id) 8"))
    }

    @Test func restoredFolderWithTheServersFilesGoesOn() throws {
        try shell("rm -rf feed && mv backup feed")
        #expect(try work.run("pause", "feed", Self.id).status == 32)
        #expect(try page(Self.restored).contains("copy the server's files"))
        try run(Self.copy, of: Self.copies, with: ["PLACE": "www"])
        try shell("patchpack feed withdraw feed \(Self.id) --key online.pem -q; patchpack feed deploy feed --to www -q")
        #expect(try sync().text.contains("withdrawn  \(Self.id) 8"))
    }

    @Test func restoredFolderAndServerSignedAboveTheNoteAreTaken() throws {
        try shell("rm -rf feed www && mv backup feed && mv www-backup www")
        let refused = try work.run("pause", "feed", Self.id)
        let run = try run(
            "patchpack feed refresh feed --after-version 50", of: Self.restored, with: ["50": floor(refused)],
            "--key online.pem --key release.pem")
        #expect(run.status == 0, "\(run.error)")
        // What the backup does not have is made again, and devices go on.
        #expect(try work.publish(["8.js"]).status == 0)
        try shell("patchpack feed deploy feed --to www -q")
        #expect(try sync().text.hasPrefix("kept  \(Self.id) 8"))
        try shell("patchpack feed disable feed --key online.pem -q && patchpack feed deploy feed --to www -q")
        #expect(try sync().text.contains("disabled  \(Self.id) 8"))
    }

    /// The laptop has two changes more, a job's one was deployed. The change is made again in the deployed copy.
    @Test(arguments: [["withdraw", "feed", id], ["disable", "feed"], ["switch", "feed", "a=2"]])
    func changedCopyReplacedByTheDeployedOneTakesTheChange(_ change: [String]) throws {
        try shell(
            """
            cp -a feed job; mkdir ci; cp -a online.pem ci
            patchpack feed switch job job=1 --root www/metadata/1.root.json --key ci/online.pem -q
            patchpack feed deploy job --to www -q
            for n in 1 2 3; do patchpack feed switch feed laptop=$n --key online.pem -q; done
            """)
        let refused = try work.shop.shell("patchpack feed deploy feed --to www")
        #expect(refused.status == 40, "\(refused.error)")
        let difference = try run("feed diff PLACE feed", of: Self.copies, with: ["PLACE": "www"])
        #expect(difference.text.contains("laptop"), "\(difference.text) \(difference.error)")
        try run(Self.copy, of: Self.copies, with: ["PLACE": "www"])
        let again = try work.run(change + FeedReleaseFixture.online)
        #expect(try page(Self.copies).contains("repeat the change with `--after-version N`"))
        let above = ["--after-version", try floor(again)]
        #expect(try work.run(change + FeedReleaseFixture.online + above).status == 0)
        try shell("patchpack feed deploy feed --to www -q")
        // The note is of this copy now, so nothing more is needed.
        #expect(try work.run("enable", "feed").status == 0)
        #expect(try sync().status == 0)
        #expect(try work.run(["status", "www", "--root", "www/metadata/1.root.json"]).text.contains("job=1"))
    }

    /// The other copy's change is discarded, and the command that does so says which.
    @Test func otherCopyGivenUpIsReplaced() throws {
        try shell(
            """
            cp -a feed job; mkdir ci; cp -a online.pem ci
            patchpack feed switch job job=1 --root www/metadata/1.root.json --key ci/online.pem -q
            patchpack feed deploy job --to www -q
            patchpack feed switch feed laptop=1 --key online.pem -q
            """)
        let refused = try work.shop.shell("patchpack feed deploy feed --to www")
        #expect(refused.status == 40, "\(refused.error)")
        let status = try shell("patchpack feed status www --root www/metadata/1.root.json --format json")
        let served = try #require(try status.objects().first)
        let timestamp = try #require((served["roles"] as? [String: [String: Any]])?["timestamp"]?["version"] as? Int)
        try run("feed refresh DIR --after-version N", of: Self.copies, with: ["DIR": "feed", " N": " \(timestamp)"])
        let repaired = try run(
            "feed deploy DIR --to PLACE --repair", of: Self.copies, with: ["DIR": "feed", "PLACE": "www"])
        #expect(
            repaired.status == 0 && repaired.error.contains("gave up snapshot"), "\(repaired.text) \(repaired.error)")
        #expect(try sync().status == 0)
        let text = try shell("patchpack feed status www --root www/metadata/1.root.json").text
        #expect(text.contains("laptop=1") && !text.contains("job=1"), "\(text)")
    }
}
