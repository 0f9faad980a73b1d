import Foundation
import TestSupport
import Testing

/// A change that waits for a card, and somebody who stops meanwhile what it offers: each change with each stop.
@Suite(.ownThreads) struct StopTests {
    private static let id = FeedReleaseFixture.id
    private static let options = FeedReleaseFixture.envelopes + FeedReleaseFixture.all

    /// Something that bob stops while a change of ada waits.
    enum Stop: String, CaseIterable, Sendable {
        case withdraw, pause, shadow, narrow, disable, minimum, trust

        var arguments: [String] {
            switch self {
            case .withdraw: ["withdraw", "feed", id, "--patch-version", "7"]
            case .pause: ["pause", "feed", id, "--patch-version", "7"]
            case .shadow: ["shadow", "feed", id, "--patch-version", "7"]
            case .narrow: ["rollout", "feed", id, "1%", "--patch-version", "7"]
            case .disable: ["disable", "feed"]
            case .minimum: ["set", "feed", "--minimum-app-version", "9.0"]
            case .trust: ["trust", "feed", "bob.store"]
            }
        }
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        /// What happened before.
        var before: [[String]] = []
        let arguments: [String]
        /// The keys that it has without waiting.
        var keys: [String] = []
        /// The stops that it would undo, and that end it.
        var undoes: Set<Stop> = []
        /// The stops that cannot come, because something waits for signatures, or that offer more.
        var without: Set<Stop> = []

        var testDescription: String { name }
    }

    private static let pause = ["pause", "feed", id]
    static let changes = [
        Change(
            name: "rollout", before: [["rollout", "feed", id, "5%"]], arguments: ["rollout", "feed", id, "50%"],
            undoes: [.shadow, .narrow]),
        Change(
            name: "resume", before: [pause], arguments: ["resume", "feed", id],
            undoes: [.withdraw, .pause, .narrow]),
        Change(
            name: "resume of a withdrawn one", before: [["withdraw", "feed", id]], arguments: ["resume", "feed", id],
            undoes: [.withdraw, .narrow], without: [.pause, .shadow]),
        Change(name: "shadow", arguments: ["shadow", "feed", id], undoes: [.withdraw, .pause]),
        Change(name: "pause", arguments: pause, undoes: [.withdraw]),
        Change(name: "withdraw", arguments: ["withdraw", "feed", id]),
        Change(name: "disable", arguments: ["disable", "feed"]),
        Change(
            name: "enable", before: [["disable", "feed"]], arguments: ["enable", "feed"], undoes: [.disable]),
        Change(name: "switch", arguments: ["switch", "feed", "a=b"]),
        Change(
            name: "set", before: [["set", "feed", "--minimum-app-version", "2.0"]],
            arguments: ["set", "feed", "--minimum-app-version", "none"], undoes: [.minimum]),
        Change(
            name: "undo", before: [["switch", "feed", "a=1"]], arguments: ["undo", "feed"],
            undoes: Set(Stop.allCases).subtracting([.trust])),
        Change(
            name: "undo --to", before: [pause], arguments: ["undo", "feed", "--to", "2", "--yes"],
            undoes: [.withdraw, .pause, .narrow, .disable, .minimum], without: [.shadow]),
        Change(
            name: "advance", before: [["rollout", "feed", id, "5%"]],
            arguments: [
                "advance", "feed", id, "--events", "events.jsonl", "--gate", "failing<99%", "--soak", "0s",
                "--new-devices", "1", "--fresh", "9999d",
            ]),
        Change(name: "refresh", arguments: ["refresh", "feed"]),
        Change(
            name: "rotate", arguments: ["rotate", "feed", "timestamp", "--add", "new-public.pem"],
            keys: ["root.pem", "new.pem"]),
        Change(name: "publish", arguments: ["publish", "feed", "8.js"] + options, keys: ["release.pem"]),
        Change(
            name: "promote", arguments: ["promote", "other", "feed", id] + options, keys: ["release.pem"]),
        Change(name: "trust", arguments: ["trust", "feed", "ada.store"], keys: ["release.pem"], undoes: [.trust]),
        Change(name: "prune", arguments: ["prune", "feed", id, "--patch-version", "7"], keys: ["release.pem"]),
        Change(
            name: "prune of a withdrawal",
            before: [
                ["prune", "feed", id, "--patch-version", "7", "--key", "release.pem"]
            ],
            arguments: ["prune", "feed", id, "--patch-version", "7"], keys: ["release.pem"],
            undoes: [.withdraw, .narrow],
            without: [.pause, .shadow]),
        Change(
            name: "sign", before: [pause, ["resume", "feed", id, "--stage"]], arguments: ["sign", "feed", "--yes"],
            undoes: [.pause], without: [.shadow, .narrow, .minimum, .trust]),
        Change(
            name: "sign of an undo", before: [["undo", "feed", "--to", "2", "--yes", "--stage"]],
            arguments: ["sign", "feed", "--yes"], without: [.narrow, .minimum, .trust]),
    ]

    @Test(arguments: changes) func changeThatWaitsStopMeanwhileStaysStopped(_ change: Change) throws {
        let work = try FeedReleaseFixture()
        let prepare = try work.shop.shell(
            """
            cp feed/metadata/1.root.json pinned.json
            patchpack trust add ada.store trusted.pem --name ada -q && patchpack trust add bob.store other.pem --name bob -q
            """)
        try #require(prepare.status == 0, "\(prepare.error)")
        if change.name == "promote" {
            try #require(try work.run(FeedReleaseFixture.make("other")).status == 0)
            let keys = FeedReleaseFixture.online + FeedReleaseFixture.release
            try #require(try work.run(["publish", "other", "8.js"] + Self.options + keys).status == 0)
        }
        if change.name == "sign of an undo" {
            try #require(try work.run("switch", "feed", "a=1").status == 0)
        }
        for arguments in change.before {
            let keys = arguments.contains("--stage") ? ["--root", "pinned.json"] : FeedReleaseFixture.online
            let run = try work.run(arguments + keys + ["--author", "ada"])
            try #require(run.status == 0, "\(arguments): \(run.error)")
        }
        if change.name == "advance" { try work.folder.write(Self.events(), to: "events.jsonl") }
        try #require(try work.shop.shell("mkdir start && cp -r feed feed-* start").status == 0)
        for stop in Stop.allCases where !change.without.contains(stop) {
            try #require(
                try work.shop.shell("rm -rf feed feed-* stopped && cp -r start/* .").status == 0)
            let words =
                (stop.arguments + ["--author", "bob", "--reason", "fire", "--key", "online.pem"]
                + (stop == .trust ? ["--key", "release.pem"] : [])).joined(separator: " ")
            // The card answers after bob's change.
            let card = """
                cat >in && { [ -e stopped ] || { "$TOOL" feed \(words) >stopped 2>&1 || exit 9; }; } &&
                  openssl pkeyutl -sign -rawin -inkey online.pem -in in
                """
            let run = try work.run(
                change.arguments + change.keys.flatMap { ["--key", $0] }
                    + ["--root", "pinned.json", "--author", "ada", "--signature-command", card],
                environment: ["TOOL": Tool.patchpack])
            let said = try String(decoding: work.folder.read("stopped"), as: UTF8.self)
            #expect(run.status == (change.undoes.contains(stop) ? 78 : 0), "\(stop): \(run.text)\(run.error)\(said)")
            if change.undoes.contains(stop) { #expect(run.error.contains("by bob"), "\(stop): \(run.error)") }
            try expect(stop, in: work, "\(stop): \(run.text)\(run.error)\(said)")
        }
    }

    /// Checks that a stop is in effect.
    private func expect(_ stop: Stop, in work: FeedReleaseFixture, _ words: String) throws {
        let status = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        let patches = try #require(status["patches"] as? [[String: Any]])
        let entry = patches.first { $0["version"] as? Int == 7 }
        let state = entry?["state"] as? String ?? "no entry"
        let part = (entry?["rollout"] as? [String: Any])?["permyriad"] as? Int
        switch stop {
        case .withdraw: #expect(state == "withdrawn", "\(words)")
        case .pause: #expect(["paused", "withdrawn"].contains(state), "\(words)")
        case .shadow: #expect(state != "active", "\(words)")
        case .narrow: #expect(part == 100 || state == "withdrawn", "\(words)")
        case .disable: #expect(status["enabled"] as? Bool == false, "\(words)")
        case .minimum: #expect(status["minimumAppVersion"] as? String == "9.0", "\(words)")
        case .trust: #expect(try work.run(["check", "feed", "--all"]).status == 0, "\(words)")
        }
    }

    /// Devices that run the patch now, without a failure. They are not older than the step, and older than any stop:
    /// times of a feed are whole seconds, so this returns in the next one.
    private static func events() -> String {
        let now = Date()
        let time = ISO8601DateFormatter().string(from: now).dropLast()
        Thread.sleep(until: Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down) + 1))
        return (0..<100).map {
            #"{"schema":"patchpack.event/1","timestamp":"\#(time).900Z","resource":{"app.installation.id":"\#($0)","service.name":"com.example.shop","service.version":"2.3.1"},"severityNumber":9,"eventName":"activated","attributes":{"patch.id":"\#(id)","patch.version":7}}"#
                + "\n"
        }.joined()
    }

    /// The work begins before a key is read, which may wait for a person. The pipe is opened once `resume` reads it.
    @Test func resumeStopWhileKeyIsReadExits78() throws {
        let work = try FeedReleaseFixture()
        try #require(try work.run("pause", "feed", Self.id).status == 0)
        let run = try work.shop.shell(
            """
            cp feed/metadata/1.root.json pinned.json; mkfifo key
            { exec 3>key; patchpack feed withdraw feed \(Self.id) --key online.pem --author bob --reason fire >&2; cat online.pem >&3; } &
            patchpack feed resume feed \(Self.id) --root pinned.json --key key
            """)
        #expect(run.status == 78 && run.error.contains("withdrawn, since a moment ago, by bob: fire"), "\(run.error)")
        #expect(try work.codes() == ["7 withdrawn"])
    }
}
