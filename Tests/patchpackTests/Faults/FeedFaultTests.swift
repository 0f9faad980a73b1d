import Foundation
import TestSupport
import Testing

#if os(Linux)
    /// Makes each call that writes fail, or kills the process in it, while a feed is changed.
    ///
    /// The feed is sound at every moment, nothing that was published is changed, and the same command works afterwards.
    struct FeedFaultTests {
        private static let keys = ["root.pem", "release.pem", "online.pem", "new.pem"].flatMap { ["--key", $0] }
        static let commands = [
            ["publish", "feed", "8.js"] + FeedWorkshop.envelopes + keys, ["withdraw", "feed", FeedWorkshop.id] + keys,
            ["rotate", "feed", "timestamp", "--add", "new-public.pem"] + keys, ["refresh", "feed"] + keys,
            ["publish", "feed", "8.js", "--stage", "--key", "online.pem"] + FeedWorkshop.envelopes,
        ]

        @Test(arguments: commands)
        func theFeedIsSoundAfterEveryFault(_ command: [String]) throws {
            let library = try #require(FaultTests.library)
            let environment = ["LD_PRELOAD": library.at("faults.so"), "ASAN_OPTIONS": "detect_leaks=0"]
            let sound = try FeedWorkshop()
            let counting = environment.merging(["FAULT_COUNTS": sound.folder.at("counts")]) { $1 }
            try #require(try sound.run(command, environment: counting).status == 0)
            let counts = String(decoding: try sound.folder.read("counts"), as: UTF8.self).split(separator: "\n")
            var points = 0
            var work = try FeedWorkshop()
            for line in counts {
                let fields = line.split(separator: " ")
                for number in stride(from: 0, to: Int(fields[1]) ?? 0, by: faultStride) {
                    for effect in testsMayBeLong ? ["28", "kill"] : [number.isMultiple(of: 2) ? "kill" : "28"] {
                        points += 1
                        let fault = "\(fields[0]):\(number + 1):\(effect)"
                        let before = try work.versioned()
                        let run = try work.run(command, environment: environment.merging(["FAULT": fault]) { $1 })
                        let after = try work.versioned()
                        let kept = after.filter { before[$0.key] != nil && !$0.key.contains("/staged/") }
                        #expect(
                            kept == before.filter { !$0.key.contains("/staged/") },
                            "\(fault): a published file was changed")
                        let check = try work.run(["check", "feed"])
                        #expect(check.status == 0, "\(fault): \(check.error)")
                        guard after.count != before.count || run.status == 0 || effect == "kill" else { continue }
                        _ = try work.run(["sign", "feed", "--discard"])
                        let next = try work.run(command)
                        #expect(next.status == 0, "after \(fault): \(next.error)")
                        #expect(try work.run(["check", "feed"]).status == 0, "after \(fault)")
                        work = try FeedWorkshop()
                    }
                }
            }
            #expect(points >= 5, "\(points)")
        }
    }
#endif
