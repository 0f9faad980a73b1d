import Foundation
import PatchCrypto
import TestSupport
import Testing

#if os(Linux)
    /// The writes of a launch of the shop, call by call. They happen before the first screen.
    @Suite(.ownThreads) struct LaunchCostTests {
        private let work: FeedReleaseFixture

        init() throws {
            work = try FeedReleaseFixture()
            try #require(try work.shop.shell("cp feed/metadata/1.root.json .").status == 0)
            // The shop names no algorithm, which a key of RSA needs: a trust store does.
            var store = TrustStoreFile()
            try store.add(TrustedKey(TestKeys.signing.verifyingKey, name: "release"))
            try work.folder.write(store.encoded(), to: "trusted.keys")
        }

        /// Launches the shop, which confirms, syncs, goes to the background, comes back and ends.
        ///
        /// - Parameter feed: The feed's folder. A missing folder simulates a missing network.
        /// - Returns: The calls that change the disk, such as `write 80`.
        private func launch(feed: String) throws -> [String] {
            let library = try #require(FaultTests.library)
            let environment = ["LD_PRELOAD": library.at("faults.so"), "FAULT_TRACE": work.folder.at("trace")]
            try? FileManager.default.removeItem(atPath: work.folder.at("trace"))
            let run = try Tool.run(
                Tool.shop,
                ["--feed", feed, "--root", "1.root.json", "--store", "device"] + FeedReleaseFixture.envelopes
                    + ["--trusted-key", "trusted.keys"],
                environment: environment, in: work.folder.path)
            try #require(run.status == 0, "\(run.error)")
            guard work.folder.exists("trace") else { return [] }
            return String(decoding: try work.folder.read("trace"), as: UTF8.self).split(separator: "\n").map(
                String.init)
        }

        @Test func aLaunchWithNothingHeldWritesNothing() throws {
            // The first one notes which installation it is.
            #expect(try launch(feed: "none") != [])
            #expect(try launch(feed: "none") == [])
        }

        @Test func aLaunchWithoutAChangeWritesOneLineDurably() throws {
            // It is downloaded, good, and has proved itself.
            for _ in 0..<3 { _ = try launch(feed: "feed") }
            #expect(
                try work.shop.shell("\"$TOOL\" store why device \(FeedReleaseFixture.id)").text.contains("good"))
            // The start of the launch must be flushed, but its confirmation need not be.
            #expect(try launch(feed: "none") == ["write 80", "fsync 0", "write 80"])
            #expect(try launch(feed: "none") == ["write 80", "fsync 0", "write 80"])
        }
    }
#endif
