import Foundation
import PatchCrypto
import TestSupport
import Testing

/// Deployments of a feed to the place that serves it. Races are in Tests/Deploy.
@Suite(.ownThreads) struct DeployTests {
    private let work: FeedReleaseFixture

    init() throws {
        work = try FeedReleaseFixture()
        // Another copy with its own keys, as on another machine.
        let copied = try work.shop.shell("mkdir other && cp -r feed *.pem feed-*.json other/")
        try #require(copied.status == 0, "\(copied.text)")
    }

    /// Makes a change in the other copy.
    private func changeOther(_ arguments: String...) throws {
        let run = try work.run([arguments[0], "other/feed"] + arguments.dropFirst() + ["--key", "other/online.pem"])
        try #require(run.status == 0, "\(run.error)")
    }

    private func change(_ arguments: String...) throws {
        let run = try work.run([arguments[0], "feed"] + arguments.dropFirst() + FeedReleaseFixture.online)
        try #require(run.status == 0, "\(run.error)")
    }

    private func deploy(_ feed: String = "feed", _ options: String..., to place: String = "www") throws -> Tool {
        try deploy([feed] + options, to: place)
    }

    private func deploy(_ words: [String], to place: String = "www") throws -> Tool {
        try work.run(["deploy", words[0], "--to", place] + words.dropFirst())
    }

    private func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: work.folder.at(name)) }

    /// The files of a folder, except the chain of timestamps and the file for Git.
    private func files(of folder: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try work.folder.contents()
        where name.hasPrefix("\(folder)/") && !name.hasSuffix(".next.json") && !name.hasSuffix(".gitattributes") {
            files[String(name.dropFirst(folder.count + 1))] = try? work.folder.read(name)
        }
        return files
    }

    @Test func feedDeployChangedFeedWritesOnlyNewFiles() throws {
        let trial = try deploy("feed", "--dry-run")
        #expect(trial.status == 0 && trial.text.hasPrefix("would deploy  feed to www"))
        #expect(try files(of: "www").isEmpty)
        let first = try deploy()
        #expect(first.status == 0 && first.text == "deployed  feed to www  snapshot 2, timestamp 2\n")
        #expect(try files(of: "www") == files(of: "feed"))
        #expect(try deploy().text == "unchanged  feed to www  snapshot 2, timestamp 2\n")
        // Two changes at once, including their history.
        try change("pause", FeedReleaseFixture.id)
        try change("resume", FeedReleaseFixture.id)
        // Deployed files are not checked again, so that the deployment of a large feed is fast.
        try remove("www/metadata/1.rollout.json")
        let second = try deploy("feed", "--format", "json")
        #expect(try second.objects().first?["outcome"] as? String == "deployed")
        var expected = try files(of: "feed")
        expected["metadata/1.rollout.json"] = nil
        #expect(try files(of: "www") == expected)
        #expect(try work.run("check", "www", with: []).status == 0)
        #expect(try deploy("feed", "--repair").status == 0)
        #expect(try work.run("refresh", "feed").status == 0)
        #expect(try deploy("feed", "--repair").status == 0)
        #expect(try files(of: "www") == files(of: "feed"), "repairing looks at every file")
    }

    /// The working folder is not above a place that is named from the root.
    @Test func feedDeployFromItsOwnFolderTakesAPlaceFromTheRoot() throws {
        let run = try work.shop.shell("cd feed && patchpack feed deploy . --to \"$OLDPWD/www\"")
        #expect(run.status == 0 && run.text.hasPrefix("deployed"), "\(run.error)")
        let inside = try work.shop.shell("cd feed && patchpack feed deploy . --to \"$PWD/copy\"")
        #expect(inside.status != 0 && inside.error.contains("is the feed's own folder, or in it"), "\(inside.error)")
    }

    /// Devices that were reading the older state looked for it.
    @Test func feedDeployOlderFileMissingIsUploadedAndNamed() throws {
        #expect(try deploy().status == 0)
        let names = try work.folder.contents()
        let envelope = try #require(names.first { $0.hasPrefix("www/targets/patches/") && $0.hasSuffix(".js") })
        try remove(envelope)
        try change("pause", FeedReleaseFixture.id)
        let run = try deploy()
        let path = envelope.dropFirst("www/".count)
        #expect(run.status == 0 && run.text.hasPrefix("deployed"), "\(run.error)")
        #expect(run.error.contains("www: \(path) was missing, and was uploaded"), "\(run.error)")
        #expect(!run.error.contains(".rollout.json"), "what is new was not missing")
    }

    @Test func feedDeployOtherCopyDeployedExits40() throws {
        #expect(try deploy().status == 0)
        try change("pause", FeedReleaseFixture.id)
        try changeOther("switch", "checkout=old")
        #expect(try deploy().status == 0)
        let before = try files(of: "www")
        let late = try deploy("other/feed")
        #expect(late.status == 40)
        #expect(late.error.contains("www: has snapshot 3, timestamp 3, of another copy of this feed"))
        #expect(try files(of: "www") == before)
        // As the hint suggests, the other copy's change is given up.
        #expect(try deploy("other/feed", "--repair").status == 40, "devices refuse the same numbers")
        try changeOther("refresh", "--after-version", "3")
        #expect(try deploy("other/feed").status == 40)
        let repaired = try deploy("other/feed", "--repair")
        #expect(repaired.status == 0)
        #expect(repaired.error.contains("www: metadata/3.snapshot.json has other bytes, and was replaced"))
        #expect(try work.run("check", "www", with: []).status == 0)
        #expect(try work.run("status", "www", with: []).text.contains("switch checkout=old"))
    }

    /// Nothing of it is lost, and the message states that.
    @Test func feedDeployOlderCopyExits40WithHint() throws {
        #expect(try deploy().status == 0)
        try change("pause", FeedReleaseFixture.id)
        #expect(try deploy().status == 0)
        let older = try deploy("other/feed")
        #expect(
            older.status == 40 && older.error.contains("so the deployed feed can replace it without a loss"),
            "\(older.error)")
    }

    /// A feed that devices refuse is deployed with a warning, because nothing else can repair the place.
    @Test func feedDeployExpiredFeedWarns() throws {
        let late = try Tool.run(
            "/usr/bin/faketime", ["+400 days", Tool.patchpack, "feed", "deploy", "feed", "--to", "www"],
            in: work.folder.path)
        #expect(late.status == 0 && late.error.contains("devices refuse feed: root ended at "), "\(late.error)")
        #expect(try deploy(to: "other-www").error.isEmpty)
    }

    /// A deployment that was interrupted after any step is completed by the next one.
    @Test(arguments: ["timestamp.json", "1.root.json"], [false, true])
    func feedDeployInterruptedDeploymentIsCompleted(last missing: String, isFirst: Bool) throws {
        if !isFirst {
            #expect(try deploy().status == 0)
            try change("pause", FeedReleaseFixture.id)
        }
        let old = try files(of: "www")
        #expect(try deploy().status == 0)
        for (name, _) in try files(of: "www") where missing == "timestamp.json" || name.hasSuffix(missing) {
            try remove("www/\(name)")
            if let bytes = old[name] { try work.folder.write(bytes, to: "www/\(name)") }
        }
        // Another copy cannot come in between, unless it continues from there.
        if missing == "timestamp.json", !isFirst {
            try changeOther("switch", "checkout=old")
            #expect(try deploy("other/feed").status == 40)
        }
        #expect(try deploy().status == 0)
        #expect(try files(of: "www") == files(of: "feed"))
    }

    @Test func aServerThatWasRestoredFromABackupIsHealed() throws {
        #expect(try deploy().status == 0)
        let backup = try files(of: "www")
        try change("pause", FeedReleaseFixture.id)
        #expect(try deploy().status == 0)
        let restored = try work.shop.shell("rm -r www")
        try #require(restored.status == 0)
        for (name, bytes) in backup { try work.folder.write(bytes, to: "www/\(name)") }
        #expect(try deploy().status == 0)
        #expect(try files(of: "www") == files(of: "feed"))
    }

    @Test func feedDeployWrongPlaceIsRefused() throws {
        #expect(try work.run("deploy", "feed", with: []).status == 64)
        #expect(try deploy("none").status == 36)
        for place in [
            "", "feed", "feed/www", "./feed/", "https://example.com/feed", "gs://bucket", "host:", "host::feed",
            "rsync://host",
        ] {
            let refused = try deploy(to: place)
            #expect(refused.status == 64, "\(place): \(refused.error)")
        }
        #expect(try work.run(FeedReleaseFixture.make("second")).status == 0)
        #expect(try deploy("second").status == 0)
        let foreign = try deploy("feed", "--repair")
        #expect(
            foreign.status == 34 && foreign.error.contains("www: metadata/1.root.json differs from the one in feed"))
        #expect(try deploy(to: "s3://b u/x").status == 64)
        #expect(try deploy(to: "host:/x;rm").status == 64)
        let account = try deploy(to: "s3://bucket/feed")
        #expect(account.status == 78 && account.error.contains("AWS_ACCESS_KEY_ID"))
        let insecure = try work.run(
            ["deploy", "feed", "--to", "s3://bucket/feed"],
            environment: [
                "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
            ])
        #expect(insecure.status == 78 && insecure.error.contains("https"))
        // A machine that cannot be reached, and a place that cannot be written.
        #expect(try deploy(to: "rsync://127.0.0.1:1/feed").status == 74)
        try work.folder.write([], to: "file")
        #expect(try deploy(to: "file").status == 74)
    }

    /// Caches remember that the first timestamp was missing.
    @Test func theFirstStateIsWaitedForToo() throws {
        try work.folder.write("", to: "cached/.keep")
        let server = try WebServer(in: work.folder.at("cached")) { port in
            "python3 -m http.server --bind 127.0.0.1 \(port)"
        }
        let options = "--verify-served http://127.0.0.1:\(server.port) --allow-http"
        let run = try work.shop.shell(
            """
            patchpack feed deploy feed --to www \(options) --wait 1h & waiting=$!
            until grep -q 'timestamp.json.* 404' cached/server-\(server.port).log; do sleep 0.1; done
            cp -r www/. cached/ && wait $waiting
            """)
        #expect(run.status == 0 && run.text.hasPrefix("deployed"), "\(run.error)")
        // It does not wait for ever, and without --wait it does not wait at all.
        try work.folder.write("", to: "cached/none/.keep")
        for wait in ["", " --wait 0s"] {
            let never = try work.shop.shell(
                "patchpack feed deploy feed --to www \(options.replacing(" --", with: "/none --"))\(wait)")
            #expect(never.status == 36 && never.error.contains("has no metadata/timestamp.json"), "\(never.error)")
        }
    }

    @Test func theServedStateIsLookedAt() throws {
        #expect(try deploy().status == 0)
        try change("pause", FeedReleaseFixture.id)
        // A server that has the old state, as caches do.
        let copied = try work.shop.shell("cp -r www cached")
        try #require(copied.status == 0)
        let server = try WebServer(in: work.folder.at("cached")) { port in
            "python3 -m http.server --bind 127.0.0.1 \(port)"
        }
        let url = "http://127.0.0.1:\(server.port)"
        let stale = try deploy("feed", "--verify-served", url, "--allow-http")
        #expect(stale.status == 0 && stale.error.contains("still has timestamp 2, not 3"))
        // If the caller waits for a stop, it is an error that the stop does not reach the server.
        let options = ["--verify-served", url, "--allow-http", "--wait", "0s", "--purge-command"]
        let never = try work.run(
            ["deploy", "feed", "--to", "www"] + options
                + ["test -n \"$AWS_SECRET_ACCESS_KEY\" && echo \"$@\" >purged; exit 0"],
            environment: ["AWS_SECRET_ACCESS_KEY": "b"])
        #expect(never.status == 32 && never.error.contains("still has timestamp 2, not 3"), "\(never.error)")
        #expect(try work.folder.read("purged") == Array("metadata/timestamp.json\n".utf8))
        let failed = try deploy(["feed"] + options + ["exit 3"])
        #expect(failed.status == 74 && failed.error.contains("ended with status 3"), "\(failed.error)")
        let root = ["--root", "feed/metadata/1.root.json", "--allow-http"]
        let same = try work.run(["check", url, "--same-as", "feed"] + root)
        #expect(
            same.status == 32 && same.error.contains("error: \(url): has timestamp 2, and feed has 3"),
            "\(same.error)")
        // A cache does not prevent a repair of the place either.
        let repaired = try deploy("feed", "--repair", "--verify-served", url, "--allow-http")
        #expect(repaired.status == 0 && repaired.error.contains("still has timestamp 2, not 3"), "\(repaired.error)")
        // The command empties the cache.
        let purged = try deploy(["feed"] + options + ["cp -r www/. cached/"])
        #expect(purged.status == 0, "\(purged.error)")
        #expect(try work.run(["check", url, "--same-as", "feed"] + root).status == 0)
        #expect(try deploy("feed", "--verify-served", url, "--allow-http").error.isEmpty)
        #expect(try deploy("feed", "--wait", "1m").status == 64)
        #expect(try deploy("feed", "--verify-served", "\(url)/none", "--allow-http").status == 36)
    }

    /// A variable that is not set is no command, and what a command leaves behind does not hold the deployment.
    @Test func aPurgeNeitherIsEmptyNorWaits() throws {
        for blank in ["", " "] {
            let run = try deploy("feed", "--purge-command", blank)
            #expect(run.status == 64 && run.error.contains("--purge-command is empty"), "\(run.error)")
            #expect(try files(of: "www").isEmpty)
        }
        let ignoring = try work.shop.shell(
            "trap '' CHLD; exec \"$TOOL\" feed deploy feed --to www --purge-command 'exit 3'")
        #expect(ignoring.status == 74 && ignoring.error.contains("ended with status 3"), "\(ignoring.error)")
        let left = try work.shop.shell(
            "timeout 60 \"$TOOL\" feed deploy feed --to www --purge-command 'echo purged; sleep 600 2>/dev/null & echo $! >child'; s=$?; kill $(cat child); exit $s"
        )
        #expect(left.status == 0 && left.error == "purged\n", "\(left.status) \(left.error)")
        let endless = try work.shop.shell(
            """
            timeout 60 setsid -w "$TOOL" feed deploy feed --to www --purge-timeout 1s \\
              --purge-command 'echo begins; sleep 600 & echo $! >child; wait'
            status=$?
            while grep -qs '^State:[[:space:]]*[RSD]' /proc/$(cat child)/status; do sleep 0.1; done
            exit $status
            """)
        #expect(endless.status == 74, "\(endless.status) \(endless.error)")
        #expect(
            endless.error.contains(
                "--purge-command 'echo …': had not ended after 1 s, and was stopped, after the feed"),
            "\(endless.error)")
    }

    /// If the command fails, the next deployment runs it again, although nothing is new.
    @Test func aFailedPurgeIsRepeated() throws {
        // The caches are purged even if nobody reads the outcome.
        let unread = try work.shop.shell(
            "timeout 60 \"$TOOL\" feed deploy feed --to www --purge-command 'touch unread' >/dev/full")
        #expect(unread.status == 74 && work.folder.exists("unread"), "\(unread.status) \(unread.error)")
        let failed = try deploy("feed", "--purge-command", "exit 3")
        #expect(
            failed.status == 74 && failed.error.contains("'exit …': ended with status 3, after the feed was deployed"),
            "\(failed.error)")
        let trial = try deploy("feed", "--purge-command", "echo \"$@\" >purged", "--dry-run")
        #expect(trial.status == 0 && trial.text.hasPrefix("unchanged") && (try? work.folder.read("purged")) == nil)
        let again = try deploy("feed", "--purge-command", "echo \"$@\" >purged")
        #expect(again.status == 0 && again.text.hasPrefix("unchanged"))
        #expect(try work.folder.read("purged") == Array("metadata/timestamp.json\n".utf8))
    }

    /// An address is checked before anything is uploaded.
    @Test(arguments: ["http://h", "ftp://h", "none.example", "https://h/?q"]) func aWrongAddressIsNamedFirst(
        url: String
    ) throws {
        let run = try deploy("feed", "--verify-served", url)
        #expect(run.status == 78 && run.error.split(separator: "\n")[0].ranges(of: url).count == 1, "\(run.error)")
        #expect(try run.text.isEmpty && files(of: "www").isEmpty)
        let signed = try work.run("pause", "feed", FeedReleaseFixture.id, "--check-served", url)
        #expect(signed.status == 78 && signed.error.split(separator: "\n")[0].ranges(of: url).count == 1)
    }

    /// A copy that has the file of a state, but did not come from it, is another copy.
    @Test func aBackupOverNewerFilesIsAnotherCopy() throws {
        #expect(try deploy().status == 0)
        try change("withdraw", FeedReleaseFixture.id)
        #expect(try deploy().status == 0)
        let unpacked = try work.shop.shell("cp -r other/feed/. feed/ && rm feed-*.signed")
        try #require(unpacked.status == 0)
        try change("switch", "x=1")
        try change("refresh")
        let late = try deploy()
        #expect(late.status == 40 && late.error.contains("of another copy of this feed"), "\(late.error)")
        #expect(try work.run("status", "www", with: []).text.contains("withdrawn"))
    }

    @Test func noRootIsReplacedOrPassed() throws {
        #expect(try deploy().status == 0)
        let rotated = try work.run(
            [
                "rotate", "feed", "timestamp,snapshot,rollout", "--add", "new.pem", "--key", "root.pem", "--key",
                "release.pem",
            ]
                + FeedReleaseFixture.online)
        try #require(rotated.status == 0, "\(rotated.error)")
        #expect(try deploy().status == 0)
        // An older copy would lead devices to a root that does not allow it.
        try changeOther("refresh", "--after-version", "50")
        let old = try deploy("other/feed", "--repair")
        #expect(
            old.status == 40 && old.error.contains("has metadata/2.root.json, which other/feed has not"), "\(old.error)"
        )
        // Missing files are written again.
        try remove("www/metadata/1.root.json")
        #expect(try deploy().text.hasPrefix("deployed"))
        #expect(try files(of: "www") == files(of: "feed"))
        try work.folder.write(Array("junk".utf8), to: "www/metadata/2.root.json")
        #expect(try deploy("feed", "--repair").status == 34)
    }

    /// A job has died after it took its place, and another one has the same state.
    @Test func feedDeploySameStateOfDeadJobIsCompleted() throws {
        #expect(try deploy().status == 0)
        try change("withdraw", FeedReleaseFixture.id)
        let copied = try work.shop.shell("rm -r other/feed && cp -r feed other/feed")
        try #require(copied.status == 0)
        try change("refresh")
        try work.folder.write(try work.folder.read("feed/metadata/timestamp.json"), to: "www/metadata/2.next.json")
        #expect(try deploy("other/feed").text.hasPrefix("deployed"))
        #expect(try work.run("status", "www", with: []).text.contains("withdrawn"))
        #expect(try work.run("check", "www", with: []).status == 0)
    }

    /// Devices refuse lower versions of any role, so a copy is not given up for another one with lower versions.
    @Test func aCopyThatHasPublishedIsGivenUpWithTheReleaseKeyOnly() throws {
        #expect(try deploy().status == 0)
        #expect(try work.publish(["8.js"]).status == 0)
        #expect(try deploy().status == 0)
        try changeOther("refresh", "--after-version", "20")
        let low = try deploy("other/feed", "--repair")
        #expect(low.status == 40 && low.error.contains("with the release key too"), "\(low.error)")
        let both = try work.run(
            [
                "refresh", "other/feed", "--after-version", "20", "--key", "other/online.pem", "--key",
                "other/release.pem",
            ])
        try #require(both.status == 0, "\(both.error)")
        let repaired = try deploy("other/feed", "--repair")
        #expect(repaired.status == 0, "\(repaired.error)")
        #expect(repaired.error.contains("gave up snapshot 3, timestamp 3, of another copy"))
        #expect(try work.run("check", "www", with: []).status == 0)
    }

    @Test func feedDeployBrokenNextFileEnds() throws {
        #expect(try deploy().status == 0)
        try change("switch", "x=1")
        try FileManager.default.createSymbolicLink(
            atPath: work.folder.at("www/metadata/2.next.json"), withDestinationPath: "nowhere")
        let stuck = try deploy()
        #expect(stuck.status == 74 && stuck.error.contains("2.next.json"), "\(stuck.error)")
    }

    @Test(arguments: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION"])
    func aVariableThatCannotBeIsNamed(_ name: String) throws {
        var account = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"]
        account[name] = "one\ntwo"
        let run = try work.run(["deploy", "feed", "--to", "s3://bucket/feed"], environment: account)
        #expect(run.status == 78 && run.error.contains("\(name) has a space, a line end"), "\(run.error)")
    }

    /// Addresses that are neither a server nor a folder, and those of servers in any case.
    @Test func addressesAreNamed() throws {
        for place in ["ftp://h/feed", "file:///feed", "127.0.0.1:80/f", "http:/h", "none"] {
            for verb in ["status", "check"] {
                let run = try work.run([verb, place, "--root", "feed/metadata/1.root.json"])
                #expect(run.status == 36 && run.error.contains("\(place): there is no such folder"), "\(run.error)")
            }
        }
        let server = try WebServer(in: work.folder.path) { "python3 -m http.server \($0) --bind 127.0.0.1" }
        for verb in ["status", "check"] {
            let run = try work.run([
                verb, "HTTP://127.0.0.1:\(server.port)/feed", "--root", "feed/metadata/1.root.json", "--allow-http",
            ])
            #expect(run.status == 0, "\(run.error)")
        }
        for place in ["s3:/bucket/feed", "ftp://h/feed"] {
            let run = try deploy("feed", to: place)
            #expect(run.status == 64 && run.error.contains("s3://…"), "\(run.error)")
        }
        let certificates = try deploy("feed", "--verify-served", "https://127.0.0.1:1", "--cacert", "none.crt")
        #expect(certificates.status == 66 && certificates.error.contains("none.crt"), "\(certificates.error)")
    }

    /// Some faults occur only in the second deployment.
    @Test(arguments: [
        ("", 1, 0, "deployed"), ("no bucket", 0, 74, "NoSuchBucket"), ("forbidden", 0, 74, "s3:ListBucket"),
        ("moved", 0, 74, "set AWS_REGION=eu-west-9"), ("region", 0, 74, "set AWS_REGION=eu-west-9"),
        ("clock", 0, 74, "check this machine's clock"), ("unconditional", 0, 74, "may not know conditional writes"),
        ("no conditions", 0, 78, "ignores If-None-Match"), ("refuses", 0, 74, "cannot be made, and is not there"),
        ("forgets", 0, 36, "deploy again, with --repair"), ("cuts", 0, 34, "deploy again, with --repair"),
        ("weak tags", 1, 78, "without a strong ETag"), ("keeps old", 1, 74, "timestamp.json: changes all the time"),
    ])
    func noFaultOfAnObjectStoreIsPassedOver(_ fault: String, good: Int, status: Int32, says: String) throws {
        let server = try WebServer(in: work.folder.path) {
            "python3 \"$CHECKOUT/Tests/patchpackTests/Feed/store.py\" \($0) '\(fault)'"
        }
        // A line end behind a value, as secret stores add it, is not part of the value.
        let account = [
            "AWS_ACCESS_KEY_ID": "id\n", "AWS_SECRET_ACCESS_KEY": "secret\r\n", "AWS_SESSION_TOKEN": "token\n",
            "AWS_REGION": "eu-west-1\n", "AWS_ENDPOINT_URL": "HTTP://127.0.0.1:\(server.port)\n",
        ]
        func deploy() throws -> Tool {
            try work.run(["deploy", "feed", "--to", "S3://bucket/feed", "--allow-http"], environment: account)
        }
        for _ in 0..<good {
            #expect(try deploy().text.hasPrefix("deployed"))
            try change("pause", FeedReleaseFixture.id)
        }
        let last = try deploy()
        #expect(last.status == status && (last.text + last.error).contains(says), "\(last.status) \(last.error)")
    }
}
