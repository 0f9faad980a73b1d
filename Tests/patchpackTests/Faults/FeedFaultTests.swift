import Foundation
import TestSupport
import Testing

#if os(Linux)
    /// Makes each call that writes fail, or kills the process during it, while a feed is changed.
    ///
    /// The feed is valid at every moment, published files are not changed, and the same command works afterwards.
    @Suite(.ownThreads) struct FeedFaultTests {
        private static let keys = ["root.pem", "release.pem", "online.pem", "new.pem"].flatMap { ["--key", $0] }
        private static let id = FeedReleaseFixture.id

        struct Scenario: Sendable, CustomTestStringConvertible {
            /// The commands that run before.
            var before: [[String]] = []
            let command: [String]
            var testDescription: String { command.prefix(3).joined(separator: " ") }
        }

        static let scenarios = [
            Scenario(command: FeedReleaseFixture.make("other")),
            Scenario(
                command: ["publish", "feed", "8.js"] + FeedReleaseFixture.envelopes + FeedReleaseFixture.all + keys),
            Scenario(
                command: ["publish", "feed", "8.js", "--stage", "--key", "online.pem"] + FeedReleaseFixture.envelopes
                    + FeedReleaseFixture.all),
            Scenario(command: ["rollout", "feed", id, "25%"] + keys), Scenario(command: ["pause", "feed", id] + keys),
            Scenario(before: [["pause", "feed", id] + keys], command: ["resume", "feed", id] + keys),
            Scenario(command: ["shadow", "feed", id] + keys),
            Scenario(command: ["withdraw", "feed", id] + keys), Scenario(command: ["disable", "feed"] + keys),
            Scenario(before: [["disable", "feed"] + keys], command: ["enable", "feed"] + keys),
            Scenario(command: ["switch", "feed", "checkout=old"] + keys),
            Scenario(command: ["refresh", "feed"] + keys),
            Scenario(command: ["rotate", "feed", "timestamp", "--add", "new-public.pem"] + keys),
            Scenario(command: ["trust", "feed", "trusted.pem"] + keys),
            Scenario(
                before: [
                    ["publish", "feed", "8.js", "--stage"] + FeedReleaseFixture.envelopes + FeedReleaseFixture.all
                        + FeedReleaseFixture.online
                ],
                command: ["sign", "feed", "--yes"] + keys),
            Scenario(
                before: [["publish", "feed", "8.js"] + FeedReleaseFixture.envelopes + FeedReleaseFixture.all + keys],
                command: ["prune", "feed", id] + keys),
            Scenario(
                before: [FeedReleaseFixture.make("other")],
                command: ["promote", "feed", "other", id] + FeedReleaseFixture.envelopes + FeedReleaseFixture.all + keys
            ),
        ]

        @Test(arguments: scenarios)
        func theFeedIsSoundAfterEveryFault(_ scenario: Scenario) throws {
            let command = scenario.command
            let work = try FeedReleaseFixture()
            for line in scenario.before { try #require(try work.run(line).status == 0) }
            try #require(
                try work.shop.shell(
                    "mkdir kept && cp -r feed *.root.json *.signed kept && (cp -r other kept 2>/dev/null || true)"
                ).status
                    == 0)
            try FaultTests.eachCallFails(in: "\(scenario)", work.folder) { environment in
                try work.run(command, environment: environment)
            } _: { environment, fault in
                try #require(
                    try work.shop.shell("rm -rf feed other *.root.json *.signed && cp -r kept/. .").status == 0)
                let before = try work.versioned()
                _ = try work.run(command, environment: environment)
                let after = try work.versioned()
                let kept = after.filter { before[$0.key] != nil && !$0.key.contains("/staged/") }
                #expect(
                    kept == before.filter { !$0.key.contains("/staged/") },
                    "\(fault): a published file was changed")
                for feed in ["feed", "other"] where work.folder.exists("\(feed)/metadata/timestamp.json") {
                    let check = try work.run(["check", feed])
                    #expect(check.status == 0, "\(fault): \(check.error)")
                }
                // A change that was staged before is signed again. A change that this command staged or made is
                // dropped.
                if command[0] == "init" {
                    try #require(try work.shop.shell("rm -rf other").status == 0)
                } else if command[0] != "sign" {
                    _ = try work.run(["sign", "feed", "--discard"])
                }
                let next = try work.run(command)
                let isDone = command[0] == "sign" && next.status == 78  // nothing waits any more
                #expect(next.status == 0 || isDone, "after \(fault): \(next.error)")
                #expect(
                    try work.run(["check", command[0] == "promote" ? "other" : "feed"]).status == 0,
                    "after \(fault)")
            }
        }
    }
#endif
