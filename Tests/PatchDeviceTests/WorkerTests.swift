import Foundation
import PatchCrypto
import PatchRunner
import PatchTesting
import TestSupport
import Testing

/// Workers of a service, which are processes that share a folder.
@Suite(.ownThreads) struct WorkerTests {
    private let bench: DeviceSimulator<DeviceTests.App>
    private let files: TestFolder

    init(time: Timestamp? = nil) throws {
        bench = try DeviceSimulator(app: "com.example.shop", version: "2.3.1", time: time) { try DeviceTests.App($0) }
        files = try TestFolder()
        var trust = TrustStoreFile()
        for (number, key) in bench.feed.trust.keys.enumerated() {
            try trust.add(TrustedKey(key.key, name: "key\(number)"))
        }
        try files.write(trust.encoded(), to: "trust")
        try unsafe files.write(bench.feed.scriptKey.encoded().withUnsafeBytes { unsafe Array($0) }, to: "script.key")
    }

    /// Makes a copy of the current feed's folder.
    private func write(_ name: String) throws {
        for (path, bytes) in bench.feed.files {
            let file = files.at("\(name)/\(path)")
            try FileManager.default.createDirectory(
                atPath: URL(filePath: file).deletingLastPathComponent().path, withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(filePath: file))
        }
    }

    /// Runs lines of shell that send commands to workers, and returns their answers: the worker, the word, and its
    /// role, the price of 1, and the state of the versions. `feed NAME` makes another folder the feed, and
    /// `start WORKER VERSION` starts a worker of a version of the app, or of 2.3.1. If root runs the tests,
    /// `unprivileged FILE…` gives the files to another user, and lets the workers run as that user.
    private func run(_ lines: String) throws -> [String] {
        let prelude = #"""
            AS=
            feed() { ln -sfn "$PWD/$1" feed; }
            start() {
                rm -f "in$1" "out$1"; mkfifo "in$1" "out$1"
                $AS "$WORKER" device feed trust script.key "${2:-2.3.1}" <"in$1" >"out$1" &
                eval "pid$1=$!; exec {to$1}>in$1 {from$1}<out$1"
                say "$1" launch
            }
            stop() { eval "exec {to$1}>&- {from$1}<&-; wait \$pid$1; pid$1=" 2>/dev/null; }
            say() {
                eval "[ \"\$pid$1\" ]" || return 0
                eval "echo $2 >&\$to$1"
                if eval "read -r -t 200 line <&\$from$1"; then echo "$1 $2: $line"; return; fi
                [ $? -le 128 ] || echo "worker $1 does not answer $2" >&2
                echo "$1 $2: dead"; eval "kill -9 \$pid$1" 2>/dev/null; stop "$1"
            }
            all() { for worker in 0 1 2 3; do for word; do say $worker "$word"; done; done; }
            end() { eval "echo end >&\$to$1"; stop "$1"; }
            start_all() { for worker in 0 1 2 3; do eval "[ \"\$pid$worker\" ]" || start $worker; done; }
            unprivileged() {
                [ "$(id -u)" = 0 ] || return 0
                AS="setpriv --reuid=65534 --regid=65534 --clear-groups"
                for file; do chown -R 65534:65534 "$file"; done
            }

            """#
        let worker = try #require(Tool.beside("worker"))
        let run = try Tool.shell(prelude + lines, environment: ["WORKER": worker], in: files.path)
        // The workers' own words, if they have any.
        if !run.error.isEmpty { print("workers: \(run.error)", terminator: "") }
        try #require(run.status == 0, "\(run.error)")
        return run.lines
    }

    /// What each worker has answered last, from its role on.
    private func last(_ lines: [String]) -> [String] {
        (0..<4).map { worker in
            lines.last { $0.hasPrefix("\(worker) ") }.map { String($0.drop { $0 != ":" }.dropFirst(2)) } ?? ""
        }
    }

    /// Each worker is replaced in turn, twice.
    @Test(arguments: ["0 1 2 3", "3 2 1 0", "2 0 3 1"], [false, true])
    func aPatchThatWorksBecomesGoodEverywhere(order: String, othersSyncBetween: Bool) throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        let between =
            othersSyncBetween
            ? "for other in 0 1 2 3; do [ $other = $i ] || { say $other sync; say $other confirm; }; done" : ":"
        let lines = try run(
            """
            feed one; start_all; all sync confirm
            for round in 1 2; do
                for i in \(order); do end $i; \(between); start $i; say $i sync; say $i confirm; done
            done
            all sync
            """)
        let firsts = lines.filter { $0.contains(" sync:") }.prefix(4)
        #expect(firsts.first == "0 sync: writer 8 7-trial-runs", "the first one tries it")
        #expect(firsts.dropFirst().allSatisfy { $0.hasSuffix("follower 1 7-follower") }, "\(firsts)")
        let ends = last(lines)
        #expect(ends.allSatisfy { $0.hasSuffix(" 8 7-good-runs") }, "\(lines)")
        #expect(ends.filter { $0.hasPrefix("writer") }.count == 1)
    }

    /// Two workers crash and none after them, in whichever order they sync, and whether they are restarted at once or
    /// not.
    @Test(arguments: ["0 1 2 3", "3 2 1 0", "1 3 0 2"], [false, true])
    func aPatchThatCrashesIsBannedEverywhere(order: String, areStartedAtOnce: Bool) throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        try bench.feed.publish(
            source: DeviceTests.source(8, body: "patch.replace('Shop.price', function() return -1 end)"))
        try write("two")
        let lines = try run(
            """
            feed one; start_all; all sync confirm; end 0; start 0; all sync confirm; all sync
            feed two
            for round in 1 2 3; do
                for i in \(order); do
                    say $i sync; say $i request
                    \(areStartedAtOnce ? "start_all; say $i confirm" : ":")
                done
                start_all
            done
            all sync request
            """)
        #expect(lines.filter { $0.hasSuffix(": dead") }.count == 2, "\(lines)")
        #expect(last(lines).allSatisfy { $0.hasSuffix(" 8 8-banned 7-good-runs") }, "\(lines)")
    }

    /// As in a rolling restart after which both versions go on: each launch is that of the other version.
    @Test func aPatchThatCrashesCostsTwoWorkersOfEachVersion() throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        try bench.feed.publish(
            source: DeviceTests.source(8, body: "patch.replace('Shop.price', function() return -1 end)"))
        try write("two")
        let lines = try run(
            """
            feed one
            for life in 1 2; do
                for version in 2.3.1 2.4.0; do start 0 $version; say 0 sync; say 0 confirm; end 0; done
            done
            feed two
            for life in 1 2 3 4 5; do
                for version in 2.3.1 2.4.0; do
                    start 0 $version; say 0 confirm; say 0 sync; say 0 request; [ ! "$pid0" ] || end 0
                done
            done
            """)
        #expect(lines.filter { $0.hasSuffix(": dead") }.count == 4, "\(lines)")
        let ends = lines.filter { $0.hasPrefix("0 request: writer") }.suffix(6)
        #expect(ends.count == 6 && ends.allSatisfy { $0 == "0 request: writer 8 8-banned 7-good-runs" }, "\(lines)")
    }

    /// The next version contains the fix itself. Workers of both are started, end and are killed, whoever writes.
    @Test func aGuardStaysInWorkersOfTheVersionThatItIsFor() throws {
        let body = "patch.replace('Shop.price', function(original, x) return 2 end, {otherwise = 0})"
        try bench.feed.publish(source: DeviceTests.source(7, body: body).replacing(">=2.0.0", with: "<2.4.0"))
        try write("one")
        let lines = try run(
            #"""
            feed one; start 0; start 1; for life in 1 2; do say 0 sync; say 0 confirm; end 0; start 0; done; say 1 sync
            echo good
            start 2 2.4.0; say 2 sync; say 1 sync; say 0 sync
            kill -9 $pid0; stop 0; start 0 2.4.0; say 0 sync; say 1 sync; say 1 confirm
            end 2; say 1 sync; kill -9 $pid0; stop 0; start 0; say 0 sync; start 2 2.4.0; say 2 sync; say 1 sync
            kill -9 $pid1; stop 1; say 0 sync; start 1; say 1 sync; say 2 sync
            """#)
        let tail = lines.drop { $0 != "good" }.dropFirst()
        let new = tail.filter { $0.contains(" 1 7-") }
        let old = tail.filter { !$0.contains(" 1 7-") }
        #expect(tail.count == 18 && new.count == 7, "\(lines)")
        #expect(new.allSatisfy { $0.hasSuffix(" 1 7-app-version") }, "\(new)")
        #expect(old.allSatisfy { $0.hasSuffix(" 2 7-good-runs") || $0.hasSuffix(" 2 7-trial-runs") }, "\(old)")
    }

    /// As each daemon does. The folder was given with a relative path.
    @Test func aWorkerThatLeavesItsWorkingFolderKeepsTheDevicesFolder() throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        let lines = try run(
            """
            mkdir elsewhere; feed one; start 0; say 0 sync; say 0 confirm; end 0
            for life in 1 2 3 4; do start 0; say 0 leave; say 0 confirm; end 0; done
            start 0
            """)
        #expect(lines.last == "0 launch: writer 8 7-good-runs", "\(lines)")
        let leaving = lines.filter { $0.hasPrefix("0 leave:") }
        #expect(leaving.count == 4 && leaving.allSatisfy { !$0.contains("store-failed") }, "\(lines)")
    }

    @Test func theNextWorkerTakesThePlaceOfAWriterThatWasKilled() throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        let lines = try run(
            """
            feed one; start_all; all sync confirm
            kill -9 $pid0; stop 0
            say 2 confirm; say 2 sync; say 1 sync; say 2 request; say 2 confirm; say 1 sync; start 0
            """)
        let tail = lines.suffix(7)
        #expect(
            tail == [
                // A killed process is a failed launch, so a complete launch without a failure comes first.
                "2 confirm: follower 1 7-follower", "2 sync: writer 8 7-trial-runs", "1 sync: follower 1 7-follower",
                "2 request: writer 8 7-trial-runs", "2 confirm: writer 8 7-trial-runs",
                "1 sync: follower 1 7-follower", "0 launch: follower 1 7-follower",
            ], "\(tail)")
    }

    /// The writer's news from the feed reaches the others at their next sync, without a network.
    @Test func followersObeyTheFeed() throws {
        let patch = try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        try bench.feed.withdraw(patch)
        try write("withdrawn")
        try bench.feed.resume(patch)
        try write("resumed")
        try bench.feed.disable()
        try write("disabled")
        try bench.feed.enable()
        try write("enabled")
        let lines = try run(
            """
            feed one; start_all; all sync confirm; end 0; start 0; all sync confirm; all sync
            for name in withdrawn resumed disabled enabled; do
                feed $name; all sync; end 0; start 0; all confirm sync
            done
            """)
        let syncs = lines.filter { $0.hasPrefix("3 sync:") }.suffix(8)
        #expect(
            syncs == [
                "3 sync: follower 1 7-withdrawn", "3 sync: follower 1 7-withdrawn",
                "3 sync: follower 1 7-follower", "3 sync: follower 8 7-good-runs",
                "3 sync: follower 1 7-disabled", "3 sync: follower 1 7-disabled",
                "3 sync: follower 8 7-good-runs", "3 sync: follower 8 7-good-runs",
            ], "\(syncs)")
    }

    /// The order of calls in which a service that confirms too early once never stopped crashing.
    @Test func aServiceThatConfirmsTooEarlyCrashesTwiceInTenStarts() throws {
        try bench.feed.publish(
            source: DeviceTests.source(8, body: "patch.replace('Shop.price', function() return -1 end)"))
        try write("bad")
        let lines = try run(
            """
            feed bad
            for start in {1..10}; do start 0; say 0 confirm; say 0 sync; say 0 request; [ ! "$pid0" ] || end 0; done
            """)
        #expect(lines.filter { $0.hasSuffix(": dead") }.count == 2, "\(lines)")
        #expect(lines.last == "0 request: writer 1 8-banned", "\(lines)")
    }

    /// Its `otherwise` does not help a patch that crashes the process while its script loads. The crash is known to be
    /// its own.
    @Test func aPatchThatCrashesWhileItLoadsIsBannedAfterTwoCrashes() throws {
        let body = "patch.replace('Shop.price', function(original, x) return x end, {otherwise = -1})"
        try bench.feed.publish(source: DeviceTests.source(7, body: body))
        try write("one")
        try bench.feed.publish(source: DeviceTests.source(8, body: "print('')\n" + body))
        try write("two")
        let lines = try run(
            """
            feed one; start 0; say 0 sync; say 0 confirm; end 0; start 0; say 0 confirm; end 0
            feed two; for start in {1..5}; do start 0; say 0 confirm; say 0 sync; [ ! "$pid0" ] || end 0; done
            """)
        #expect(lines.filter { $0.hasSuffix(": dead") }.count == 2, "\(lines)")
        #expect(lines.last == "0 sync: writer 1 8-banned 7-good-runs", "\(lines)")
    }

    /// The writer is killed through code that no patch touches, five times. What was closed in it is closed in all.
    @Test func aClosedPatchIsClosedInAllWorkers() throws {
        let body = "patch.replace('Shop.price', function(original, x) return 2 end, {otherwise = 0})"
        let patch = try bench.feed.publish(source: DeviceTests.source(7, body: body))
        try write("one")
        try bench.feed.withdraw(patch)
        try write("withdrawn")
        let lines = try run(
            """
            feed one; start_all; all sync confirm; end 0; start 0; all sync confirm; all sync
            writer() { for worker in 0 1 2 3; do say $worker request; case $line in writer*) return; esac; done; }
            for kill in 1 2 3 4 5; do
                writer; victim=$worker; eval "kill -9 \\$pid$victim"; stop $victim; start $victim; all sync
            done
            feed withdrawn; all sync; all sync
            """)
        let answers = lines.filter { $0.contains(" sync: ") }.suffix(28).map { line in
            ["1", "2"].first { line.contains(" \($0) 7-") } ?? "0"
        }
        try #require(answers.count == 28, "\(lines)")
        #expect(!answers.prefix(20).contains("1"), "\(lines)")
        #expect(Set(answers[12..<20]) == ["0"], "closed: \(lines)")
        #expect(Set(answers.suffix(4)) == ["1"], "\(lines)")
        #expect(
            lines.contains { $0.hasSuffix("follower 0 7-closed") }
                && lines.contains { $0.hasSuffix("writer 0 7-closed") })
    }

    /// Four workers that only call `run()`, with an interval and a confirmation of half a second: a good patch, a patch
    /// that crashes at the first request, a withdrawal, and the end of each.
    @Test func aServiceOfFourWorkers() throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("good")
        let bad = try bench.feed.publish(
            source: DeviceTests.source(8, body: "patch.replace('Shop.price', function() return -1 end)"))
        try write("bad")
        try bench.feed.withdraw(bad)
        try bench.feed.withdraw(PatchID(id: DeviceTests.id, version: 7))
        try write("withdrawn")
        let lines = try run(
            #"""
            serve() {
                for worker in 0 1 2 3; do eval "[ \"\$pid$worker\" ]" || { start $worker; say $worker run; }; done
            }
            # Asks each worker until all answer so, and restarts who dies.
            await() {
                for try in {1..1000}; do
                    count=0
                    for worker in 0 1 2 3; do
                        say $worker request
                        case $line in *" $1") count=$((count + 1)) ;; esac
                    done
                    serve
                    [ $count = 4 ] && { echo "all $1"; return; }
                    sleep 0.05
                done
            }
            mkdir empty; feed good; serve
            await "8 7-good-runs"; feed bad
            await "8 8-banned 7-good-runs"; feed withdrawn
            await "1 8-banned 7-withdrawn"
            for worker in 0 1 2 3; do end $worker; done
            start 0
            """#)
        let phases = lines.split(whereSeparator: { $0.hasPrefix("all ") })
        try #require(lines.count { $0.hasPrefix("all ") } == 3, "\(lines.suffix(40))")
        let tries = Set(phases[0].filter { $0.contains("7-trial-runs") }.map { $0.prefix(1) })
        // On a busy machine, all requests may come before or after the trial.
        #expect(tries.count <= 1, "one worker tries it: \(phases[0])")
        #expect(phases[1].filter { $0.hasSuffix(": dead") }.count == 2, "\(phases[1])")
        #expect(lines.filter { $0.hasSuffix(": dead") }.count == 2)
        #expect(lines.last == "0 launch: writer 1 8-banned 7-withdrawn")
    }

    /// The workers belong to a user who may not write the folder, whoever runs the tests.
    @Test func goodPatchesRunFromAFolderOfAnotherUser() throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        try bench.feed.publish(source: DeviceTests.source(8))
        try write("two")
        let lines = try run(
            #"""
            feed one; start 0; say 0 sync; end 0; start 0; say 0 confirm; end 0
            chmod 755 .; chmod -R a=rX device one two trust script.key; unprivileged
            feed two; start 0; say 0 confirm; say 0 sync; say 0 sync; start 1; end 0; say 1 sync; end 1
            chmod a= device; start 0; say 0 sync; end 0
            chmod u=rwx device
            """#)
        // Another reason for the same event within a second is not reported. At a launch there may be two, the lock and
        // the state.
        let tail = lines.drop { $0 != "0 confirm: writer 8 7-good-runs" }.dropFirst().map {
            $0.replacing("sync: store-failed", with: "sync:")
                .replacing("store-failed store-failed", with: "store-failed")
        }
        #expect(
            tail == [
                "0 launch: store-failed writer 8 7-good-runs", "0 confirm: writer 8 7-good-runs",
                "0 sync: sync-failed writer 8 7-good-runs", "0 sync: writer 8 7-good-runs",
                "1 launch: store-failed writer 8 7-good-runs", "1 sync: sync-failed writer 8 7-good-runs",
                "0 launch: store-failed writer 1 0-unwritable", "0 sync: sync-failed writer 1 0-unwritable",
            ], "\(tail)")
    }

    /// The disk is full, or was made read-only, while four workers run. Withdrawn patches end in all of them. Once the
    /// disk works again, new patches come through the writer, in whose life nothing has crashed.
    @Test(arguments: [false, true]) func aWithdrawalReachesAllWorkersOfAFolderThatCannotBeWritten(
        isWriterRestarted: Bool
    ) throws {
        let patch = try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        try bench.feed.disable()
        try write("disabled")
        try bench.feed.enable()
        try bench.feed.withdraw(patch)
        try write("withdrawn")
        try bench.feed.resume(patch)
        try write("resumed")
        let lines = try run(
            #"""
            mkdir device; chmod 755 .; chmod -R a=rX one disabled withdrawn resumed trust script.key
            unprivileged device
            feed one; start_all; all sync confirm; end 0; start 0; all sync confirm; all sync
            for i in 0 1 2 3; do end $i; start $i; done; all sync confirm; all sync
            chmod -R a-w device
            feed disabled; all sync
            feed withdrawn; all sync
            \#(isWriterRestarted ? "for i in 0 1 2 3; do end $i; start $i; done; all sync" : "all sync")
            chmod -R u+w device
            feed resumed; all sync; all sync confirm; all sync
            """#)
        let syncs = lines.filter { $0.contains(" sync: ") }
        // The last twelve are those after the folder can be written again.
        let blocked = syncs.dropLast(12).suffix(12)
        let healed = syncs.suffix(4)
        #expect(blocked.prefix(4).allSatisfy { $0.hasSuffix(" writer 1 7-disabled") }, "\(lines)")
        #expect(blocked.suffix(8).allSatisfy { $0.hasSuffix(" writer 1 7-withdrawn") }, "\(lines)")
        #expect(healed.allSatisfy { $0.hasSuffix(" 8 7-good-runs") }, "\(lines)")
        #expect(healed.filter { $0.contains("writer") }.count == 1, "\(lines)")
    }

    /// The disk is full when the process ends, or when it is killed: its own end can be written, or is no failure of a
    /// good patch.
    @Test(arguments: ["end 0", "kill -9 $pid0; stop 0"]) func aFullDiskOpensNoHole(end: String) throws {
        let body = "patch.replace('Shop.price', function(original, x) return 2 end, {otherwise = 0})"
        try bench.feed.publish(source: DeviceTests.source(7, body: body))
        try write("one")
        let lines = try run(
            #"""
            mkdir device; chmod 755 .; chmod -R a=rX one trust script.key; unprivileged device
            feed one; start 0; say 0 sync; say 0 confirm; say 0 confirm
            # Existing files can be written, and none can be made or renamed.
            find device -type d -exec chmod a-w {} +
            for start in 1 2 3; do \#(end); start 0; done
            chmod -R u+w device
            """#)
        #expect(lines[3].hasSuffix("writer 2 7-good-runs"), "\(lines)")
        let launches = lines.filter { $0.contains(" launch: ") }.dropFirst()
        #expect(launches.count == 3 && launches.allSatisfy { $0.contains(" writer 2 7-") }, "\(lines)")
    }

    /// A worker that becomes the writer while the folder cannot be written does not keep the role from another one
    /// later.
    @Test func aPlaceThatWasTakenInVainIsFree() throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        let lines = try run(
            #"""
            mkdir device; chmod 755 .; chmod -R a=rX one trust script.key; unprivileged device
            feed one; start_all; all sync confirm; end 0; start 0; all sync confirm; all sync
            for i in 0 1 2 3; do end $i; start $i; done; all sync confirm; all sync
            chmod -R a-w device
            for i in 0 1; do end $i; done; for i in 2 3; do say $i sync; done
            chmod -R u+w device
            say 3 sync; start 0; for i in 2 3 0 2 3 0; do say $i sync; done
            """#)
        let last = lines.filter { $0.contains(" sync: ") }.suffix(3)
        #expect(last.allSatisfy { $0.hasSuffix(" 8 7-good-runs") }, "\(lines)")
        #expect(last.filter { $0.contains("writer") }.count == 1, "\(lines)")
        #expect(last.filter { $0.contains("follower") }.count == 2, "\(lines)")
    }

    @Test func aContainerWithoutAVolumeSyncsAtTheStart() throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        let lines = try run(
            """
            feed one
            for start in 1 2 3; do rm -rf device; start 0; say 0 sync; say 0 confirm; say 0 request; end 0; done
            """)
        #expect(lines.filter { $0 == "0 request: writer 8 7-trial-runs" }.count == 3, "\(lines)")
    }

    /// The tool makes a folder with good patches when the image is built. It is read-only, and there is no feed.
    @Test func aContainerHasPatchesInItsImage() throws {
        // The tool uses the system's clock.
        let today = try WorkerTests(time: Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)))
        try today.bench.feed.publish(source: DeviceTests.source(7))
        try today.write("one")
        let lines = try today.run(
            #"""
            for time in 1 2; do
                patchpack sync one -q --store device --app com.example.shop --app-version 2.3.1 \
                    --root one/metadata/1.root.json --trust-store trust --script-key script.key >tool || exit
                patchpack store confirm device >tool
            done
            mkdir none; cp -R one/metadata none/; rm -f none/metadata/t*; feed none
            chmod 755 .; chmod -R a=rX device none trust script.key; unprivileged
            for start in 1 2 3; do start 0; say 0 sync; say 0 confirm; kill -9 $pid0; stop 0; done
            chmod -R u+w device
            """#)
        #expect(lines.count == 9 && lines.allSatisfy { $0.hasSuffix(" writer 8 7-good-runs") }, "\(lines)")
    }

    /// The tool runs no patch, and shows the stage that an app would have.
    @Test func storePatchInShadowShowsItsStage() throws {
        let today = try WorkerTests(time: Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)))
        try today.bench.feed.shadow(today.bench.feed.publish(source: DeviceTests.source(7)))
        try today.write("one")
        let lines = try today.run(
            #"""
            patchpack sync one --store device --app com.example.shop --app-version 2.3.1 \
                --root one/metadata/1.root.json --trust-store trust --script-key script.key | head -n 1
            patchpack store why device com.example.shop.price
            patchpack store status device --format json
            """#)
        let why = "shadow  com.example.shop.price 7  it runs in shadow: it is compared with the answers, and gives none"
        #expect(
            lines.prefix(2) == [
                "shadow  com.example.shop.price 7  the device runs it in shadow, so that it does not answer", why,
            ])
        #expect(lines.last?.contains(#""code":"shadow""#) == true, "\(lines)")
    }

    /// Each version of the app has a part of the folder, and the tool acts on all of them.
    @Test func storeSeveralVersionsOfTheAppActsOnAll() throws {
        let today = try WorkerTests(time: Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)))
        try today.bench.feed.publish(source: DeviceTests.source(7).replacing(">=2.0.0", with: "<2.4.0"))
        try today.bench.feed.publish(source: DeviceTests.source(8).replacing(">=2.0.0", with: ">=2.4.0"))
        try today.write("one")
        let lines = try today.run(
            #"""
            for version in 2.3.1 2.4.0; do
                patchpack sync one -q --store device --app com.example.shop --app-version $version \
                    --root one/metadata/1.root.json --trust-store trust --script-key script.key >tool || exit
            done
            patchpack store why device com.example.shop.price
            patchpack store why device com.example.shop.price --format json
            patchpack store ban device com.example.shop.price
            patchpack store status device | cut -d ' ' -f -4
            patchpack store clear device 2>tool
            patchpack store status device
            """#)
        let own = "it is activated at the next launch"
        let other = "it is for other versions of the app, or the app is older than the feed's lowest version"
        let name = "com.example.shop.price"
        #expect(
            lines.prefix(4) == [
                "downloaded  \(name) 8  in 2.4.0: \(own)", "app-version  \(name) 7  in 2.4.0: \(other)",
                "app-version  \(name) 8  in 2.3.1: \(other)", "downloaded  \(name) 7  in 2.3.1: \(own)",
            ], "\(lines)")
        #expect(lines.dropFirst(4).prefix(4).allSatisfy { $0.contains(#""appVersion":"2."#) }, "\(lines)")
        #expect(
            lines.dropFirst(8) == [
                "com.example.shop 2.4.0, the last", "banned  \(name) 8", "banned  \(name) 7",
                "com.example.shop 2.3.1, the last", "banned  \(name) 8", "banned  \(name) 7",
                "com.example.shop 2.4.0, the last launch was not confirmed",
                "com.example.shop 2.3.1, the last launch was not confirmed",
            ], "\(lines)")
    }

    /// The next launch may read it, so this one does not write another.
    @Test func aStateThatCannotBeReadIsNotReplaced() throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        let lines = try run(
            #"""
            unprivileged .; chmod 755 .
            feed one
            for start in 1 2; do start 0; say 0 sync; say 0 confirm; end 0; done
            chmod 000 device/versions/2.3.1/state; start 0; say 0 sync; say 0 confirm; end 0
            chmod 600 device/versions/2.3.1/state; start 0; say 0 confirm
            """#)
        #expect(lines.contains("0 confirm: writer 1 0-unwritable"), "\(lines)")
        #expect(lines.last == "0 confirm: writer 8 7-good-runs", "\(lines)")
    }

    /// A fork of the process that opened the folder has no lock, and its calls still work.
    @Test func aForkFollows() throws {
        try bench.feed.publish(source: DeviceTests.source(7))
        try write("one")
        let lines = try run(
            """
            feed one; start 0; say 0 sync; say 0 confirm; end 0; start 0; say 0 confirm; end 0; start 0
            say 0 fork; say 0 request
            start 1
            """)
        #expect(
            lines.suffix(3) == [
                "0 fork: forked child follower 8 7-good-runs", "0 request: follower 8 7-good-runs",
                "1 launch: follower 8 7-good-runs",
            ], "\(lines)")
    }

    #if os(Linux)
        /// Old files go, unless another process has one open, also where only a file that is open for writing can be
        /// locked alone. Where there are no locks, no process can say that it has a file open. The last file's end is
        /// the beginning of the new one, so it is not old.
        @Test(arguments: [
            ("FAULT_NFS", ["events-1000.jsonl", "events-3000.jsonl"]), ("FAULT_LOCKLESS", ["events-3000.jsonl"]),
        ])
        func anEventLogRemovesOldFilesThatNoOtherProcessHas(_ fault: String, stay: [String]) throws {
            try bench.feed.publish(source: DeviceTests.source(7))
            try write("one")
            let lines = try run(
                """
                clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
                "$clang" -shared -fPIC -o faults.so "$CHECKOUT/Tests/patchpackTests/Faults/faults.c"
                mkdir events; for start in 1000 2000 3000; do echo '{}' >events/events-$start.jsonl; done
                exec 9<events/events-1000.jsonl; flock -s 9
                AS="env EVENTS=events LD_PRELOAD=$PWD/faults.so \(fault)=1"
                feed one; start 0; end 0; ls events
                """)
            let files = lines.filter { $0.hasPrefix("events-") }
            #expect(files.filter { $0.utf8.count < 20 } == stay && files.count == stay.count + 1, "\(lines)")
        }
    #endif
}
