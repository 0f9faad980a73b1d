import Foundation
import TestSupport
import Testing

/// The published patches, the changes, and how to undo them.
@Suite(.ownThreads) struct HistoryTests {
    private static let id = FeedReleaseFixture.id
    private let work: FeedReleaseFixture

    init() throws { work = try FeedReleaseFixture() }

    private func change(_ arguments: String..., by author: String = "ada") throws {
        let run = try work.run(arguments + FeedReleaseFixture.online + ["--author", author])
        #expect(run.status == 0, "\(run.error)")
    }

    private func status() throws -> String { try work.run(["status", "feed"]).text }

    @Test func feedStatusChangedFeedShowsStateAndAuthors() throws {
        try change("rollout", "feed", Self.id, "12.5%", "--group", "qa", "--reason", "canary")
        try change("set", "feed", "--minimum-app-version", "2.0", "--notice", "Update soon", by: "bob")
        try change("switch", "feed", "checkout=old", by: "")
        var lines = try status().split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("com.example.shop release, snapshot 5, since "))
        #expect(!lines[0].contains(", by "), "no name was given")
        #expect(lines[1...3] == ["minimum app version 2.0", "notice: Update soon", "switch checkout=old"])
        #expect(lines[4].hasPrefix("\(Self.id) 7  offered to 12.5% by installation, and group qa, since "))
        #expect(lines[4].hasSuffix(" s), by ada: canary"))
        try change("disable", "feed", "--reason", "fire")
        lines = try status().split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("ALL PATCHES ARE SWITCHED OFF, since ") && lines[0].hasSuffix(", by ada: fire"))
        #expect(lines[1].hasSuffix(", by ada: fire"))
        try change("set", "feed", "--minimum-app-version", "none", "--notice", "")
        #expect(try !status().contains("notice"))
        #expect(try work.run("set", "feed").status == 64)
        #expect(try work.run("set", "feed", "--minimum-app-version", "x").status == 64)
    }

    @Test func theLogSaysWhatWhoAndWhy() throws {
        try change("rollout", "feed", Self.id, "5%", "--reason", "canary")
        try change("pause", "feed", Self.id, by: "bob")
        #expect(try work.publish(["8.js"], "--author", "cron").status == 0)
        let log = try work.run(["log", "feed"]).lines
        func entry(_ number: Int) -> [String] {
            guard let start = log.firstIndex(where: { $0.contains("  snapshot \(number)") }) else { return [] }
            return [String(log[start].drop { $0 != " " })]
                + log[(start + 1)...].prefix { $0.hasPrefix("  ") }
                .filter { !$0.hasPrefix("  signatures: ") }
        }
        #expect(
            entry(5) == [
                "  snapshot 5  cron", "  signed: patches/com.example.shop/\(Self.id)-8.js",
                "  listed \(Self.id) 8: offered to all",
            ])
        #expect(
            entry(4) == [
                "  snapshot 4  bob",
                "  changed \(Self.id) 7: offered to 5% by installation -> paused, to 5% by installation",
            ])
        #expect(
            entry(3) == [
                "  snapshot 3  ada: canary", "  changed \(Self.id) 7: offered to all -> offered to 5% by installation",
            ])
        let unknown = try work.run(["log", "feed", "com.example.other"])
        #expect(unknown.status == 64 && unknown.error.contains("no such patch in this feed"))
        #expect(try work.run(["log", "feed", Self.id, "--last", "1", "--format", "json"]).objects().count == 1)
        // A change of keys is included, and does not hide the earlier changes.
        let rotate = try work.run(
            [
                "rotate", "feed", "timestamp,snapshot,rollout", "--add", "new.pem", "--key", "root.pem", "--key",
                "release.pem", "--author", "eve", "--reason", "yearly",
            ]
                + FeedReleaseFixture.online)
        #expect(rotate.status == 0, "\(rotate.error)")
        let rotated = try work.run(["log", "feed"]).text
        #expect(rotated.contains("  rollout: adds the key ") && rotated.contains("  snapshot 3  ada: canary"))
        #expect(rotated.contains("  timestamp: adds the key "), "those of the root's roles are in it too")
        #expect(try #require(rotated.split(separator: "\n").first).hasSuffix("  snapshot 6  eve: yearly"))
        #expect(try work.run(["check", "feed"]).status == 0)
    }

    /// A change of the reason is signed, and `undo` refuses to pass it, so the log shows it.
    @Test func anotherReasonIsInTheLog() throws {
        try change("pause", "feed", Self.id, "--reason", "slow")
        try change("pause", "feed", Self.id, "--reason", "again", by: "cron")
        let log = try work.run(["log", "feed"]).lines
        #expect(log[0].hasSuffix("  snapshot 4  cron: again") && log[1] == "  reason of \(Self.id) 7: slow -> again")
        let json = try #require(try work.run(["log", "feed", Self.id, "--format", "json"]).objects().first)
        #expect(json["changes"] as? [String] == ["reason of \(Self.id) 7: slow -> again"])
    }

    /// The first line of the status has the words of its snapshot, whichever part of the feed that changed.
    @Test func theStatusHasTheWordsOfItsSnapshot() throws {
        try change("disable", "feed", "--reason", "stop")
        let rotate = try work.run(
            [
                "rotate", "feed", "targets", "--add", "new.pem", "--key", "root.pem", "--key", "release.pem",
                "--author", "eve", "--reason", "yearly",
            ] + FeedReleaseFixture.online)
        #expect(rotate.status == 0, "\(rotate.error)")
        let lines = try status().split(separator: "\n")
        #expect(lines[0].hasSuffix(", by ada: stop") && lines[1].hasSuffix(", by eve: yearly"))
        let json = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        #expect(json["author"] as? String == "eve" && json["reason"] as? String == "yearly")
    }

    @Test func aStateThatIsInEffectIsNotMadeAgain() throws {
        try change("pause", "feed", Self.id)
        try change("undo", "feed", "--to", "2", "--yes")
        let before = try work.versioned()
        let again = try work.run("undo", "feed", "--to", "2", "--reason", "once more")
        #expect(again.status == 0 && again.lines == ["already as at snapshot 2", "unchanged  feed"])
        #expect(try work.versioned() == before)
    }

    @Test func feedStatusStagedChangeIsShown() throws {
        #expect(try !status().contains("waits for signatures"))
        let staged = try work.run(
            ["rotate", "feed", "root", "--add", "new.pem", "--stage"] + FeedReleaseFixture.online)
        #expect(staged.status == 0, "\(staged.error)")
        #expect(try status().contains("a change waits for signatures: patchpack feed sign feed --show"))
        let json = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        #expect(json["staged"] as? Bool == true)
        #expect(try work.run(["sign", "feed", "--discard"]).error.contains("is dropped"))
        #expect(try work.run(["sign", "feed", "--discard"]).error.contains("no change was staged"))
    }

    /// A named state is shown, and restored only if somebody says yes.
    @Test func aNamedStateIsShownAndAsked() throws {
        try change("pause", "feed", Self.id)
        let before = try work.versioned()
        let undo = ["undo", "feed", "--to", "2"] + FeedReleaseFixture.online
        let shown = try work.run(undo)
        #expect(shown.status == 64 && shown.error.contains("\(Self.id) 7: paused") && shown.error.contains("--yes"))
        #expect(try work.run(undo + ["--format", "json"]).error.contains("nothing is shown"))
        #expect(try work.versioned() == before)
        #expect(try work.run(undo + ["--dry-run"]).text.contains("would write"))
    }

    /// Undoes each change, and checks that the earlier state is back.
    @Test(arguments: [
        ["rollout", "feed", id, "5%"], ["pause", "feed", id], ["withdraw", "feed", id], ["disable", "feed"],
        ["switch", "feed", "checkout=old"], ["set", "feed", "--notice", "hello"],
    ])
    func aChangeIsUndone(change: [String]) throws {
        let before = try work.run(["preview", "feed", "--app-version", "2.3.1"]).text
        let list = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        #expect(try work.run(change + FeedReleaseFixture.online).status == 0)
        #expect(try work.run("refresh", "feed").status == 0)
        let isSafe = ["switch", "set"].contains(change[0])
        if !isSafe {
            let unnamed = try work.run("undo", "feed")
            #expect(unnamed.status == 78 && unnamed.error.contains("give --to 2"), "\(unnamed.error)")
        }
        let undo = try work.run(
            ["undo", "feed", "--reason", "a mistake"] + (isSafe ? [] : ["--to", "2", "--yes"])
                + FeedReleaseFixture.online)
        #expect(undo.status == 0, "\(undo.error)")
        #expect(try work.run(["preview", "feed", "--app-version", "2.3.1"]).text == before)
        let now = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        #expect(now["enabled"] as? Bool == list["enabled"] as? Bool)
        #expect(try work.run(["log", "feed", "--last", "1"]).lines.first?.hasSuffix(": a mistake") == true)
        #expect(try work.run(["check", "feed"]).status == 0)
    }

    /// The signers are proven, unlike the named author.
    @Test func theLogNamesWhoSigned() throws {
        #expect(try work.publish(["8.js"], "--author", "mallory").status == 0)
        try work.folder.write(work.folder.read("release-public.pem"), to: "people/ada.pem")
        try work.folder.write(work.folder.read("online-public.pem"), to: "people/cron/trusted.pem")
        let status = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        func id(_ role: String) throws -> String {
            let roles = try #require(status["roles"] as? [String: [String: Any]])
            return try #require((roles[role]?["keyIDs"] as? [String])?.first)
        }
        let (release, online) = (try id("targets"), try id("rollout"))
        let line = "signatures: targets by \(release.prefix(16)), rollout by \(online.prefix(16))"
        #expect(try work.run(["log", "feed"]).lines.contains("  \(line)"))
        let named = "signatures: targets by ada \(release.prefix(16)), rollout by cron \(online.prefix(16))"
        #expect(try work.run(["log", "feed", "--signers", "people"]).lines.contains("  \(named)"))
        #expect(try work.run(["diff", "feed@2", "feed", "--signers", "people"]).lines.last == named)
        let nobody = try work.run(["log", "feed", "--signers", "feed"])
        #expect(nobody.status == 78 && nobody.error.contains("feed: no public key in this folder"), "\(nobody.error)")
        let missing = try work.run(["log", "feed", "--cacert", "none.pem"])
        #expect(missing.status == 64 && missing.error.contains("--cacert"), "\(missing.error)")
        let json = try #require(
            try work.run(["log", "feed", "--signers", "people", "--last", "1", "--format", "json"]).objects().first)
        let signers = try #require(json["signers"] as? [[String: Any]])
        #expect(signers.map { $0["role"] as? String } == ["targets", "rollout"])
        let key = try #require((signers[0]["keys"] as? [[String: Any]])?.first)
        #expect(key["id"] as? String == release && key["name"] as? String == "ada")
        // The release key has signed nothing in a change of only the list.
        try change("pause", "feed", Self.id)
        let pause = try work.run(["log", "feed", "--last", "1", "--signers", "people"])
        #expect(pause.lines.last == "  signatures: rollout by cron \(online.prefix(16))", "\(pause.text)")
    }

    /// A key without an end has no sample.
    @Test func theEndsOfKeysAreMetrics() throws {
        let keys = ["trusted.pem": ["--not-after", "2099-03-01T12:00:00Z"], "offline-public.pem": []]
        for (key, end) in keys {
            let run = try Tool.run(Tool.patchpack, ["trust", "add", "keys.store", key] + end, in: work.folder.path)
            try #require(run.status == 0, "\(run.error)")
        }
        let trust = try work.run(
            ["trust", "feed", "keys.store"] + FeedReleaseFixture.online + FeedReleaseFixture.release)
        try #require(trust.status == 0, "\(trust.error)")
        let ends = try work.run(["status", "feed", "--format", "openmetrics"]).lines.filter {
            $0.hasPrefix("patchpack_feed_key_expires_timestamp_seconds{")
        }
        #expect(ends.count == 1 && ends[0].hasSuffix(#"key="trusted"} 4076049600"#), "\(ends)")
        #expect(try work.run(["status", "feed", Self.id, "--format", "openmetrics"]).status == 64)
    }

    @Test func aLongListIsShort() throws {
        let other = "com.example.shop.discount"
        try work.folder.write(
            ReleaseFixture.script.replacing("@version  7", with: "@version  8").replacing(Self.id, with: other),
            to: "d.lua")
        try #require(try work.shop.pack("d.lua").status == 0)
        #expect(try work.publish(["8.js", "d.js"]).status == 0)
        try change("pause", "feed", Self.id, "--patch-version", "7")
        let lines = try status().split(separator: "\n").map(String.init)
        #expect(lines[1].hasPrefix("\(Self.id) 7  paused"), "what needs attention comes first")
        let one = try work.run(["status", "feed", other])
        #expect(one.text.contains("\(other) 8") && !one.text.contains(Self.id))
        let short = try work.run(["status", "feed", "cart-total"])
        #expect(short.status == 64 && short.error.contains("did you mean \(Self.id)?"), "\(short.error)")
        let json = try work.run(["status", "feed", other, "--format", "json"]).objects().first
        #expect((json?["patches"] as? [Any])?.count == 1)
    }

    @Test func theStateAsJSONHasWhatTheTextHas() throws {
        try change("set", "feed", "--minimum-app-version", "2.0", "--notice", "Update soon")
        try change("switch", "feed", "checkout=old", "--reason", "slow")
        try change("disable", "feed", "--reason", "fire", by: "bob")
        let json = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        #expect(json["minimumAppVersion"] as? String == "2.0" && json["notice"] as? String == "Update soon")
        #expect(json["switches"] as? [String: String] == ["checkout": "old"])
        #expect(json["author"] as? String == "bob" && json["reason"] as? String == "fire")
        let stop = try #require(json["stop"] as? [String: Any])
        #expect(stop["author"] as? String == "bob" && stop["reason"] as? String == "fire")
    }

    @Test func feedSetHigherMinimumVersionWarns() throws {
        let run = try work.run(["set", "feed", "--minimum-app-version", "99"] + FeedReleaseFixture.online)
        #expect(run.status == 0 && run.error.contains("an app older than 99 gets no patch any more"), "\(run.error)")
        let lower = try work.run(["set", "feed", "--minimum-app-version", "1"] + FeedReleaseFixture.online)
        #expect(lower.status == 0 && !lower.error.contains("gets no patch"))
    }

    @Test func theStateIsThereAsMetrics() throws {
        try change("rollout", "feed", Self.id, "5%")
        try change("disable", "feed")
        let run = try work.run(["status", "feed", "--format", "openmetrics"])
        let place = #"app="com.example.shop",environment="release",place="feed""#
        for line in [
            "patchpack_feed_enabled{\(place)} 0", "patchpack_feed_timestamp_version{\(place)} 4",
            "patchpack_feed_patch_offered_permyriad{\(place),patch=\"\(Self.id)\",version=\"7\"} 500",
            "patchpack_feed_patch_withdrawn{\(place),patch=\"\(Self.id)\",version=\"7\"} 0",
        ] { #expect(run.lines.contains(line), "\(line) in \(run.text)") }
        #expect(run.lines.count { $0.hasPrefix("patchpack_feed_role_expires_timestamp_seconds{") } == 5)
        try change("shadow", "feed", Self.id)
        let shadow = try work.run(["status", "feed", "--format", "openmetrics"])
        let values = [
            ("offered_permyriad", 0), ("shadow_permyriad", 500), ("in_shadow", 1), ("paused", 0), ("withdrawn", 0),
        ]
        for (metric, value) in values {
            let line = "patchpack_feed_patch_\(metric){\(place),patch=\"\(Self.id)\",version=\"7\"} \(value)"
            #expect(shadow.lines.contains(line), "\(line) in \(shadow.text)")
        }
        #expect(run.lines.last == "# EOF")
    }

    @Test func feedUndoRemovedVersionIsRefused() throws {
        let keys = FeedReleaseFixture.online + FeedReleaseFixture.release
        #expect(try work.publish(["8.js"]).status == 0)
        let prune = try work.run(["prune", "feed", Self.id, "--patch-version", "7"] + keys)
        #expect(
            prune.status == 0 && prune.lines.prefix(2) == ["removed  \(Self.id) 7", "withdrawn  \(Self.id) 7"],
            "\(prune.error)")
        #expect(try work.codes() == ["8 offered", "7 withdrawn"])
        let undo = try work.run("undo", "feed", "--to", "3")
        #expect(undo.status == 78 && undo.error.contains("7 was removed"), "\(undo.error)")
        let again = try work.run(["prune", "feed", Self.id, "--patch-version", "7"] + keys)
        #expect(again.status == 0 && again.error.contains("no entry withdraws it any more"))
        #expect(try work.run(["prune", "feed", Self.id, "--patch-version", "7"] + keys).status == 64)
        // A device may still have it.
        let late = try work.run("withdraw", "feed", Self.id, "--patch-version", "7")
        #expect(late.status == 0 && late.lines.first == "withdrawn  \(Self.id) 7", "\(late.error)")
        let unknown = try work.run(["prune", "feed", Self.id, "--patch-version", "9"] + keys)
        #expect(unknown.status == 64 && unknown.error.contains("it has 7, 8"), "\(unknown.error)")
        #expect(try work.run(["check", "feed"]).status == 0)
    }

    /// An earlier state counts only if its files are those that were signed.
    @Test func aForgedPastIsNotSignedAnew() throws {
        try change("pause", "feed", Self.id)
        let file = "feed/metadata/2.rollout.json"
        try work.folder.write(try work.folder.read(file) + [0x0A], to: file)
        let undo = try work.run("undo", "feed", "--to", "2", "--yes")
        #expect(undo.status == 34 && undo.error.contains("is not the feed's"), "\(undo.error)")
        #expect(try work.run(["status", "feed"]).text.contains("paused"))
    }

    @Test func feedPublishVersionListedAlreadyExits39() throws {
        #expect(try work.run("rollout", "feed", Self.id, "5%").status == 0)
        let before = try work.versioned()
        let wider = try work.publish(["7.js"])
        #expect(wider.status == 39)
        #expect(
            wider.error.contains(
                "\(Self.id) 7 is listed already: offered to 5% by installation, and not offered to all"))
        #expect(try work.publish(["7.js"], "--rollout", "5%").status == 0)
        #expect(try work.versioned() == before)
        #expect(try work.run("withdraw", "feed", Self.id).status == 0)
        let withdrawn = try work.publish(["7.js", "8.js"], "--rollout", "5%")
        #expect(withdrawn.status == 39 && withdrawn.text.contains("published  \(Self.id) 8"))
        let again = try work.versioned()
        for words in [["withdraw", "feed", Self.id, "--patch-version", "7"], ["enable", "feed"]] {
            let run = try work.run(words + FeedReleaseFixture.online)
            #expect(run.status == 0 && run.text.hasPrefix("already ") && run.text.contains("unchanged  feed"))
        }
        #expect(try work.versioned() == again)
        let version = try work.run("withdraw", "feed", Self.id, "--patch-version", "9")
        #expect(version.status == 64 && version.error.contains("it has 7, 8"))
        let listed = try work.run(["check", "feed", "--all"])
        #expect(
            listed.lines.prefix(2) == [
                "patches/com.example.shop/\(Self.id)-7.js  withdrawn",
                "patches/com.example.shop/\(Self.id)-8.js  offered to 5% by installation",
            ], "\(listed.text)")
    }

    /// The words of an entry do not name its users and its seed.
    @Test func feedPublishOtherUsersOrSeedExits39() throws {
        let work = try FeedReleaseFixture(isEmpty: true)
        func publish(_ name: String, _ audience: String...) throws -> Tool {
            try work.run(
                ["publish", "feed", name] + FeedReleaseFixture.envelopes + FeedReleaseFixture.online
                    + FeedReleaseFixture.release + audience)
        }
        #expect(try publish("7.js", "--user", "ada", "--user", "eve").status == 0)
        #expect(try publish("7.js", "--user", "eve", "--user", "ada").status == 0)
        let users = try publish("7.js", "--user", "ada", "--user", "bob")
        #expect(users.status == 39 && users.error.contains("and not these users, or with this seed"), "\(users.error)")
        #expect(try publish("8.js", "--rollout", "5%").status == 0)
        #expect(try publish("8.js", "--rollout", "5%", "--seed", "other").status == 39)
    }

    @Test func reportPagePatchInShadowShowsWhatItWouldChange() throws {
        try change("shadow", "feed", Self.id)
        let event =
            #"{"schema":"patchpack.event/1","timestamp":"2026-03-01T12:00:00.000Z","resource":{"app.installation.id":"1","service.name":"com.example.shop","service.version":"2.3.1"},"severityNumber":9,"eventName":"compared","attributes":{"patch.id":"\#(Self.id)","patch.version":7,"code.function.name":"Cart.total","shadow.agreed":997,"shadow.differed":3,"shadow.incomparable":2,"shadow.reasons":{"<b>pay":2}}}"#
        try work.folder.write(event + "\n", to: "events.jsonl")
        let made = try Tool.patchpack(
            "report", "events.jsonl", "--html", "page.html", "--feed", "feed", "--gate", "differs<0.1%",
            in: work.folder.path)
        #expect(made.status == 20, "\(made.error)")
        let page = String(decoding: try work.folder.read("page.html"), as: UTF8.self)
        let line =
            "1 device; 3 of 1,000 compared calls differed  0.30 % (0.10 % to 0.88 %), 2 calls could not be compared"
        #expect(page.contains("<code>differs&lt;0.1%</code>") && page.contains("<td>\(line)</td>"), "\(page)")
        #expect(page.contains("<b class=\"rest\">\(Self.id) 7</b>  in shadow"), "\(page)")
        #expect(made.lines.contains("  shadow        \(line)"), "\(made.text)")
    }

    @Test func reportPageStateOfTheFeedIsShown() throws {
        try change("rollout", "feed", Self.id, "5%", "--reason", "canary & <so on>")
        try change("disable", "feed", "--reason", "fire", by: "bob")
        let event = { (device: Int, name: String) in
            """
            {"schema":"patchpack.event/1","timestamp":"2026-03-01T12:00:00.000Z","resource":{"app.installation.id":"\(device)","service.name":"com.example.shop","service.version":"2.3.1"},"severityNumber":9,"eventName":"\(name)","attributes":{"patch.id":"\(Self.id)","patch.version":7}}

            """
        }
        try work.folder.write(
            (0..<50).map { event($0, "activated") + event($0, "failed") }.joined(), to: "events.jsonl")
        let made = try Tool.patchpack(
            "report", "events.jsonl", "--html", "page.html", "--feed", "feed", "--gate", "failing<0.5%",
            in: work.folder.path)
        #expect(made.status == 20, "\(made.error)")
        let page = String(decoding: try work.folder.read("page.html"), as: UTF8.self)
        for text in [
            "<p class=\"off\" role=\"alert\">All patches are switched off, since ", ", by bob: fire.</p>",
            "<b class=\"good\">\(Self.id) 7</b>  offered to 5% by installation, since ",
            ", by ada: canary &amp; &lt;so on&gt;</li>", "<td>50  100",
            "<li class=\"crossed\"><b>crossed</b> <code>failing&lt;0.5%</code>",
            "Adoption", "gate 0.50 %", "Signatures last: root ",
        ] {
            #expect(page.contains(text), "\(text) is not in\n\(page)")
        }
        #expect(!page.contains("<so on>") && !page.contains("http-equiv=\"refresh\""))
    }
}
