import Foundation
import PatchCrypto
import PatchFeed
import PatchPublishing
import TestSupport
import Testing

@Suite(.ownThreads) struct FeedTests {
    private static let id = FeedReleaseFixture.id

    @Test func feedPublishNewFeedIsOfferedToAudience() throws {
        let work = try FeedReleaseFixture(isEmpty: true)
        let run = try work.publish(["7.js", "8.js"], "--rollout", "12.5%", "--rollout-unit", "user", "--group", "qa")
        #expect(run.status == 0)
        #expect(run.lines.first == "published  \(Self.id) 7  to 12.5% by user, and group qa")
        #expect(try work.codes() == ["8 rollout", "7 rollout"])
        #expect(try work.codes("--group", "qa") == ["8 offered", "7 superseded"])
        #expect(try work.codes("--user", "ada") == ["8 rollout", "7 rollout"])
        let check = try work.run(["check", "feed"])
        #expect(check.status == 0 && check.text.hasPrefix("ok  feed  2 patches, "), "\(check.error)")
        let opened = try work.run(["check", "feed", "--script-key", "script.key"])
        #expect(opened.status == 0 && !opened.error.contains("not compared"), "\(opened.error)")
        #expect(opened.text.hasSuffix(" bytes of list and envelopes, compared with each other\n"), "\(opened.text)")
        let closed = try work.run(["check", "feed", "--script-key", "other.key"])
        let fault = "\(Self.id) 7 is not compared with the list: sealed with the script key"
        #expect(closed.error.contains(fault) && !closed.text.contains("compared"), "\(closed.error)\(closed.text)")
        let root = try work.folder.read("feed/metadata/1.root.json")
        #expect(!String(decoding: root, as: UTF8.self).contains("PRIVATE"))
        let status = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        #expect(status["app"] as? String == "com.example.shop")
        let roles = try #require(status["roles"] as? [String: [String: Any]])
        #expect(roles["timestamp"]?["days"] as? Int == 6 || roles["timestamp"]?["days"] as? Int == 7)
        #expect(roles["root"]?["version"] as? Int == 1)
    }

    /// A folder with its own name is in the part of a rollout that contains its installation.
    @Test func aSyncIsOfTheInstallationThatIsNamed() throws {
        let work = try FeedReleaseFixture(isEmpty: true)
        try #require(try work.publish(["7.js"], "--rollout", "50%").status == 0)
        var codes: Set<String> = []
        for name in (1...20).map({ "host-\($0)" }) where codes.count < 2 {
            let sync = try Tool.run(
                Tool.patchpack,
                [
                    "sync", "feed", "--store", "store", "--app", "com.example.shop", "--app-version", "2.3.1",
                    "--trusted-key", "trusted.pem", "--script-key", "script.key", "--format", "json",
                    "--installation", name,
                ], in: work.folder.path)
            try #require(sync.status == 0, "\(sync.error)")
            let found = try sync.objects().map { "\($0["version"] ?? "") \($0["code"] ?? "")" }
            #expect(try found == work.codes("--installation", name), "\(name)")
            // `report --installation` finds the device by this name.
            let status = try work.shop.run("store", "status", "store", "--format", "json").objects().first
            #expect(status?["installation"] as? String == name)
            codes.formUnion(found)
            try FileManager.default.removeItem(atPath: work.folder.at("store"))
        }
        #expect(codes == ["7 offered", "7 rollout"])
    }

    /// A device takes the other patches, but a build that syncs a folder must not pass without this one.
    @Test func aSyncThatRefusesAPatchFails() throws {
        let work = try FeedReleaseFixture()
        func sync(_ options: String...) throws -> Tool {
            try Tool.run(
                Tool.patchpack,
                [
                    "sync", "feed", "--store", "store", "--app", "com.example.shop", "--app-version", "2.3.1",
                    "--script-key", "script.key",
                ] + options, in: work.folder.path)
        }
        let refused = try sync("--trusted-key", "other.pem")
        #expect(refused.status == 12 && refused.lines == ["refused  \(FeedReleaseFixture.id) 7"], "\(refused.text)")
        #expect(refused.error.hasPrefix("patchpack: error: \(FeedReleaseFixture.id) 7: "), "\(refused.error)")
        let line = try #require(try sync("--trusted-key", "other.pem", "--format", "json").objects().first)
        #expect(line["ok"] as? Bool == false && line["verdict"] as? String == "unknown-signer")
        #expect((line["error"] as? [String: Any])?["code"] as? String == "unknown-signer")
        try #require(try work.shop.shell("find feed -name '*.js' -delete").status == 0)
        let missing = try sync("--trusted-key", "trusted.pem")
        #expect(missing.status == 36 && missing.lines == ["unavailable  \(FeedReleaseFixture.id) 7"], "\(missing.text)")
    }

    /// The page's order: a store that adds, versions that both keys have signed, a store that revokes.
    @Test func signingKeyReplacedInThePagesOrderKeepsThePatch() throws {
        let work = try FeedReleaseFixture()
        func step(_ script: String) throws -> Tool {
            let run = try work.shop.shell(script)
            try #require(run.status == 0, "\(run.error)")
            return run
        }
        func sync() throws -> String {
            try step(
                """
                patchpack sync feed --store store --app com.example.shop --app-version 2.3.1 --script-key script.key \
                  --trusted-key rsa-sha1:trusted.pem --trusted-key offline-public.pem
                """
            ).text
        }
        let deliver = "patchpack feed trust feed t.store --key release.pem --key online.pem"
        #expect(try sync().contains("\(FeedReleaseFixture.id) 7"))
        _ = try step(
            """
            patchpack trust add t.store trusted.pem --name old && patchpack trust add t.store new-public.pem --name new
            patchpack trust sign t.store --app com.example.shop --signing-key rsa-sha1:signing.pem && \(deliver)
            """)
        #expect(try sync().hasPrefix("kept  \(FeedReleaseFixture.id) 7"))
        _ = try step(
            """
            patchpack pack 8.lua -o both.js --no-lint --script-key script.key \
              --signing-key rsa-sha1:signing.pem --signing-key new.pem
            """)
        #expect(try work.publish(["both.js"]).status == 0)
        #expect(try sync().contains("offered  \(FeedReleaseFixture.id) 8"))
        let revoked = try step(
            """
            patchpack trust revoke t.store old
            patchpack trust sign t.store --app com.example.shop --signing-key offline.pem && \(deliver)
            """)
        #expect(revoked.error.contains("7 is signed by no other key") && !revoked.error.contains(" 8 is signed"))
        #expect(try sync().contains("kept  \(FeedReleaseFixture.id) 8"))
    }

    /// What a launch would refuse is not kept, in a sync and in what the store says afterwards.
    @Test func aSyncVerifiesHeldPatchesAgain() throws {
        let work = try FeedReleaseFixture()
        func sync(_ trusted: String, script: String = "script.key", app: String = "com.example.shop") throws -> Tool {
            try Tool.run(
                Tool.patchpack,
                [
                    "sync", "feed", "--store", "store", "--app", app, "--app-version", "2.3.1", "--no-launch",
                    "--script-key", script, "--trusted-key", trusted,
                ], in: work.folder.path)
        }
        // A mistyped app does not bind the store.
        let mistyped = try sync("trusted.pem", app: "com.example.shpo")
        #expect(
            mistyped.status == 34 && mistyped.error.contains("the feed is for com.example.shop")
                && !work.folder.exists("store"), "\(mistyped.error)")
        #expect(try sync("trusted.pem").text.hasPrefix("offered  \(FeedReleaseFixture.id) 7"))
        #expect(try sync("trusted.pem").text.hasPrefix("kept  \(FeedReleaseFixture.id) 7"))
        func why() throws -> String {
            try Tool.patchpack("store", "why", "store", FeedReleaseFixture.id, in: work.folder.path).text
        }
        #expect(try why().hasPrefix("downloaded"))
        let refused = try sync("other.pem")
        #expect(refused.status == 12 && refused.lines == ["refused  \(FeedReleaseFixture.id) 7"], "\(refused.text)")
        #expect(try why().hasPrefix("refused  \(FeedReleaseFixture.id) 7"))
        #expect(try sync("trusted.pem", script: "other.key").status == 13)
        #expect(try sync("trusted.pem").text.hasPrefix("kept  \(FeedReleaseFixture.id) 7"))
        #expect(try why().hasPrefix("downloaded"))
        // A key that the feed has revoked.
        let revoked = try work.shop.shell(
            """
            patchpack trust add t.store trusted.pem --name first && patchpack trust revoke t.store first
            """)
        try #require(revoked.status == 0, "\(revoked.error)")
        let told = try work.run(["trust", "feed", "t.store"] + FeedReleaseFixture.online + FeedReleaseFixture.release)
        try #require(told.status == 0, "\(told.error)")
        #expect(try sync("trusted.pem").lines == ["refused  \(FeedReleaseFixture.id) 7"])
        #expect(try why().hasPrefix("refused"))
    }

    /// A run that fails says why on standard error too, whatever its format.
    @Test func errorsInJSONAreOnStandardErrorToo() throws {
        let work = try FeedReleaseFixture()
        for line in [
            "pack patches/none.lua --signing-key signing.pem --script-key script.key -o x.js",
            "verify trusted.pem --trusted-key trusted.pem --script-key script.key", "feed status feed --days 400",
            "feed status none", "report trusted.pem",
        ] {
            let run = try work.shop.shell("patchpack \(line) --format json")
            #expect(run.status != 0 && run.error.split(separator: "error: ").count == 2, "\(line): \(run.error)")
        }
    }

    /// `openssl` alone verifies the signed bytes.
    @Test func opensslVerifiesTheSignatures() throws {
        let work = try FeedReleaseFixture()
        let script = """
            import json,sys
            def c(o):
                if isinstance(o, dict): return '{' + ','.join(json.dumps(k) + ':' + c(o[k]) for k in sorted(o)) + '}'
                if isinstance(o, list): return '[' + ','.join(map(c, o)) + ']'
                return json.dumps(o)
            f = json.load(open(sys.argv[1]))
            open('payload', 'w').write(c(f['signed']))
            open('sig', 'wb').write(bytes.fromhex(f['signatures'][0]['sig']))
            """
        try work.folder.write(script, to: "split.py")
        for (file, key) in [("2.targets", "release"), ("timestamp", "online"), ("1.root", "root")] {
            let run = try work.shop.shell(
                """
                python3 split.py feed/metadata/\(file).json &&
                  openssl pkeyutl -verify -rawin -pubin -inkey \(key)-public.pem -in payload -sigfile sig
                """)
            #expect(run.status == 0, "\(file): \(run.error)\(run.text)")
        }
    }

    @Test func aPublishedVersionNeverChanges() throws {
        let work = try FeedReleaseFixture()
        let before = try work.versioned()
        let again = try work.publish(["7.js"])
        #expect(again.status == 0 && again.lines.first == "unchanged  \(Self.id) 7")
        #expect(try work.versioned() == before)
        try work.folder.write(ReleaseFixture.script + "-- other\n", to: "7.lua")
        try #require(try work.shop.pack("7.lua", "--force").status == 0)
        let other = try work.publish(["7.js"])
        #expect(other.status == 38, "\(other.error)")
        #expect(try work.versioned() == before)
    }

    @Test func feedPublishRefusedEnvelopeIsNotPublished() throws {
        let work = try FeedReleaseFixture(isEmpty: true)
        let before = try work.versioned()
        try work.folder.write(try work.folder.read("7.js").dropLast(100), to: "short.js")
        try work.folder.write("", to: "empty.js")
        try work.folder.write(
            ReleaseFixture.script.replacing("@app      com.example.shop", with: "@app      com.example.other"),
            to: "app.lua")
        try #require(try work.shop.pack("app.lua").status == 0)
        for (name, status) in [("short.js", 10), ("empty.js", 10), ("7.lua", 10), ("app.js", 15), ("missing.js", 66)] {
            let run = try work.publish(["8.js", name])
            #expect(run.status == Int32(status) && run.error.contains(name), "\(name): \(run.status) \(run.error)")
        }
        #expect(
            try work.run(["publish", "feed", "7.js"] + FeedReleaseFixture.online + FeedReleaseFixture.all).status == 64)
        #expect(try work.versioned() == before)
    }

    /// Nothing goes to devices that nobody has named.
    @Test func feedPublishWithoutAudienceExits64() throws {
        let work = try FeedReleaseFixture()
        try #require(try work.run(FeedReleaseFixture.make("other")).status == 0)
        let before = try work.versioned()
        let keys = FeedReleaseFixture.envelopes + FeedReleaseFixture.online + FeedReleaseFixture.release
        for words in [["publish", "feed", "8.js"], ["promote", "feed", "other", Self.id]] {
            let run = try work.run(words + keys)
            #expect(run.status == 64 && run.error.contains("--rollout 100%"), "\(run.error)")
        }
        #expect(try work.versioned() == before)
        for (audience, text) in [
            (["--group", "qa"], "group qa"), (["--user", "ada"], "1 user"),
            (["--rollout", "5%"], "5% by installation"),
            (["--rollout", "100%"], "all"),
        ] {
            let run = try work.run(["publish", "feed", "8.js", "--dry-run"] + keys + audience)
            #expect(run.lines.first == "published  \(Self.id) 8  to \(text)", "\(run.text) \(run.error)")
        }
    }

    /// A cache repeats the server's `Date`, and `Age` says how long ago that was.
    @Test(arguments: [
        ("540", -540, 0), (" 540", -540, 0), ("", -540, 37), ("x", -540, 37), ("-540", -540, 37),
        ("540", 0, 37), ("99999999999999999999", 0, 37),
    ])
    func checkServedCachedTimestampClockIsDateAndAge(_ age: String, _ date: Int, _ status: Int32) throws {
        let work = try FeedReleaseFixture()
        try work.folder.write(
            """
            import email.utils, http.server, sys, time
            class Cache(http.server.SimpleHTTPRequestHandler):
                def date_time_string(self, timestamp=None):
                    return email.utils.formatdate(time.time() + \(date), usegmt=True)
                def end_headers(self):
                    if "\(age)": self.send_header("Age", "\(age)")
                    super().end_headers()
                def log_message(self, *words): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Cache)
            print(server.server_port, flush=True)
            server.serve_forever()
            """, to: "cache.py")
        let run = try work.shop.shell(
            """
            coproc CACHE { cd feed && exec python3 -I ../cache.py; }
            read -r port <&"${CACHE[0]}"
            served="--check-served http://127.0.0.1:$port --allow-http --key online.pem -q"
            patchpack feed switch feed a=1 $served; echo $?
            patchpack feed pause feed \(Self.id) $served; echo $?
            kill $CACHE_PID
            """)
        // A doubt about a clock keeps no stop waiting.
        #expect(run.lines == ["\(status)", "0"], "\(run.text) \(run.error)")
        #expect(run.error.contains("the server's clock shows") == (status != 0), "\(run.error)")
    }

    /// Such a group would be none that an app has.
    @Test(arguments: ["qa,beta", " qa", "qa ", "qa\u{A0}"]) func groupNameWithCommaOrOuterSpaceExits64(
        _ name: String
    ) throws {
        let work = try FeedReleaseFixture()
        let keys = FeedReleaseFixture.envelopes + FeedReleaseFixture.online + FeedReleaseFixture.release
        for words in [["publish", "feed", "8.js"] + keys, ["preview", "feed", "--app-version", "2.3.1"]] {
            let run = try work.run(words + ["--group", name])
            #expect(run.status == 64 && run.error.contains("--group"), "\(run.error)")
        }
    }

    /// Of those that make a feed in one folder at once, one does, and the others change nothing.
    @Test func feedInitFourAtOnceMakesOneFeed() throws {
        let work = try FeedReleaseFixture()
        let command = ["patchpack", "feed"] + FeedReleaseFixture.make("new") + ["-q"]
        let words = command.map { "'\($0)'" }.joined(separator: " ")
        let run = try work.shop.shell(
            "for n in 1 2 3 4; do { \(words) 2>err-$n; echo $?; } & done; wait; cat err-*")
        #expect(run.lines.filter { $0 == "0" }.count == 1, "\(run.text)")
        #expect(run.lines.filter { $0 == "73" }.count == 3, "\(run.text)")
        #expect(try work.run(["check", "new", "--root", "new/metadata/1.root.json"]).status == 0)
    }

    /// A key has the id that `keyinfo` shows for its file, and the name of its folder.
    @Test func feedStatusWithSignersNamesKeys() throws {
        let work = try FeedReleaseFixture()
        let made = try work.shop.shell("patchpack keygen --profile modern --signing-only -q -o names/mine")
        try #require(made.status == 0)
        let key = try #require(
            try Tool.patchpack("keyinfo", "names/mine/trusted.pem", "--format", "json", in: work.folder.path)
                .objects().first)
        let id = try #require(key["feedKeyID"] as? String)
        let rotated = try work.run(
            ["rotate", "feed", "rollout", "--add", "names/mine/trusted.pem", "--key", "names/mine/signing.pem"]
                + FeedReleaseFixture.online + FeedReleaseFixture.release)
        try #require(rotated.status == 0, "\(rotated.error)")
        let run = try work.run(["status", "feed", "--signers", "names"])
        #expect(run.lines.contains { $0.hasPrefix("rollout") && $0.contains("mine \(id.prefix(16))") }, "\(run.text)")
        #expect(!run.text.contains("trust store delivered"))
    }

    /// Many patches are withdrawn by one command, and removed by another one.
    @Test func manyPatchesAreStoppedAtOnce() throws {
        let work = try FeedReleaseFixture()
        let ids = (0..<40).map { "com.example.shop.patch-\($0)" }
        let packed = try work.shop.shell(
            """
            mkdir many && for n in $(seq 0 39); do sed "s/shop.cart-total/shop.patch-$n/" 7.lua >many/$n.lua; done
            patchpack pack -q --no-lint many/*.lua -o dist --signing-key rsa-sha1:signing.pem --script-key script.key
            """)
        try #require(packed.status == 0, "\(packed.error)")
        try #require(try work.publish((0..<40).map { "dist/\($0).js" }).status == 0)
        let withdrawn = try work.run(["withdraw", "feed"] + ids + [ids[0]] + FeedReleaseFixture.online)
        let said = ids.map { "withdrawn  \($0) 7" } + ["already withdrawn  \(ids[0]) 7"]
        #expect(Array(withdrawn.lines.dropLast()) == said)
        let prune =
            ["prune", "feed"] + ids + ["--patch-version", "7"] + FeedReleaseFixture.online + FeedReleaseFixture.release
        #expect(try work.run(prune).lines.first == "removed  \(ids[0]) 7")
        #expect(try work.run(prune).lines.first == "removed the withdrawal of  \(ids[0]) 7")
        #expect(try work.codes() == ["7 offered"])
    }

    /// The verified bytes are the ones that are signed, wherever they come from.
    @Test func envelopesComeThroughPipes() throws {
        let work = try FeedReleaseFixture(isEmpty: true)
        let options =
            (FeedReleaseFixture.envelopes + FeedReleaseFixture.online + FeedReleaseFixture.release
            + FeedReleaseFixture.all).joined(
                separator: " ")
        for (line, version) in [
            ("feed publish feed <(cat 7.js) \(options)", 7), ("feed publish feed - \(options) <8.js", 8),
        ] {
            let run = try work.shop.shell("patchpack \(line)")
            #expect(run.status == 0, "\(line): \(run.error)")
            let name = try #require(try work.folder.contents().first { $0.hasSuffix("cart-total-\(version).js") })
            #expect(try work.folder.read(name) == work.folder.read("\(version).js"))
        }
        #expect(try work.run(["check", "feed"]).status == 0)
        let before = try work.versioned()
        for line in ["feed publish feed <(true) \(options)", "feed publish feed - \(options) </dev/null"] {
            let run = try work.shop.shell("patchpack \(line)")
            #expect(run.status == 10 && run.error.contains("empty"), "\(run.status) \(run.error)")
        }
        #expect(try work.versioned() == before)
    }

    /// A withdrawal cannot wait until three people have signed another change.
    @Test(arguments: ["withdraw", "pause", "shadow", "disable", "refresh"])
    func urgentActionsDoNotWait(action: String) throws {
        let work = try FeedReleaseFixture()
        try #require(try work.publish(["8.js"], "--stage", with: FeedReleaseFixture.online).status == 0)
        let words = [action, "feed"] + (["disable", "refresh"].contains(action) ? [] : [Self.id])
        let urgent = try work.run(words + FeedReleaseFixture.online)
        #expect(urgent.status == 0, "\(urgent.error)")
        let now = [
            "withdraw": "7 withdrawn", "pause": "7 paused", "shadow": "7 shadow", "disable": "7 disabled",
            "refresh": "7 offered",
        ]
        #expect(try work.codes() == [now[action] ?? ""])
        #expect(try work.run(["enable", "feed"] + FeedReleaseFixture.online).status == 78)
        // The other change still exists, on top of the urgent one.
        let sign = try work.run(["sign", "feed", "--yes"] + FeedReleaseFixture.online + FeedReleaseFixture.release)
        #expect(sign.status == 0, "\(sign.error)")
        let then = [
            "withdraw": ["8 offered", "7 withdrawn"], "pause": ["8 offered", "7 superseded"],
            "shadow": ["8 offered", "7 superseded"], "disable": ["8 disabled", "7 disabled"],
            "refresh": ["8 offered", "7 superseded"],
        ]
        #expect(try work.codes() == then[action])
        let status = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        let states = (status["patches"] as? [[String: Any]])?.compactMap { $0["state"] as? String }
        let first = ["withdraw": "withdrawn", "pause": "paused", "shadow": "shadow"][action] ?? "active"
        #expect(states == [first, "active"] && status["enabled"] as? Bool == (action != "disable"))
        #expect(try work.run(["check", "feed"]).status == 0)
    }

    @Test func feedDiffChangedFeedListsChanges() throws {
        let work = try FeedReleaseFixture()
        try #require(try work.shop.shell("cp -r feed before").status == 0)
        try #require(try work.run("withdraw", "feed", Self.id, "--reason", "wrong").status == 0)
        let run = try work.run(["diff", "before", "feed"])
        #expect(run.status == 0, "\(run.error)")
        #expect(run.lines.contains("list: patches \(Self.id) 7 state \"active\" -> \"withdrawn\""), "\(run.text)")
        #expect(run.lines.contains("list: patches \(Self.id) 7 reason adds \"wrong\""), "\(run.text)")
        #expect(try work.run(["diff", "feed", "feed"]).text.hasPrefix("same"))
        // Each snapshot of a feed still exists.
        let snapshots = try work.run(["diff", "feed@2", "feed@3"])
        #expect(snapshots.text.contains("state \"active\" -> \"withdrawn\""), "\(snapshots.text)\(snapshots.error)")
        try #require(try work.publish(["8.js"]).status == 0)
        let more = try #require(try work.run(["diff", "before", "feed", "--format", "json"]).objects().first)
        let changes = try #require(more["changes"] as? [String])
        #expect(changes.contains { $0.hasPrefix("targets: targets patches/com.example.shop/") && $0.contains("adds") })
    }

    /// No file in a feed's folder blocks the tool.
    @Test func noFileOfAFeedIsWaitedFor() throws {
        let work = try FeedReleaseFixture()
        let files = try work.folder.contents().filter { $0.hasPrefix("feed/") }.map { String($0.dropFirst(5)) }
        #expect(files.count > 5)
        try work.folder.write(try work.folder.read("feed/metadata/1.root.json"), to: "pinned.json")
        for (number, file) in files.enumerated() {
            let kinds = ["mkfifo", "mkdir", "ln -s /dev/zero", "ln -s /nowhere"]
            for kind in testsMayBeLong ? kinds : [kinds[number % kinds.count]] {
                let run = try work.shop.shell(
                    """
                    rm -rf copy && cp -r feed copy && rm -rf copy/\(file) && \(kind) copy/\(file) || exit 99
                    for line in "status copy" "check copy" "refresh copy --key online.pem --root pinned.json"; do
                      timeout 20 "$TOOL" feed $line >/dev/null 2>&1; [ $? -lt 100 ] || echo "$line"
                    done
                    """)
                #expect(run.status != 99 && run.text.isEmpty, "\(kind) \(file): \(run.text)\(run.error)")
            }
        }
    }

    @Test func theOnlineKeyChangesTheListAndNothingElse() throws {
        let work = try FeedReleaseFixture()
        let before = try work.versioned()
        let publish = try work.publish(["8.js"], with: FeedReleaseFixture.online)
        #expect(
            publish.status == 31 && publish.error.contains("the release key (role targets) must sign: 1 more of "),
            "\(publish.error)")
        #expect(try work.versioned() == before)
        #expect(try work.run("withdraw", "feed", Self.id, "--reason", "wrong").status == 0)
        #expect(try work.codes() == ["7 withdrawn"])
        #expect(try work.run("resume", "feed", Self.id).status == 0)
        #expect(try work.run("pause", "feed", Self.id).status == 0)
        #expect(try work.codes() == ["7 paused"])
        #expect(try work.run("resume", "feed", Self.id).status == 0)
        #expect(try work.run("disable", "feed").status == 0)
        #expect(try work.codes() == ["7 disabled"])
        #expect(try work.run("enable", "feed").status == 0)
        #expect(try work.codes() == ["7 offered"])
        #expect(try work.run("switch", "feed", "checkout=old", "b=x").status == 0)
        for word in ["=a", "a\nb=c"] {
            let refused = try work.run("switch", "feed", word)
            #expect(refused.status == 64 && refused.error.contains("a name has at most 64 letters"), "\(refused.error)")
        }
        #expect(try work.run("switch", "feed", "b").status == 0)
        // A forgotten `=` does not remove the switch.
        let forgotten = try work.run("switch", "feed", "checkout", "new")
        #expect(forgotten.status == 64 && forgotten.error.contains("new: no such switch to remove"))
        // A combining mark makes one character of itself and the `=`.
        let combining = try work.run("switch", "feed", "accent=\u{301}")
        #expect(combining.status == 0, "\(combining.error)")
        let after = try work.versioned()
        #expect(after.filter { before[$0.key] != nil } == before, "a file was changed")
        #expect(!after.keys.contains("feed/metadata/3.targets.json"))
        let lists = after.filter { $0.key.contains("/rollout/") }.map { String(decoding: $0.value, as: UTF8.self) }
        #expect(lists.contains { $0.contains(#""switches":{"checkout":"old"}"#) })
    }

    @Test func feedWithdrawOlderVersionOfferedIsPrinted() throws {
        let work = try FeedReleaseFixture()
        #expect(try work.publish(["8.js"]).status == 0)
        let run = try work.run("withdraw", "feed", Self.id)
        #expect(run.lines.prefix(2) == ["withdrawn  \(Self.id) 8", "still offered  \(Self.id) 7  offered to all"])
    }

    /// Version 7 answers on all devices while version 8 is in shadow, goes live for a part, is taken back, paused and
    /// resumed.
    @Test func feedShadowBesideLiveVersionLeavesItOffered() throws {
        let work = try FeedReleaseFixture()
        func lines(_ arguments: String...) throws -> [String] {
            let run = try work.run(arguments + FeedReleaseFixture.online)
            try #require(run.status == 0, "\(run.error)")
            return run.lines.dropLast()
        }
        let name = "\(Self.id) 8"
        let live = "still offered  \(Self.id) 7  offered to all"
        let run = try work.publish(["8.js"], "--shadow")
        #expect(run.lines.prefix(2) == ["published  \(name)  in shadow, to all", live], "\(run.text)\(run.error)")
        #expect(try work.codes() == ["8 shadow", "7 offered"])
        #expect(try work.publish(["8.js"], "--shadow").lines.first == "unchanged  \(name)")
        let live8 = try work.publish(["8.js"])
        #expect(live8.status == 39 && live8.error.contains("in shadow, to all, and not offered to all"))
        #expect(try work.run(["check", "feed", "--all"]).lines.contains { $0.hasSuffix("-8.js  in shadow, to all") })
        #expect(try work.run(["status", "feed"]).text.contains("\(name)  in shadow, to all, since"))
        // The one that answers may be meant.
        for verb in ["pause", "withdraw", "shadow"] {
            let stop = try work.run(verb, "feed", Self.id)
            #expect(stop.status == 64 && stop.error.contains("give --patch-version N"), "\(stop.error)")
        }
        #expect(try lines("resume", "feed", Self.id) == ["already resumed in shadow  \(name)"])
        #expect(
            try lines("shadow", "feed", Self.id, "--patch-version", "8", "--rollout", "20%")
                == ["in shadow, to 20% by installation  \(name)", live])
        #expect(try lines("rollout", "feed", Self.id, "5%") == ["offered to 5% by installation  \(name)"])
        let undo = try work.run(["undo", "feed"] + FeedReleaseFixture.online)
        #expect(
            undo.text.contains("changed \(name): offered to 5% by installation -> in shadow, to 20% by installation"))
        #expect(try lines("rollout", "feed", Self.id, "100%") == ["offered to 100% by installation  \(name)"])
        #expect(try work.codes() == ["8 offered", "7 superseded"])
        let back = try lines("shadow", "feed", Self.id, "--reason", "totals differ", "--author", "ada")
        #expect(back == ["in shadow, to 100% by installation  \(name)", live])
        #expect(try work.codes() == ["8 shadow", "7 offered"])
        #expect(try work.run(["log", "feed"]).text.contains("totals differ"))
        #expect(try lines("pause", "feed", Self.id, "--patch-version", "8") == ["paused in shadow  \(name)", live])
        #expect(try work.codes() == ["8 paused", "7 offered"])
        #expect(try lines("resume", "feed", Self.id) == ["resumed in shadow  \(name)", live])
        #expect(try work.codes() == ["8 shadow", "7 offered"])
        // A percentage says that it is to answer, also while it is paused.
        _ = try lines("pause", "feed", Self.id, "--patch-version", "8")
        #expect(
            try lines("rollout", "feed", Self.id, "25%").first
                == "still paused; once it is resumed, live to 25% by installation  \(name)")
        #expect(try lines("resume", "feed", Self.id) == ["resumed  \(name)"])
        _ = try lines("shadow", "feed", Self.id)
        #expect(
            try lines("withdraw", "feed", Self.id, "--patch-version", "8") == ["withdrawn from shadow  \(name)", live])
        #expect(try lines("withdraw", "feed", Self.id).first == "already withdrawn from shadow  \(name)")
        let withdrawn = try work.run("shadow", "feed", Self.id)
        #expect(withdrawn.status == 64 && withdrawn.error.contains("publish that one with --shadow"))
        let again = try work.publish(["8.js"], "--shadow")
        #expect(again.status == 39 && again.error.contains("pack it again with a higher version"), "\(again.error)")
        // The hint of the offer works.
        let offer = try work.publish(["8.js"])
        #expect(offer.status == 39 && offer.error.contains("rollout, and then resume, offers it"), "\(offer.error)")
        _ = try lines("rollout", "feed", Self.id, "100%")
        #expect(try lines("resume", "feed", Self.id) == ["resumed  \(name)"])
    }

    @Test func feedPromoteShadowIsListedInShadow() throws {
        let work = try FeedReleaseFixture()
        try #require(try work.run(FeedReleaseFixture.make("other")).status == 0)
        let run = try work.run(
            ["promote", "feed", "other", Self.id, "--shadow", "--rollout", "5%"] + FeedReleaseFixture.envelopes
                + FeedReleaseFixture.online + FeedReleaseFixture.release)
        #expect(run.lines.first == "promoted  \(Self.id) 7  in shadow, to 5% by installation", "\(run.error)")
        #expect(try work.run(["status", "other"]).text.contains("7  in shadow, to 5% by installation"))
    }

    @Test func aLargeListIsSaid() throws {
        let work = try FeedReleaseFixture()
        let switches = (0..<30).map { "s\($0)=" + String(repeating: "x", count: 10_000) }
        let run = try work.run(["switch", "feed"] + switches + FeedReleaseFixture.online)
        #expect(run.status == 0 && run.error.contains("bytes, which each device downloads with each change"))
        #expect(try !work.run("refresh", "feed").error.contains("each device"))
    }

    /// The first error for a user who has not given all arguments.
    @Test func feedPauseMissingArgumentIsNamed() throws {
        let work = try FeedReleaseFixture()
        let key = try work.run(["pause", "feed", Self.id])
        #expect(key.status == 64 && key.error.contains("no key"), "\(key.error)")
        let folder = try work.run("pause", Self.id, "feed")
        #expect(folder.status == 36 && folder.error.contains("the folder of the feed comes first"), "\(folder.error)")
        let rotated = try work.run("rotate", "nowhere", "root", "--threshold", "1")
        #expect(rotated.status == 36 && rotated.error.contains("the folder of the feed comes first"))
        let reason = try work.run("pause", "feed", Self.id, "--reason", String(repeating: "x", count: 501))
        #expect(reason.status == 64 && reason.error.contains("at most 500"), "\(reason.error)")
    }

    /// Whatever is in the place of a staged change, a patch can be stopped, and the change can be dropped without a
    /// key.
    @Test(arguments: [
        "printf '<<<<<<< HEAD\\n' >feed/staged/targets.json", "mkfifo feed/staged/targets.json",
        "mkdir -p feed/staged/targets.json/x", "truncate -s 70M feed/staged/targets.json",
    ])
    func stagedFileAnyKindStopsNoStop(make: String) throws {
        let work = try FeedReleaseFixture()
        try #require(try work.shop.shell("mkdir feed/staged && \(make)").status == 0)
        for action in [["disable", "feed"], ["withdraw", "feed", FeedReleaseFixture.id]] {
            let run = try work.run(action + FeedReleaseFixture.online)
            #expect(run.status == 0 && run.error.contains("is left as it is"), "\(action): \(run.error)")
        }
        let run = try work.run(["sign", "feed", "--discard"], environment: ["PATCHPACK_FEED_KEY": "none.pem"])
        #expect(run.status == 0 && run.error.contains("is dropped"), "\(run.error)")
        #expect(try !work.folder.contents().contains { $0.hasPrefix("feed/staged") })
    }

    /// Files of another folder are not the feed's to change.
    @Test func stagedFolderIsALinkIsRemovedAlone() throws {
        let work = try FeedReleaseFixture()
        try work.folder.write("mine", to: "other/targets.json")
        try #require(try work.shop.shell("ln -s ../other feed/staged").status == 0)
        let staged = try work.run("disable", "feed", "--stage", with: FeedReleaseFixture.release)
        #expect(staged.status != 0, "\(staged.text)")
        #expect(try work.run(["sign", "feed", "--discard"]).status == 0)
        #expect(
            try work.folder.contents().filter { $0.hasPrefix("other/") || $0.hasPrefix("feed/staged") } == [
                "other/targets.json"
            ])
        #expect(try work.folder.read("other/targets.json") == Array("mine".utf8))
    }

    /// A file of events that has none is no reason to wait in silence.
    @Test func advanceFileWithoutEventsSaysSo() throws {
        let work = try FeedReleaseFixture()
        try work.folder.write("", to: "empty.jsonl")
        let run = try work.run(
            "advance", "feed", FeedReleaseFixture.id, "--events", "empty.jsonl", "--gate", "failing<1%",
            "--patch-version", "7")
        #expect(run.status == 10 && run.error.contains("no event was read"), "\(run.text) \(run.error)")
    }

    /// A store of a mistyped environment would refuse the right one.
    @Test func syncOtherEnvironmentLeavesNoStore() throws {
        let work = try FeedReleaseFixture()
        let run = try work.shop.run(
            "sync", "feed", "--store", "device", "--app", "com.example.shop", "--app-version", "2.3.1", "--environment",
            "x",
            "--trusted-key", "trusted.pem", "--script-key", "script.key")
        #expect(run.status == 34 && !work.folder.exists("device"), "\(run.error)")
    }

    /// Who may only read a feed cannot keep its owner from switching it off.
    @Test func aReadersLockStopsNoStop() throws {
        let work = try FeedReleaseFixture()
        let run = try work.shop.shell(
            """
            (flock -s 9; touch locked; exec sleep 60) 9<feed &
            until [ -e locked ]; do sleep 0.1; done
            patchpack feed disable feed --key online.pem; echo $?
            kill $!
            """)
        #expect(run.lines.last == "0", "\(run.text) \(run.error)")
    }

    /// Looking at a staged change, or carrying a signature, needs no key. But a change that is shown or signed
    /// elsewhere needs a trusted root.
    @Test func feedSignDetachedSignatureNeedsNoKey() throws {
        let work = try FeedReleaseFixture()
        #expect(try work.publish(["8.js"], "--stage", with: FeedReleaseFixture.online).status == 0)
        for arguments in [["--show"], ["--detach", "-o", "payload"]] {
            let own = try work.run(["sign", "feed"] + arguments)
            #expect(own.status == 64 && own.error.contains("no key"), "\(own.error)")
        }
        let root = ["--root", "feed/metadata/1.root.json"]
        let show = try work.run(["sign", "feed", "--show"] + root)
        #expect(show.status == 0 && show.text.contains("\(Self.id)-8.js"), "\(show.error)")
        #expect(try work.run(["sign", "feed", "--detach", "-o", "payload"] + root).status == 0)
        let signed = try work.shop.shell("openssl pkeyutl -sign -rawin -inkey release.pem -in payload -out sig")
        try #require(signed.status == 0)
        let attached = try work.run(["sign", "feed", "--attach", "sig", "--yes"])
        #expect(attached.status == 0 && attached.text.contains("(role snapshot): 1 more of"), "\(attached.error)")
        // Attached once more, it changes nothing.
        #expect(try work.run(["sign", "feed", "--attach", "sig", "--yes"] + FeedReleaseFixture.online).status == 0)
        #expect(try work.codes() == ["8 offered", "7 superseded"])
    }

    @Test func feedCommandCommonMistakeHasHint() throws {
        let work = try FeedReleaseFixture()
        for (arguments, status, words) in [
            (["check", "feed", "--root", "nope"], 66, "nope: no such file"),
            (["withdraw", "feed/metadata", Self.id] + FeedReleaseFixture.online, 36, "did you mean feed?"),
            (
                ["withdraw", "feed", Self.id, "--version", "7"] + FeedReleaseFixture.online, 64,
                "or --patch-version?"
            ),
            (["withdraw", "feed", "cart-total"] + FeedReleaseFixture.online, 64, "did you mean \(Self.id)?"),
            (["withdraw", "feed", Self.id, "--key", "new.pem"], 78, "no role of this feed has the key"),
            (
                ["withdraw", "https://example.com/feed", Self.id] + FeedReleaseFixture.online, 36,
                "in the folder of the feed"
            ),
            (["rollback", "feed"], 64, "did you mean withdraw or undo?"),
            (["list", "feed"], 64, "did you mean status?"),
            (["remove", "feed"], 64, "did you mean withdraw or prune?"),
            (["prune", "feed", Self.id, "--keep", "2", "--patch-version", "7"], 64, "--keep with --patch-version"),
            (["disable", "feed", Self.id] + FeedReleaseFixture.online, 64, "feed pause or withdraw"),
            (["history", "feed"], 64, "did you mean log?"),
        ] as [([String], Int32, String)] {
            // Beside a trusted root, the error would name the keys that must sign.
            try work.folder.write(work.folder.read("new.pem"), to: "elsewhere/new.pem", mode: 0o600)
            let run = try work.run(arguments.map { $0 == "new.pem" ? "elsewhere/new.pem" : $0 })
            #expect(run.status == status && run.error.contains(words), "\(arguments): \(run.status) \(run.error)")
        }
    }

    /// Git must not merge a feed's files, or change their line ends.
    @Test func gitIsToldToKeepItsHandsOff() throws {
        let work = try FeedReleaseFixture()
        #expect(try work.folder.read("feed/.gitattributes") == Array("* -text -merge\n".utf8))
        let merge = try work.shop.shell(
            """
            git init -q . && git config user.email a@b && git config user.name a && git add feed && git commit -qm one &&
              git checkout -qb other && patchpack feed pause feed \(Self.id) --key online.pem -q && git commit -qam two &&
              git checkout -q - && rm -f *.signed && patchpack feed disable feed --key online.pem -q && git commit -qam three
            git merge other >/dev/null 2>&1 && exit 1
            patchpack feed check feed
            """)
        #expect(merge.status == 0, "the own side stays whole: \(merge.text) \(merge.error)")
    }

    @Test func feedCommandWrongNameIsRefused() throws {
        let work = try FeedReleaseFixture()
        let run = try work.run("pause", "feed", "com.example.shop.cart-totl")
        #expect(run.status == 64 && run.error.contains("did you mean \(Self.id)?"), "\(run.error)")
        #expect(try work.run("pause", "feed", Self.id, "--patch-version", "9").status == 64)
        #expect(try work.run("rollout", "feed", Self.id, "101%").status == 64)
        #expect(try work.run("rollout", "feed", Self.id, "1.234").status == 64)
        #expect(try work.run("pause", "nothing", Self.id).status != 0)
        #expect(try work.run("pause", "7.js", Self.id).status != 0)
        try work.folder.write("", to: "empty/.keep")
        let empty = try work.run("pause", "empty", Self.id)
        #expect(empty.status == 36 && empty.error.contains("patchpack feed init DIR"), "\(empty.error)")
        #expect(try work.run(FeedReleaseFixture.make("feed")).status == 73)
    }

    @Test func aPassphraseMayComeFromAPipe() throws {
        let work = try FeedReleaseFixture()
        let run = try work.shop.shell(
            """
            openssl pkcs8 -topk8 -in release.pem -out locked.pem -passout pass:x && chmod 600 locked.pem &&
              patchpack feed publish feed 8.js --rollout 100% --key locked.pem --key online.pem --passphrase-file <(echo x) \
                --trusted-key trusted.pem --script-key script.key
            """)
        #expect(run.status == 0 && run.lines.first == "published  \(Self.id) 8  to all", "\(run.text)\(run.error)")
    }

    @Test func aPercentageKeepsWhatItCounts() throws {
        let work = try FeedReleaseFixture(isEmpty: true)
        try #require(
            try work.publish(["7.js"], "--rollout", "10%", "--rollout-unit", "user", "--seed", "wave-1").status == 0)
        let wider = try work.run("rollout", "feed", Self.id, "50%")
        #expect(wider.lines.first == "offered to 50% by user  \(Self.id) 7", "\(wider.error)")
        let users = try Dictionary(grouping: (1...20).map { "user-\($0)" }) {
            try Rollout.bucket(of: $0, seed: "wave-1") < 5000
        }
        let (inside, outside) = (try #require(users[true]?.first), try #require(users[false]?.first))
        for (user, version, code) in [
            (inside, "2.3.1", "offered"), (outside, "2.3.1", "rollout"), (inside, "2.5.0", "app-version"),
        ] {
            let preview = try work.run(["preview", "feed", "--app-version", version, "--user", user])
            #expect(preview.lines == ["\(code)  \(Self.id) 7"], "\(user): \(preview.text)\(preview.error)")
        }
    }

    @Test func aDryRunWritesNothing() throws {
        let work = try FeedReleaseFixture()
        let before = try work.folder.contents()
        let timestamp = try work.folder.read("feed/metadata/timestamp.json")
        let run = try work.publish(["8.js"], "--dry-run")
        #expect(run.status == 0 && run.text.contains("would write  feed"), "\(run.error)")
        #expect(try work.run("withdraw", "feed", Self.id, "--dry-run").status == 0)
        #expect(try work.publish(["8.js"], "--dry-run", "--stage", with: FeedReleaseFixture.online).status == 0)
        #expect(try work.folder.contents() == before)
        #expect(try work.folder.read("feed/metadata/timestamp.json") == timestamp)
    }

    /// A signature may take minutes, but nothing keeps the kill switch waiting.
    @Test func theKillSwitchWaitsForNobody() throws {
        let work = try FeedReleaseFixture()
        let run = try Tool.shell(
            """
            patchpack feed switch feed a=1 --root feed/metadata/1.root.json --signature-command \
              'touch started; while [ ! -e go ]; do sleep 0.1; done; false' &
            until [ -e started ]; do sleep 0.1; done
            patchpack feed disable feed --key online.pem --reason 'data loss' || exit 1
            touch go; ! wait $!
            """, in: work.folder.path)
        #expect(run.status == 0 && run.text.contains("disabled  all patches"), "\(run.text) \(run.error)")
    }

    @Test(arguments: [
        ("switch feed a= --key online.pem", "the switch a is empty"),
        ("switch feed 'a= ' --key online.pem", "the switch a is empty"),
        ("rotate feed , --threshold 1", "no role to rotate"),
        ("deploy feed --to out --allow-http", "--allow-http without a URL: out is a folder"),
    ])
    func changeWithoutEffectExits64(line: String, says: String) throws {
        let work = try FeedReleaseFixture()
        let run = try Tool.shell("patchpack feed \(line)", in: work.folder.path)
        #expect(run.status == 64 && run.error.contains(says), "\(run.status) \(run.error)")
        #expect(!work.folder.exists("out"))
    }

    @Test func signatureCommandAnswerIsNoSignatureIsSaidSo() throws {
        let work = try FeedReleaseFixture()
        for option in ["", "--stage"] {
            let run = try Tool.shell(
                "patchpack feed switch feed a=1 --root feed/metadata/1.root.json --signature-command 'echo hello' \(option)",
                in: work.folder.path)
            #expect(
                run.status == 31 && run.error.contains("a signature of 6 bytes is not by a key of this feed"),
                "\(run.error)")
        }
    }

    /// A card's agent goes on in the background, and keeps the pipe to the tool open.
    @Test func signatureCommandLeavesAProcessWithThePipeDoesNotWaitForIt() throws {
        let work = try FeedReleaseFixture()
        let run = try Tool.shell(
            """
            timeout 60 "$TOOL" feed switch feed a=1 --root feed/metadata/1.root.json --signature-command \
              'sleep 3000 & echo $! >>agents; cat >in; openssl pkeyutl -sign -rawin -inkey online.pem -in in'
            status=$?; kill $(cat agents); exit $status
            """, in: work.folder.path)
        #expect(run.status == 0 && run.text.contains("a=1"), "\(run.status) \(run.error)")
    }

    /// The release key is on another machine: first with `openssl`, then with a command.
    @Test func aChangeIsSignedElsewhere() throws {
        let work = try FeedReleaseFixture()
        let staged = try work.publish(["8.js"], "--stage", with: FeedReleaseFixture.online)
        #expect(
            staged.status == 0 && staged.text.contains("waits  for the release key (role targets): 1 more of "),
            "\(staged.error)")
        #expect(try work.codes() == ["7 offered"])
        #expect(try work.run("resume", "feed", Self.id).status == 78)
        #expect(
            try work.run(["sign", "feed", "--detach", "-o", "payload", "--root", "feed/metadata/1.root.json"]).status
                == 0)
        try work.folder.write("not a signature", to: "wrong")
        #expect(try work.run("sign", "feed", "--attach", "wrong", "--yes").status == 31)
        let signed = try work.shop.shell(
            """
            openssl pkeyutl -sign -rawin -inkey release.pem -in payload -out sig &&
              patchpack feed sign feed --attach sig --key online.pem --yes
            """)
        #expect(signed.status == 0, "\(signed.error)")
        #expect(try work.codes() == ["8 offered", "7 superseded"])
        #expect(try work.run("sign", "feed").status == 78)

        try work.folder.write(ReleaseFixture.script.replacing("@version  7", with: "@version  9"), to: "9.lua")
        try #require(try work.shop.pack("9.lua").status == 0)
        let command = "cat >in && openssl pkeyutl -sign -rawin -inkey release.pem -in in && echo run >>log"
        let run = try work.publish(["9.js"], "--signature-command", command, with: FeedReleaseFixture.online)
        #expect(run.status == 0, "\(run.error)")
        #expect(try work.folder.read("log") == Array("run\n".utf8), "it is asked only for what nothing else signs")
        #expect(try work.codes().first == "9 offered")
    }

    @Test(arguments: ["root", "targets", "rollout", "snapshot", "timestamp"])
    func eachRoleIsRotated(role: String) throws {
        let work = try FeedReleaseFixture()
        let status = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        let roles = try #require(status["roles"] as? [String: [String: Any]])
        let old = try #require((roles[role]?["keyIDs"] as? [String])?.first)
        let keys = ["root.pem", "release.pem", "online.pem", "new.pem"].flatMap { ["--key", $0] }
        let run = try work.run(
            ["rotate", "feed", role, "--add", "new-public.pem", "--remove", String(old.prefix(12))] + keys)
        #expect(run.status == 0, "\(run.error)")
        #expect(try work.run(["check", "feed", "--root", "feed/metadata/1.root.json"]).status == 0)
        // With the new key in place of the old one, the feed still works.
        let next = (role == "targets" ? ["new", "online"] : ["root", "release", "online", "new"]).flatMap {
            ["--key", "\($0).pem"]
        }
        #expect(try work.run(["withdraw", "feed", Self.id] + next).status == 0)
        #expect(try work.codes() == ["7 withdrawn"])
        #expect(try work.run(["rotate", "feed", role, "--remove", old] + keys).status == 78)
    }

    @Test func promotionIsByteForByte() throws {
        let work = try FeedReleaseFixture()
        try #require(try work.run(FeedReleaseFixture.make("release") + ["--environment", "release-eu"]).status == 0)
        let keys = FeedReleaseFixture.online + FeedReleaseFixture.release
        let run = try work.run(
            ["promote", "feed", "release", Self.id, "--rollout", "100%"] + keys + FeedReleaseFixture.envelopes)
        #expect(run.status == 0, "\(run.error)")
        #expect(try work.codes(of: "release") == ["7 offered"])
        let files = try work.folder.contents().filter { $0.hasSuffix("cart-total-7.js") }
        #expect(files.count == 2)
        #expect(try Set(files.map { try work.folder.read($0) }) == [try work.folder.read("7.js")])
        let other = try work.run(
            ["promote", "feed", "release", Self.id] + keys + FeedReleaseFixture.all + [
                "--trusted-key", "other.pem", "--script-key", "script.key",
            ])
        #expect(other.status == 12, "\(other.error)")
        let missing = try work.run(["promote", "none", "release", Self.id] + keys + FeedReleaseFixture.envelopes)
        #expect(missing.status == 36 && missing.error.contains("error: none: metadata/1.root.json"), "\(missing.error)")
    }

    @Test func oldVersionsArePruned() throws {
        let work = try FeedReleaseFixture()
        try #require(try work.publish(["8.js"]).status == 0)
        let run = try work.run("prune", "feed", Self.id, with: FeedReleaseFixture.online + FeedReleaseFixture.release)
        #expect(run.status == 0 && run.lines.first == "removed  \(Self.id) 7", "\(run.error)")
        #expect(try work.codes() == ["8 offered"])
        #expect(try work.run(["check", "feed"]).status == 0)
        // A withdrawal stays, for devices that were offline. A pruned version comes back only with its own bytes.
        try #require(try work.run("withdraw", "feed", Self.id).status == 0)
        let nothing = try work.run(
            "prune", "feed", Self.id, with: FeedReleaseFixture.online + FeedReleaseFixture.release)
        #expect(nothing.lines.first == "nothing to remove", "\(nothing.text)\(nothing.error)")
        #expect(try work.codes() == ["8 withdrawn"])
        try work.folder.write(ReleaseFixture.script + "-- other\n", to: "7.lua")
        let sound = try work.folder.read("7.js")
        try #require(try work.shop.pack("7.lua", "--force").status == 0)
        #expect(try work.publish(["7.js"]).status == 38)
        try work.folder.write(sound, to: "7.js")
        #expect(try work.publish(["7.js"]).status == 0)
    }

    @Test func aTrustStoreSaysWhichPatchesItEnds() throws {
        let work = try FeedReleaseFixture()
        try #require(try work.shop.run("trust", "add", "store", "trusted.pem", "--name", "first").status == 0)
        try #require(try work.shop.run("trust", "add", "store", "new-public.pem", "--name", "second").status == 0)
        let keys = FeedReleaseFixture.online + FeedReleaseFixture.release
        let words = "warning: \(FeedReleaseFixture.id) 7 is signed by no other key, so devices drop it"
        let good = try work.run(["trust", "feed", "store"] + keys)
        #expect(good.status == 0 && !good.error.contains(words), "\(good.error)")
        try #require(try work.shop.run("trust", "revoke", "store", "first").status == 0)
        let ending = try work.run(["trust", "feed", "store"] + keys)
        #expect(ending.status == 0 && ending.error.contains(words), "\(ending.error)")
        let check = try work.run(["check", "feed"])
        #expect(
            check.error.contains("7 is signed only by keys that the delivered trust store refuses"), "\(check.error)")
        // A device of this feed refuses it too.
        let preview = ["preview", "feed", "--app-version", "2.3.1"]
        let refused =
            "refused  \(FeedReleaseFixture.id) 7  it is signed only by keys that the delivered trust store refuses"
        #expect(try work.run(preview).lines == [refused])
        #expect(
            try work.run(preview + ["--format", "json"]).objects().map { $0["offered"] as? Bool } == [false])
        try #require(try work.run("shadow", "feed", Self.id).status == 0)
        #expect(try work.run(preview).lines == [refused], "nor does it run it in shadow")
    }

    @Test func feedCommandWrongRootOrMissingFileIsNamed() throws {
        let work = try FeedReleaseFixture()
        for line in [
            ["check", "feed"], ["preview", "feed", "--app-version", "1"], ["status", "feed"], ["log", "feed"],
            ["deploy", "feed", "--to", "www"], ["pause", "feed", Self.id] + FeedReleaseFixture.online,
        ] {
            let run = try work.run(line + ["--root", "trusted.pem"])
            #expect(run.status == 30 && run.error.hasPrefix("patchpack: error: trusted.pem: not JSON"), "\(run.error)")
            #expect(run.error.contains("hint: name the feed's 1.root.json"), "\(run.error)")
        }
        try #require(try work.shop.shell("rm feed/metadata/timestamp.json").status == 0)
        let device = ["--app-version", "1", "--app", "com.example.shop", "--store", "d"] + FeedReleaseFixture.envelopes
        for run in [
            try work.run(["check", "feed"]), try work.run(["preview", "feed", "--app-version", "1"]),
            try Tool.run(Tool.patchpack, ["sync", "feed"] + device, in: work.folder.path),
        ] {
            let says = "error: feed: metadata/timestamp.json: the feed does not have this file"
            #expect(run.status == 36 && run.error.contains(says), "\(run.error)")
        }
    }

    @Test func feedRolesSharedKeyIsRefused() throws {
        let work = try FeedReleaseFixture()
        let keys = ["root.pem", "release.pem", "online.pem"].flatMap { ["--key", $0] }
        #expect(try work.run(["rotate", "feed", "targets", "--add", "online-public.pem"] + keys).status == 78)
        #expect(try work.run(["rotate", "feed", "rollout", "--add", "release-public.pem"] + keys).status == 78)
        var make = FeedReleaseFixture.make("other")
        make[make.count - 1] = "release.pem"
        #expect(try work.run(make).status == 78)
        #expect(!work.folder.exists("other"))
    }

    @Test func aStagedListThatWasChangedIsRefused() throws {
        let work = try FeedReleaseFixture()
        try #require(try work.publish(["8.js"], "--stage", with: FeedReleaseFixture.online).status == 0)
        let list = String(decoding: try work.folder.read("feed/staged/list.json"), as: UTF8.self)
        try work.folder.write(list.replacing("active", with: "paused"), to: "feed/staged/list.json")
        let run = try work.run("sign", "feed", "--yes", with: FeedReleaseFixture.online + FeedReleaseFixture.release)
        #expect(run.status == 34, "\(run.error)")
        #expect(try work.run(["sign", "feed", "--detach", "--role", "root", "-o", "payload"]).status != 0)
        #expect(try work.run(["sign", "nothing", "--discard"]).status != 0)
    }

    @Test func feedStatusRoleEndsSoonExits33() throws {
        let work = try FeedReleaseFixture()
        let run = try work.run(["status", "feed", "--days", "10"])
        #expect(run.status == 33 && run.error.contains("timestamp ends in"), "\(run.error)")
        #expect(try work.run(["status", "feed", "--days", "3"]).status == 0)
    }

    /// The cron job has only the online key. The address sanitizer does not start with libfaketime.
    @Test(.disabled(if: isSanitized)) func aFeedIsRefreshedForMonths() throws {
        let work = try FeedReleaseFixture()
        let later = try work.shop.shell(
            "faketime '+25 days' \"$TOOL\" feed refresh feed --key online.pem --format json")
        #expect(later.status == 0, "\(later.error)")
        let changes = try #require(try later.objects().first?["changes"] as? [String])
        #expect(changes == ["renewed  rollout 3", "renewed  snapshot 3", "renewed  timestamp 3"])
        let late = try work.shop.shell("faketime '+300 days' \"$TOOL\" feed refresh feed --key online.pem")
        #expect(late.status == 0 && late.error.contains("the role root ends in 6"), "\(late.error)")
        let expired = try work.shop.shell("faketime '+400 days' \"$TOOL\" feed check feed")
        #expect(expired.status == 33, "\(expired.error)")
    }

    @Test func aDamagedFeedIsNotSignedOver() throws {
        let work = try FeedReleaseFixture()
        let path = "feed/metadata/2.targets.json"
        let sound = try work.folder.read(path)
        let changed = String(decoding: sound, as: UTF8.self).replacing(#""length":"#, with: #""length":1"#)
        for bytes in [Array(changed.utf8), [], Array("{}".utf8)] {
            try work.folder.write(bytes, to: path)
            let run = try work.publish(["8.js"])
            #expect(run.status == 34 && run.error.contains("is not the feed's"), "\(run.status) \(run.error)")
            #expect(try (30...35).contains(work.run(["check", "feed"]).status))
        }
        try work.folder.write(sound, to: path)
        #expect(try work.publish(["8.js"]).status == 0)
    }

    @Test func changesWaitForEachOther() throws {
        let work = try FeedReleaseFixture()
        let run = try work.shop.shell(
            """
            for i in 1 2 3 4 5 6 7 8; do patchpack feed switch feed a$i=$i --key online.pem & done; wait
            patchpack feed check feed && cat feed/targets/rollout/*.json
            """)
        #expect(run.status == 0, "\(run.error)")
        #expect(
            run.lines.contains { line in (1...8).allSatisfy { line.contains("\"a\($0)\":\"\($0)\"") } }, "\(run.text)")
    }
}
