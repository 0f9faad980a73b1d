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

    /// Lines of devices that activated the patch at this moment, or compared it. It failed on some of them, in shadow
    /// if they compared it.
    ///
    /// - Parameter place: The members of the events that name the app and, if it is known, the environment.
    private func report(
        _ devices: Range<Int>, failing: Int, secondsAgo: Int = 0, as event: String = "activated", version: Int = 7,
        in place: String = #""service.name":"com.example.shop""#
    ) throws {
        let seconds = Int(Date().timeIntervalSince1970) - secondsAgo
        let time = try #require(Timestamp(secondsSince1970: seconds)).description.dropLast()
        func line(_ event: String, _ device: Int, _ more: String = "") -> String {
            #"{"schema":"patchpack.event/1","timestamp":"\#(time).900Z","resource":{"app.installation.id":"\#(device)",\#(place),"service.version":"2.3.1"},"severityNumber":9,"eventName":"\#(event)","attributes":{"patch.id":"com.example.shop.cart-total","patch.version":\#(version)\#(more)}}"#
        }
        let lines = devices.flatMap { device in
            let failure = event == "compared" ? line(event, device, #","shadow.failed":1"#) : line("failed", device)
            return [line(event, device)] + (device - devices.lowerBound < failing ? [failure] : [])
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "events/\(devices.lowerBound).jsonl")
    }

    /// Runs the script, and returns its output and the offered entry.
    ///
    /// - Parameter seconds: How far the clock is moved on. Times of a feed are whole seconds, and a step must begin in
    ///   a second of its own.
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

    /// Devices go on shadowing a patch that is live until they sync. They are no evidence.
    @Test func advanceDevicesThatStillShadowAreNotCounted() throws {
        func advance(_ gates: String...) throws -> Tool {
            try Tool.run(
                Tool.patchpack,
                ["feed", "advance", "feed", "com.example.shop.cart-total", "--events", "events", "--soak", "0s"]
                    + ["--key", "online/signing.pem"] + gates.flatMap { ["--gate", $0] }, in: folder.path)
        }
        try report(1000..<3000, failing: 0, as: "loaded")
        try report(3000..<5000, failing: 0, as: "compared")
        try report(0..<50, failing: 0)
        let few = try advance("differs<1%", "failing<5%")
        #expect(few.text.contains("50 of 100 new devices have reported"), "\(few.text)\(few.error)")
        #expect(
            few.text.contains("failing<5%: 0.0 % of 50 devices, between") && !few.text.contains("differs"),
            "\(few.text)")
        // On so many of 4,150 devices, it would be no failure.
        try report(50..<150, failing: 60)
        let bad = try advance("failing<5%")
        #expect(
            bad.status == 20 && bad.error.contains("failing<5%: 40.0 % of 150 devices, between"),
            "\(bad.text)\(bad.error)")
        // Nothing would hold a live patch back.
        let alone = try advance("differs<1%")
        #expect(
            alone.status == 64 && alone.error.contains("--gate 'differs<1%' decides only in shadow"), "\(alone.error)")
    }

    /// What was not written has not happened.
    @Test func advanceTrialSaysWhatWouldBe() throws {
        try report(0..<150, failing: 60)
        let line = [
            "feed", "advance", "feed", "com.example.shop.cart-total", "--events", "events", "--soak", "0s", "--key",
            "online/signing.pem", "--gate", "failing<5%",
        ]
        let trial = try Tool.run(Tool.patchpack, line + ["--dry-run"], in: folder.path)
        #expect(trial.status == 20 && trial.error.contains("7 would be paused: failing<5%"), "\(trial.error)")
        let real = try Tool.run(Tool.patchpack, line, in: folder.path)
        #expect(real.status == 20 && real.error.contains("7 is paused: failing<5%"), "\(real.error)")
        #expect(real.error.contains("hint: deploy it, look into it, and then: "), "\(real.error)")
    }

    @Test func aGoodPatchReachesEverybody() throws {
        #expect(try step().says.contains("waits  com.example.shop.cart-total 7: no event has come"))
        try report(0..<150, failing: 0)
        var now = try step()
        #expect(now.says.contains("failing<0.5%: 0.0 % of 150 devices, between 0.0 % and 2.28 %"), "\(now.says)")
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

    /// A pause or a withdrawal changes no figure: the devices that only shadowed a live patch remain no evidence.
    @Test func aStoppedPatchIsJudgedAsBefore() throws {
        try report(1000..<2000, failing: 0, secondsAgo: 60, as: "compared")
        try report(0..<10, failing: 10, secondsAgo: 60)
        func judged() throws -> [String] {
            try Tool.run(
                Tool.patchpack, ["report", "events", "--feed", "feed", "--gate", "failing<5%"], in: folder.path
            ).lines
        }
        func isCrossed(_ line: String) -> Bool {
            line.hasPrefix("crossed  failing<5%  com.example.shop.cart-total 7: 100.0 % of 10 devices, between")
        }
        let before = try judged()
        #expect(before.contains(where: isCrossed), "\(before)")
        for change in ["pause", "withdraw"] {
            let run = try Tool.patchpack(
                "feed", change, "feed", "com.example.shop.cart-total", "--key", "online/signing.pem", in: folder.path)
            try #require(run.status == 0, "\(run.error)")
            let after = try judged()
            #expect(after.contains(where: isCrossed), "\(change): \(after)")
        }
        // They all launch again, and some still run it.
        try report(10..<20, failing: 0, secondsAgo: -2)
        try report(3000..<4000, failing: 0, secondsAgo: -2, as: "compared")
        let lines = try judged()
        let heard = ": of 10 devices heard of since, 0 no longer have it  0.0 %"
        #expect(lines.contains { $0.hasSuffix(heard) }, "\(lines)")
    }

    /// A patch that was paused in shadow has failed on those that shadowed it.
    @Test func advanceInShadowIsJudgedAsBeforeThePause() throws {
        func advance() throws -> Tool {
            try Tool.shell(
                """
                faketime '+4 seconds' "$TOOL" feed advance feed com.example.shop.cart-total --events events \
                  --soak 0s --steps shadow,1%,100% --gate 'failing<0.5%' --gate 'failures<1%' --key online/signing.pem
                """, in: folder.path)
        }
        try publishLower(6)
        let shadow = try Tool.shell(
            """
            faketime '+2 seconds' "$TOOL" feed shadow feed com.example.shop.cart-total --patch-version 7 --rollout 100% \
              --key online/signing.pem
            """, in: folder.path)
        try #require(shadow.status == 0, "\(shadow.error)")
        try report(0..<300, failing: 12, secondsAgo: -3, as: "compared")
        let paused = try advance()
        #expect(paused.error.contains("7 is paused in shadow: failing<0.5%: 4.00 % of 300"), "\(paused.error)")
        let again = try advance()
        #expect(
            again.error.contains("7 is paused in shadow because of failing<0.5%, which is now: 4.00 % of 300 devices"),
            "\(again.error)")
    }

    /// The devices of an earlier step are not new in a later one, however few events are to count.
    @Test func advanceSinceMakesNoDeviceNew() throws {
        let hour = 3600
        let wider = try Tool.shell(
            """
            faketime '+5 hours' "$TOOL" feed rollout feed com.example.shop.cart-total 25% --key online/signing.pem
            """, in: folder.path)
        try #require(wider.status == 0, "\(wider.error)")
        try report(0..<100, failing: 0, secondsAgo: -hour)
        try #require(try Tool.shell("mv events/0.jsonl events/first.jsonl", in: folder.path).status == 0)
        try report(0..<100, failing: 0, secondsAgo: -9 * hour)
        func advance() throws -> Tool {
            try Tool.shell(
                """
                faketime '+10 hours' "$TOOL" feed advance feed com.example.shop.cart-total --events events --since 4h \
                  --fresh 2h --gate 'failing<50%' --key online/signing.pem
                """, in: folder.path)
        }
        let old = try advance()
        #expect(
            old.text.contains("0 of 100 new devices have reported since this step began"), "\(old.text)\(old.error)")
        try report(100..<200, failing: 0, secondsAgo: -9 * hour)
        let new = try advance()
        #expect(new.text.contains("-> offered to 100% by installation"), "\(new.text)\(new.error)")
    }

    private func advance(_ gates: String..., after seconds: Int = 0) throws -> Tool {
        try Tool.shell(
            """
            faketime '+\(seconds) seconds' "$TOOL" feed advance feed com.example.shop.cart-total --patch-version 7 \
              --events events --soak 0s --key online/signing.pem \(gates.map { "--gate '\($0)'" }.joined(separator: " "))
            """, in: folder.path)
    }

    /// Apps may share a script, and environments share all of them. What other devices do is no evidence for these.
    @Test(arguments: [
        #""service.name":"com.example.other""#,
        #""service.name":"com.example.shop","deployment.environment.name":"debug""#,
    ])
    func advanceEventsOfOthersAreLeftOut(_ place: String) throws {
        try report(0..<150, failing: 150)
        try report(1000..<20_000, failing: 0, in: place)
        let bad = try advance("failing<1%")
        #expect(bad.status == 20 && bad.error.contains("is paused: failing<1%: 100.0 %"), "\(bad.text)\(bad.error)")
        #expect(bad.text.contains("note  19,000 events of other apps or environments left out"), "\(bad.text)")
    }

    @Test func advanceFailuresOfOthersPauseNothing() throws {
        try report(
            0..<1000, failing: 0, in: #""service.name":"com.example.shop","deployment.environment.name":"release""#)
        try report(1000..<2000, failing: 1000, in: #""service.name":"com.example.other""#)
        let good = try advance("failing<1%")
        #expect(good.text.contains("widened") && good.status == 0, "\(good.text)\(good.error)")
        try report(2000..<3000, failing: 1000)
        let files = ["report", "events", "--gate", "failing<50%", "--format", "json"]
        let feed = try Tool.run(Tool.patchpack, files + ["--feed", "feed"], in: folder.path)
        let report = try JSONValue(parsing: feed.output)
        #expect(report["input"]?["elsewhere"]?.number == 2000 && report["devices"]?.number == 2000, "\(feed.error)")
    }

    /// Publishes a version below the one that is offered.
    private func publishLower(_ version: Int) throws {
        let run = try Tool.shell(
            """
            mkdir older && sed '/@version/s/7/\(version)/' "$CHECKOUT/examples/patches/cart-total.lua" >cart-total.lua &&
              patchpack pack cart-total.lua -o older --no-lint -q --signing-key keys/signing.pem --script-key keys/script.key &&
              patchpack feed publish feed older/cart-total.js --rollout 100% --allow-lower -q --key release/signing.pem \
                --key online/signing.pem --trusted-key keys/trusted.pem --script-key keys/script.key
            """, in: folder.path)
        try #require(run.status == 0, "\(run.error)")
    }

    /// A version that only devices name is not the version before: anyone can name one.
    @Test func advancePreviousVersionIsListed() throws {
        try publishLower(5)
        try report(0..<4000, failing: 20, version: 5)
        try report(4000..<8000, failing: 600)
        try report(8000..<8001, failing: 0, version: 6)
        let bad = try advance("failing<previous+0.2%", after: 1)
        #expect(bad.status == 20 && bad.error.contains("; version 5: 0.50 %"), "\(bad.text)\(bad.error)")
        let options = ["--gate", "failing<previous+0.2%", "--patch", "com.example.shop.cart-total"]
        let feed = try Tool.run(Tool.patchpack, ["report", "events", "--feed", "feed"] + options, in: folder.path)
        let crossed = "crossed  failing<previous+0.2%  com.example.shop.cart-total 7: 15.0 %"
        #expect(feed.text.contains(crossed), "\(feed.text)")
        let none = try Tool.run(Tool.patchpack, ["report", "events"] + options, in: folder.path)
        #expect(none.text.contains("; version 6, which no feed confirms: 0.0 %"), "\(none.text)")
    }

    /// Five machines: a group of one, a group of two, and the rest.
    @Test func advanceFiveMachinesGoesByGroups() throws {
        func advance(after minutes: Int, gates: String = "--gate failing=0 --gate rolled-back=0") throws -> Tool {
            try Tool.shell(
                """
                faketime '+\(minutes) minutes' "$TOOL" feed advance feed com.example.shop.cart-total --events events \
                  --soak 10m --new-devices 1 --steps 'group canary,group eu,100%' --key online/signing.pem \(gates)
                """, in: folder.path)
        }
        // It was at 1 percent, which is none of five.
        let canary = try advance(after: 0)
        #expect(canary.text.contains("waits") && canary.text.contains("no event has come"), "\(canary.text)")
        let begin = try Tool.shell(
            """
            patchpack feed withdraw feed com.example.shop.cart-total --key online/signing.pem -q &&
              sed '/@version/s/7/8/' "$CHECKOUT/examples/patches/cart-total.lua" >cart-total.lua && mkdir next &&
              patchpack pack cart-total.lua -o next --no-lint -q --signing-key keys/signing.pem --script-key keys/script.key &&
              patchpack feed publish feed next/cart-total.js --group canary -q --key release/signing.pem \
                --key online/signing.pem --trusted-key keys/trusted.pem --script-key keys/script.key
            """, in: folder.path)
        try #require(begin.status == 0, "\(begin.error)")
        try report(0..<1, failing: 0, secondsAgo: -180, version: 8)
        let young = try advance(after: 12)
        #expect(young.text.contains("0 of 1 new devices have had it for 10 min"), "\(young.text)\(young.error)")
        let eu = try advance(after: 15)
        #expect(
            eu.lines.first
                == "widened  com.example.shop.cart-total 8  offered to group canary -> offered to groups canary, eu",
            "\(eu.text)\(eu.error)")
        try report(1..<3, failing: 0, secondsAgo: -1080, version: 8)
        // A percentage of three devices decides nothing.
        let share = try advance(after: 30, gates: "--gate 'failing<0.5%'")
        #expect(share.text.contains("devices more would do, but all events are of 3"), "\(share.text)")
        #expect(
            share.text.contains(
                " devices, more than the 3 devices in the events: take an exact gate such as failing=0"),
            "\(share.text)")
        let rest = try advance(after: 30)
        #expect(rest.text.contains("-> offered to 100% by installation, and groups canary, eu"), "\(rest.text)")
        try report(3..<5, failing: 1, secondsAgo: -2400, version: 8)
        let bad = try advance(after: 42)
        #expect(
            bad.status == 20 && bad.error.contains("is paused: failing=0: 1 of 5 devices"), "\(bad.text)\(bad.error)")
    }

    /// A gate that the devices of a step cannot decide says so, with what could.
    @Test func advanceTooFewDevicesSaysSo() throws {
        try report(0..<2, failing: 0)
        try report(2..<300, failing: 0, as: "launched", version: 9)
        let run = try advance("failing<0.5%")
        #expect(
            run.text.contains(
                " devices, more than 1% of the 300 devices in the events (about 3): take a larger step, or an exact gate such as failing=0"
            ), "\(run.text)\(run.error)")
        let new = "note  --new-devices 100 is more than 1% of the 300 devices in the events (about 3)"
        #expect(run.lines.contains(new), "\(run.text)")
    }

    /// The ladder begins in shadow. A pause there is undone into shadow.
    @Test func feedAdvanceShadowGoesUpTheLadder() throws {
        func advance(after seconds: Int, steps: String = "shadow,1%,100%", gate: String = "failing<0.5%") throws -> Tool
        {
            try Tool.shell(
                """
                faketime '+\(seconds) seconds' "$TOOL" feed advance feed com.example.shop.cart-total --events events \
                  --soak 0s --steps \(steps) --gate '\(gate)' --gate 'failures<1%' --key online/signing.pem
                """, in: folder.path)
        }
        func feed(_ change: String, after seconds: Int) throws -> Tool {
            try Tool.shell(
                "faketime '+\(seconds) seconds' \"$TOOL\" feed \(change) --key online/signing.pem", in: folder.path)
        }
        try publishLower(6)
        let shadow = try feed("shadow feed com.example.shop.cart-total --patch-version 7 --rollout 100%", after: 2)
        try #require(shadow.status == 0, "\(shadow.error)")
        #expect(try advance(after: 4).text.contains("waits  com.example.shop.cart-total 7: no event has come"))
        try report(0..<300, failing: 12, secondsAgo: -3)
        let bad = try advance(after: 4)
        #expect(
            bad.lines.prefix(2) == [
                "paused in shadow  com.example.shop.cart-total 7",
                "still offered  com.example.shop.cart-total 6  offered to all",
            ], "\(bad.text)")
        #expect(bad.status == 20)
        #expect(bad.error.contains("7 is paused in shadow: failing<0.5%"), "\(bad.error)")
        let resumed = try feed("resume feed com.example.shop.cart-total", after: 6)
        #expect(resumed.lines.first == "resumed in shadow  com.example.shop.cart-total 7")
        try report(2000..<4000, failing: 1, secondsAgo: -7)
        let other = try advance(after: 8, steps: "1%,100%")
        #expect(other.status == 0 && other.text.contains("7: left in shadow, to 100%"), "\(other.text)")
        #expect(other.text.contains("let --steps begin with `shadow`"))
        // No call of a patch in shadow is answered, so this would be undecided for ever.
        let calls = try advance(after: 8, gate: "time-p95<5ms")
        #expect(
            calls.status == 64
                && calls.error.contains("'time-p95<5ms' and 'failures<1%' decide only when the patch is live"),
            "\(calls.text)\(calls.error)")
        let live = try advance(after: 8)
        #expect(
            live.lines.first
                == "widened  com.example.shop.cart-total 7  in shadow, to 100% by installation -> offered to 1% by installation",
            "\(live.text)\(live.error)")
        let new = try advance(after: 10).text
        #expect(new.contains("no event has come"), "events of the shadow are no evidence: \(new)")
    }

    @Test func aBadPatchIsPaused() throws {
        try report(0..<300, failing: 12)
        var now = try step()
        #expect(now.status == 20)
        #expect(now.says.contains("is paused: failing<0.5%: 4.00 %"), "\(now.says)")
        #expect(now.entry.hasPrefix("paused "))
        // It stays paused, and the job fails, until it is resumed. The known failures do not pause it again, but new
        // ones do.
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

    /// The reason for a pause is the one that was given, whatever gate is crossed meanwhile.
    @Test func aPauseByHandIsNotBecauseOfAGate() throws {
        let pause = try Tool.shell(
            """
            faketime '+2 seconds' "$TOOL" feed pause feed com.example.shop.cart-total --reason lunch \
              --key online/signing.pem
            """, in: folder.path)
        try #require(pause.status == 0, "\(pause.error)")
        try report(0..<300, failing: 12)
        let now = try step(after: 4)
        #expect(
            now.status == 20 && now.says.contains("is paused (lunch), and failing<0.5% is crossed: 4.00 %"),
            "\(now.says)")
        #expect(!now.says.contains("because of"), "\(now.says)")
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

    @Test func rolloutStepUnreadableEventsIsStopped() throws {
        try report(0..<3000, failing: 0)
        let cut = try Tool.shell("gzip -c events/0.jsonl | head -c 40 >events/1.jsonl.gz", in: folder.path)
        try #require(cut.status == 0)
        var now = try step()
        #expect(now.status != 0 && now.says.contains("a file of events cannot be read"), "\(now.says)")
        let damaged = try Tool.shell("rm events/1.jsonl.gz; seq 1000 | sed 's/.*/{/' >events/1.jsonl", in: folder.path)
        try #require(damaged.status == 0)
        now = try step()
        #expect(now.status == 0 && now.says.contains("1,000 lines beside 3,000 events are damaged"), "\(now.says)")
        // A collector may have written only a part of its first line.
        let first = try Tool.shell("cp -r events kept && rm events/* && printf '{\"a' >events/1.jsonl", in: folder.path)
        try #require(first.status == 0)
        now = try step()
        #expect(now.status == 10, "\(now.says)")
        try #require(try Tool.shell("rm -r events && mv kept events", in: folder.path).status == 0)
        // A few damaged lines among many good ones are normal, including lines from before the patch.
        try report(5_000..<25_000, failing: 0, secondsAgo: 5 * 86_400)
        now = try step()
        #expect(now.status == 0 && !now.says.contains("damaged"), "\(now.says)")
    }

    /// One device that sends damaged lines is one of all devices, and not of those that have reported since the offer.
    @Test func advanceDamagedLinesOfOneDeviceHoldNothing() throws {
        try report(0..<91, failing: 0, secondsAgo: 5 * 86_400)
        try report(91..<100, failing: 0)
        let cut = #"{"resource":{"app.installation.id":"liar","service.name":"com.example.shop"}"#
        func advance(_ damaged: [String]) throws -> Tool {
            try folder.write(damaged.joined(separator: "\n") + "\n", to: "events/damaged.jsonl")
            return try self.advance("failing=0")
        }
        let one = try advance(Array(repeating: cut, count: 11))
        #expect(one.text.contains("waits") && !one.text.contains("damaged"), "\(one.text)\(one.error)")
        let many = try advance((0..<11).map { cut.replacing("liar", with: "liar\($0)") })
        #expect(many.text.contains("11 lines beside 100 events are damaged"), "\(many.text)\(many.error)")
    }

    @Test func advanceOneDamagedLineIsCountedAsOne() throws {
        try report(0..<5, failing: 0)
        try folder.write("{\n", to: "events/damaged.jsonl")
        let run = try advance("failing=0")
        #expect(run.text.contains(": 1 line beside 5 events is damaged"), "\(run.text)\(run.error)")
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

    /// The job takes the steps and gates of a few machines from its environment.
    @Test func rolloutScriptFewMachinesTakesGroups() throws {
        try report(0..<1, failing: 0)
        let widened = try Tool.shell(
            """
            unset -f patchpack; export PATH=$PWD/bin:$PATH PATCHPACK_FEED_KEY=online/signing.pem SOAK=0s
            export STEPS='group canary,100%' GATES='failing=0 rolled-back=0' NEW_DEVICES=1
            "$CHECKOUT/examples/rollout.sh" feed events com.example.shop.cart-total 7
            """, in: folder.path)
        #expect(
            widened.text.contains("-> offered to 1% by installation, and group canary"),
            "\(widened.text)\(widened.error)")
    }

    /// The figures are written before the job acts on them, and also if it cannot act.
    @Test(arguments: ["online", "root"]) func theJobWritesItsFiguresFirst(key: String) throws {
        try report(0..<300, failing: 12)
        let run = try Tool.shell(
            """
            unset -f patchpack; export PATH=$PWD/bin:$PATH PATCHPACK_FEED_KEY=\(key)/signing.pem SOAK=0s METRICS=$PWD/patches.prom
            "$CHECKOUT/examples/rollout.sh" feed events com.example.shop.cart-total 7 >/dev/null
            status=$?
            patchpack feed status feed com.example.shop.cart-total
            exit $status
            """, in: folder.path)
        #expect((run.status == 20) == (key == "online"), "\(run.text)\(run.error)")
        #expect(run.text.contains(key == "online" ? "7  paused" : "7  offered to 1%"), "\(run.text)\(run.error)")
        let figures = String(decoding: try folder.read("patches.prom"), as: UTF8.self)
        let crossed = figures.split(separator: "\n").filter {
            $0.hasPrefix("patchpack_gate_crossed{") && $0.contains(#"gate="failing<0.5%""#)
        }
        #expect(crossed.count == 1 && crossed[0].hasSuffix(" 1"), "\(figures)")
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
        #expect(try Tool.patchpack("feed", "status", "www", in: folder.path).text.contains("cart-total 7  paused"))
    }

    @Test func aCollectorThatIsDeadStopsARollout() throws {
        try report(0..<3000, failing: 0, secondsAgo: 2 * 3600)
        // A clock that was two hours ahead.
        try report(3000..<3001, failing: 0)
        let now = try Tool.patchpack(
            "feed", "advance", "feed", "com.example.shop.cart-total", "--events", "events", "--since", "3h",
            "--new-devices", "1", "--soak", "0s", "--gate", "failing<0.5%", "--key", "online/signing.pem",
            in: folder.path)
        #expect(now.status == 0)
        #expect(
            now.text.contains("the newest event is 2 h old: are events still collected?"), "\(now.text)\(now.error)")
    }

    @Test(
        arguments: [
            (["--gate", "failing<0.5%"], 64), (["--events", "events"], 64),
            (["--events", "none", "--gate", "failing<0.5%"], 66),
        ] as [([String], Int32)])
    func advanceWithoutEventsOrAGateIsRefused(options: [String], status: Int32) throws {
        let run = try Tool.run(
            Tool.patchpack,
            ["feed", "advance", "feed", "com.example.shop.cart-total", "--key", "online/signing.pem"] + options,
            in: folder.path)
        #expect(run.status == status, "\(run.text)\(run.error)")
    }
}
