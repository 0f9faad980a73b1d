import Foundation
import PatchCrypto
import TestSupport
import Testing

/// The script that widens a rollout while devices report no errors.
@Suite(.ownThreads) struct RolloutTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        let prepare = try Tool.shell(
            """
            mkdir dist events bin && ln -s "$TOOL" bin/patchpack && patchpack keygen --profile modern -o keys -q &&
              
              for key in root release online; do patchpack keygen --profile modern -o $key -q || exit; done &&
              patchpack pack "$CHECKOUT/examples/patches/cart-total.lua" -o dist --no-lint -q \
                --signing-key keys/signing.pem --script-key keys/script.key &&
              patchpack feed init feed --app com.example.shop -q --root-key root/signing.pem \
                --release-key release/signing.pem --online-key online/signing.pem &&
              patchpack feed publish feed dist/cart-total.js --rollout 1% -q --key release/signing.pem --key online/signing.pem \
                --trusted-key keys/trusted.pem --script-key keys/script.key
            """, in: folder.path)
        try #require(prepare.status == 0, "\(prepare.error)")
    }

    /// Lines of devices that activated the patch at this moment. It failed on some of them.
    private func report(_ devices: Range<Int>, failing: Int, secondsAgo: Int = 0) throws {
        let seconds = Int(Date().timeIntervalSince1970) - secondsAgo
        let time = try #require(Timestamp(secondsSince1970: seconds)).description.dropLast()
        func line(_ event: String, _ device: Int) -> String {
            #"{"schema":"patchpack.event/1","timestamp":"\#(time).900Z","resource":{"app.installation.id":"\#(device)","service.name":"com.example.shop","service.version":"2.3.1"},"severityNumber":9,"eventName":"\#(event)","attributes":{"patch.id":"com.example.shop.cart-total","patch.version":7}}"#
        }
        let lines = devices.flatMap {
            [line("activated", $0)] + ($0 - devices.lowerBound < failing ? [line("failed", $0)] : [])
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "events/\(devices.lowerBound).jsonl")
    }

    /// Runs the script, and returns its output and the offered entry.
    ///
    /// - Parameter seconds: How far the clock is moved on. Times of a feed are whole seconds, and a step must begin in a second of
    ///   its own.
    private func step(after seconds: Int = 0, soak: String = "0s") throws -> (
        status: Int32, says: String, entry: String
    ) {
        let run = try Tool.shell(
            """
            unset -f patchpack; export PATH=$PWD/bin:$PATH PATCHPACK_FEED_KEY=online/signing.pem SOAK=\(soak)
            faketime '+\(seconds) seconds' "$CHECKOUT/examples/rollout.sh" feed events com.example.shop.cart-total 7
            """, in: folder.path)
        let status = try Tool.shell(
            """
            patchpack feed status feed --format json | python3 -c '
            import json, sys
            entry = json.load(sys.stdin)["patches"][0]
            print(entry["state"], entry.get("rollout", {}).get("permyriad"), entry.get("author"))'
            """, in: folder.path)
        return (run.status, run.text + run.error, status.text)
    }

    @Test func aGoodPatchReachesEverybody() throws {
        #expect(try step().says.contains("waits  com.example.shop.cart-total 7: no event has come"))
        try report(0..<150, failing: 0)
        var now = try step()
        #expect(now.says.contains("failing<0.5%: 0.0 %, between 0.0 % and 2.28 %"), "\(now.says)")
        #expect(now.entry.hasPrefix("active 100 "))
        for (step, (percent, basisPoints)) in [("5", "500"), ("25", "2500"), ("100", "10000")].enumerated() {
            // The old devices are not evidence for a new step.
            if step > 0 {
                let says = try self.step(after: 2 * step).says
                #expect(says.contains("0 of 100 new devices have reported since this step began"), "\(says)")
            }
            try report(2000 * (step + 1)..<2000 * (step + 2), failing: 1, secondsAgo: -2 * step)
            let later = 2 * step + 2
            #expect(try self.step(after: later, soak: "1h").says.contains("s old, and lasts 60 min"))
            now = try self.step(after: later)
            #expect(now.status == 0 && now.says.contains("-> offered to \(percent)% by installation"), "\(now.says)")
            #expect(now.entry == "active \(basisPoints) rollout.sh\n")
        }
        #expect(try step(after: 8).says.contains("complete  com.example.shop.cart-total 7: offered to 100%"))
        let log = try Tool.patchpack("feed", "log", "feed", "com.example.shop.cart-total", in: folder.path).text
        #expect(log.contains("  rollout.sh"))
        #expect(log.contains("offered to 1% by installation -> offered to 5% by installation"), "\(log)")
    }

    @Test func aBadPatchIsPaused() throws {
        try report(0..<300, failing: 12)
        var now = try step()
        #expect(now.status == 20)
        #expect(now.says.contains("is paused: failing<0.5%: 4.00 %"), "\(now.says)")
        #expect(now.entry.hasPrefix("paused "))
        // It stays paused, and the job fails, until it is resumed. The known failures do not pause it again, but new ones do.
        now = try step()
        #expect(now.status == 20 && now.says.contains("stopped  com.example.shop.cart-total 7: paused"))
        #expect(now.says.contains("is paused because of failing<0.5%, which is now: 4.00 %"))
        // Later devices without failures do not make the job pass.
        try report(1000..<9000, failing: 0)
        #expect(try step().status == 20)
        let gone = try Tool.shell("rm events/1000.jsonl", in: folder.path)
        try #require(gone.status == 0)
        let resume = try Tool.shell(
            "faketime '+2 seconds' \"$TOOL\" feed resume feed com.example.shop.cart-total --key online/signing.pem",
            in: folder.path)
        #expect(resume.status == 0)
        #expect(try step(after: 2).entry.hasPrefix("active "))
        try report(300..<400, failing: 5, secondsAgo: -3)
        #expect(try step(after: 2).status == 20)
    }

    /// A file that is still being written does not prevent a pause, but it prevents each step.
    @Test func aFileThatIsCutDoesNotHideABadPatch() throws {
        try report(0..<300, failing: 12)
        let cut = try Tool.shell("gzip -c events/0.jsonl | head -c 40 >events/1.jsonl.gz", in: folder.path)
        try #require(cut.status == 0)
        let now = try step()
        #expect(now.status == 20 && now.entry.hasPrefix("paused "), "\(now.says)")
        #expect(now.says.components(separatedBy: "1.jsonl.gz").count == 2, "it is named once: \(now.says)")
    }

    @Test func rolloutStep_unreadableEvents_isStopped() throws {
        try report(0..<3000, failing: 0)
        let cut = try Tool.shell("gzip -c events/0.jsonl | head -c 40 >events/1.jsonl.gz", in: folder.path)
        try #require(cut.status == 0)
        var now = try step()
        #expect(now.status != 0 && now.says.contains("a file of events cannot be read"), "\(now.says)")
        let damaged = try Tool.shell("rm events/1.jsonl.gz; seq 1000 | sed 's/.*/{/' >events/1.jsonl", in: folder.path)
        try #require(damaged.status == 0)
        now = try step()
        #expect(now.status == 0 && now.says.contains("1000 lines beside 3000 events are damaged"), "\(now.says)")
        // A collector may have written only a part of its first line.
        let first = try Tool.shell("cp -r events kept && rm events/* && printf '{\"a' >events/1.jsonl", in: folder.path)
        try #require(first.status == 0)
        now = try step()
        #expect(now.status == 0, "\(now.says)")
        try #require(try Tool.shell("rm -r events && mv kept events", in: folder.path).status == 0)
        // A few damaged lines among many good ones are normal, including lines from before the patch.
        try report(5_000..<25_000, failing: 0, secondsAgo: 5 * 86_400)
        now = try step()
        #expect(now.status == 0 && !now.says.contains("damaged"), "\(now.says)")
    }

    /// Before the first device reports, a folder has no event log yet.
    @Test(arguments: ["--events events", "--events events --events other"])
    func anEmptyFolderIsNoEvidence(_ folders: String) throws {
        let run = try Tool.shell(
            """
            mkdir other && cp feed/metadata/timestamp.json before
            patchpack feed advance feed com.example.shop.cart-total \(folders) --soak 0s --gate 'failing<0.5%' --key online/signing.pem
            status=$?
            cmp before feed/metadata/timestamp.json && exit $status
            """, in: folder.path)
        #expect(
            run.status == 0 && run.lines.first == "waits  com.example.shop.cart-total 7: no event has come",
            "\(run.text)\(run.error)")
    }

    /// A pause is deployed by the same run.
    @Test func aPauseIsDeployed() throws {
        try report(0..<300, failing: 12)
        let run = try Tool.shell(
            """
            unset -f patchpack; export PATH=$PWD/bin:$PATH PATCHPACK_FEED_KEY=online/signing.pem
            "$CHECKOUT/examples/rollout.sh" feed events com.example.shop.cart-total 7 www
            """, in: folder.path)
        #expect(run.status == 20)
        #expect(
            try Tool.patchpack("feed", "status", "www", in: folder.path).text.contains("cart-total 7  paused"))
    }

    @Test func aCollectorThatIsDeadStopsARollout() throws {
        try report(0..<3000, failing: 0, secondsAgo: 2 * 3600)
        let now = try Tool.patchpack(
            "feed", "advance", "feed", "com.example.shop.cart-total", "--events", "events", "--since", "3h",
            "--new-devices", "1", "--soak", "0s", "--gate", "failing<0.5%", "--key", "online/signing.pem",
            in: folder.path)
        #expect(now.status == 0)
        #expect(
            now.text.contains("the newest event is 2 h old: are events still collected?"), "\(now.text)\(now.error)")
        for wrong in [
            ["--gate", "failing<0.5%"], ["--events", "events"], ["--events", "none", "--gate", "failing<0.5%"],
        ] {
            let run = try Tool.run(
                Tool.patchpack,
                ["feed", "advance", "feed", "com.example.shop.cart-total", "--key", "online/signing.pem"] + wrong,
                in: folder.path)
            #expect(run.status == 64 || run.status == 66)
        }
    }
}
