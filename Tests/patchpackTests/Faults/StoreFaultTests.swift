import Foundation
import TestSupport
import Testing

#if os(Linux)
    /// Makes each call that writes fail, or kills the process during it, while a device syncs, launches, confirms or
    /// bans.
    ///
    /// Afterwards the store can be read, no ban and no good patch is lost, and the same command works.
    @Suite(.ownThreads) struct StoreFaultTests {
        private static let id = FeedReleaseFixture.id
        private static let sync =
            ["sync", "feed", "--store", "device", "--app", "com.example.shop", "--app-version", "2.3.1"]
            + FeedReleaseFixture.envelopes

        struct Scenario: Sendable, CustomTestStringConvertible {
            let name: String
            /// The shell lines that run before; `SYNC` is a sync.
            let before: String
            let command: [String]
            /// The version of the app whose part of the store changes.
            var version = "2.3.1"
            /// Whether the file system has no hard links, as FAT does not.
            var isLinkless = false
            var testDescription: String { name }
        }

        /// Version 7 is good, and 8 is in the feed.
        private static let start = "SYNC && SYNC && patchpack store confirm device && PUBLISH"

        /// What an older version of this library has made: one state for all versions of the app.
        private static let old = "cd device && mv versions/2.3.1/* . && rm -r versions installation && cd .."

        static let scenarios = [
            Scenario(name: "the first sync", before: "true", command: sync),
            Scenario(name: "a new version", before: start, command: sync),
            Scenario(name: "the launch that bans", before: "\(start) && SYNC && SYNC && SYNC", command: sync),
            Scenario(
                name: "a withdrawal", before: "\(start) && patchpack feed withdraw feed \(id) --key online.pem",
                command: sync),
            Scenario(
                name: "the kill switch", before: "\(start) && patchpack feed disable feed --key online.pem",
                command: sync),
            Scenario(
                name: "a new version of the app", before: "\(start) && SYNC", command: update(sync), version: "2.4.0"),
            Scenario(
                name: "an older version of the app", before: "\(start) && UPDATE && UPDATE && UPDATE", command: sync),
            Scenario(name: "a folder of an older version", before: "\(start) && SYNC && \(old)", command: sync),
            Scenario(
                name: "a folder of an older version, and a new version of the app",
                before: "\(start) && SYNC && \(old)", command: update(sync), version: "2.4.0"),
            Scenario(name: "confirm", before: "\(start) && SYNC && SYNC", command: ["store", "confirm", "device"]),
            Scenario(name: "a new version, without hard links", before: start, command: sync, isLinkless: true),
            Scenario(
                name: "confirm, without hard links", before: "\(start) && SYNC && SYNC",
                command: ["store", "confirm", "device"], isLinkless: true),
            Scenario(name: "ban", before: "\(start) && SYNC", command: ["store", "ban", "device", id]),
            Scenario(name: "clear", before: start, command: ["store", "clear", "device"]),
        ]

        private static func update(_ words: [String]) -> [String] { words.map { $0 == "2.3.1" ? "2.4.0" : $0 } }

        @Test(arguments: scenarios)
        func theStoreIsSoundAfterEveryFault(_ scenario: Scenario) throws {
            let work = try FeedReleaseFixture()
            let folder = work.folder.path
            let before = scenario.before
                .replacing(
                    "PUBLISH",
                    with:
                        "patchpack feed publish feed 8.js --rollout 100% \(Self.words(FeedReleaseFixture.envelopes + FeedReleaseFixture.online + FeedReleaseFixture.release))"
                )
                .replacing("SYNC", with: "patchpack \(Self.words(Self.sync))")
                .replacing("UPDATE", with: "patchpack \(Self.words(Self.update(Self.sync)))")
                .replacing("patchpack ", with: "\"$TOOL\" ")
            let made = try work.shop.shell("(\(before)) >/dev/null && mkdir -p device && cp -r device kept")
            try #require(made.status == 0, "\(made.text)")
            let old = try state(in: "kept", scenario.version, work)
            var new = old
            try FaultTests.eachCallFails(
                in: "\(scenario)", work.folder, scenario.isLinkless ? ["FAULT_LINKLESS": "1"] : [:]
            ) { environment in
                let run = try Tool.run(Tool.patchpack, scenario.command, environment: environment, in: folder)
                new = try state(in: "device", scenario.version, work)
                return run
            } _: { environment, fault in
                try #require(try work.shop.shell("rm -rf device && cp -r kept device").status == 0)
                let run = try Tool.run(
                    Tool.patchpack, scenario.command, environment: environment, in: folder)
                let after = try state(in: "device", scenario.version, work)
                #expect(after.error == "", "\(fault): \(after.error)")
                #expect(!Self.isErrorAWarningToo(run.error), "\(fault): \(run.error)")
                #expect(after.banned == old.banned || after.banned == new.banned, "\(fault): \(after)")
                for part in Self.parts where work.folder.exists("kept/\(part)/state") {
                    #expect(work.folder.exists("device/\(part)/state"), "\(fault): the state is lost")
                    guard part != "versions/\(scenario.version)", scenario.command[0] == "sync" else { continue }
                    let states = try ["kept", "device"].map { try work.folder.read("\($0)/\(part)/state") }
                    #expect(states[0] == states[1], "\(fault): another version's state is changed")
                }
                #expect(Set(after.held.values).isDisjoint(with: after.banned), "\(fault): \(after)")
                for (name, stage) in old.held where stage == "good" && new.held[name] == "good" {
                    #expect(after.held[name] == "good", "\(fault): a good patch is lost: \(after)")
                }
                // An unreadable patch is unavailable, and a launch that cannot be recorded tries nothing new.
                if run.status == 0, !run.text.contains("unavailable"), !run.error.contains("warning: the store") {
                    #expect(after == new, "\(fault): \(after), not \(new)")
                }
                let isDone = after == new && scenario.command[0] == "store"
                let next = try Tool.run(Tool.patchpack, scenario.command, in: folder)
                #expect(next.status == 0 || isDone, "after \(fault): \(next.error)")
                if old.banned != new.banned {
                    #expect(try state(in: "device", scenario.version, work).banned == new.banned)
                }
            }
        }

        /// Whether an error that is shown is also in a warning of the store.
        private static func isErrorAWarningToo(_ text: String) -> Bool {
            let lines = text.split(separator: "\n").map(String.init)
            let prefix = "patchpack: error: "
            let errors = lines.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            return lines.contains { line in
                line.hasPrefix("patchpack: warning: the store: ") && errors.contains { line.contains($0) }
            }
        }

        private static func words(_ words: [String]) -> String { words.joined(separator: " ") }

        /// The contents of a store's file: the stages of the held patches, and the bans.
        struct State: Equatable {
            var held: [String: String] = [:]
            var banned: Set<String> = []
            var isEnabled = true
            var error = ""
        }

        private static let parts = ["versions/2.4.0", "versions/2.3.1", "."]

        /// The state of a version of the app; that of another one until it has begun. It is read from its file, because
        /// a verb may repair the store.
        private func state(in store: String, _ version: String, _ work: FeedReleaseFixture) throws -> State {
            let part = (["versions/\(version)"] + Self.parts).first { work.folder.exists("\(store)/\($0)/state") }
            guard let part else { return State() }
            let name = "\(store)/\(part)"
            let file = try work.folder.read("\(name)/state")
            guard let end = file.firstIndex(of: 10),
                let json = try JSONSerialization.jsonObject(with: Data(file[(end + 1)...])) as? [String: Any]
            else { return State(error: "not JSON") }
            var state = State(isEnabled: json["enabled"] as? Bool ?? true)
            // Bans are kept in a second file too, which is written first.
            if let bans = try? work.folder.read("\(name)/bans"), let end = bans.firstIndex(of: 10),
                let json = try JSONSerialization.jsonObject(with: Data(bans[(end + 1)...])) as? [String: Any]
            {
                for ban in json["bans"] as? [[String: Any]] ?? [] { state.banned.insert(ban["hash"] as? String ?? "") }
            }
            for held in json["held"] as? [[String: Any]] ?? [] {
                let hash = held["hash"] as? String ?? ""
                if !state.banned.contains(hash) { state.held[hash] = held["stage"] as? String }
            }
            for ban in json["bans"] as? [[String: Any]] ?? [] { state.banned.insert(ban["hash"] as? String ?? "") }
            for hash in state.held.keys where !work.folder.exists("\(name)/envelopes/\(hash).js") {
                state.error = "held without its envelope"
            }
            return state
        }
    }
#endif
