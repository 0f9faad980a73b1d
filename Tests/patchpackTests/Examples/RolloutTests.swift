import TestSupport
import Testing

/// The script that widens a rollout while devices report nothing bad.
@Suite(.ownThreads) struct RolloutTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        let prepare = try Tool.shell(
            """
            mkdir dist events bin && ln -s '\(Tool.patchpack)' bin/patchpack && patchpack keygen --algorithm ed25519 -o keys -q &&
              
              for key in root release online; do patchpack keygen --algorithm ed25519 -o $key -q || exit; done &&
              patchpack pack '\(Tool.root)/examples/patches/cart-total.lua' -o dist --no-lint -q \
                --signing-key keys/signing.pem --script-key keys/script.key &&
              patchpack feed init feed --app com.example.shop -q --root-key root/signing.pem \
                --release-key release/signing.pem --online-key online/signing.pem &&
              patchpack feed publish feed dist/cart-total.js --rollout 1% -q --key release/signing.pem --key online/signing.pem \
                --trusted-key keys/trusted.pem --script-key keys/script.key
            """, in: folder.path)
        try #require(prepare.status == 0, "\(prepare.error)")
    }

    /// Lines of devices that activated the patch, and on some of which it failed.
    private func report(_ devices: Range<Int>, failing: Int) throws {
        func line(_ event: String, _ device: Int) -> String {
            #"{"schema":"patchpack.event/1","timestamp":"2026-11-22T10:00:00.000Z","resource":{"app.installation.id":"\#(device)","service.name":"com.example.shop","service.version":"2.3.1"},"severityNumber":9,"eventName":"\#(event)","attributes":{"patch.id":"com.example.shop.cart-total","patch.version":7}}"#
        }
        let lines = devices.flatMap {
            [line("activated", $0)] + ($0 - devices.lowerBound < failing ? [line("failed", $0)] : [])
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "events/\(devices.lowerBound).jsonl")
    }

    /// Runs the script, and returns what it says and what is offered then.
    private func step() throws -> (status: Int32, says: String, entry: String) {
        let run = try Tool.shell(
            """
            unset -f patchpack; export PATH=$PWD/bin:$PATH PATCHPACK_FEED_KEY=online/signing.pem
            '\(Tool.root)/examples/rollout.sh' feed events com.example.shop.cart-total 7
            """, in: folder.path)
        #expect(!run.error.contains("error"), "\(run.error)")
        let status = try Tool.shell(
            """
            patchpack feed status feed --format json | python3 -c '
            import json, sys
            entry = json.load(sys.stdin)["patches"][0]
            print(entry["state"], entry.get("rollout", {}).get("permyriad"))'
            """, in: folder.path)
        return (run.status, run.text, status.text)
    }

    @Test func aGoodPatchReachesEverybody() throws {
        try report(0..<100, failing: 0)
        var now = try step()
        #expect(now.says.contains("too early to tell"))
        #expect(now.entry == "active 100\n")
        try report(100..<2000, failing: 1)
        for (percent, permyriad) in [("5", "500"), ("25", "2500"), ("100", "10000")] {
            now = try step()
            #expect(now.status == 0)
            #expect(now.says.contains("widened to \(percent) percent"))
            #expect(now.entry == "active \(permyriad)\n")
        }
        #expect(try step().says.contains("on all devices"))
    }

    @Test func aBadPatchIsPaused() throws {
        try report(0..<300, failing: 12)
        let now = try step()
        #expect(now.status == 20)
        #expect(now.says.contains("a gate is crossed"))
        #expect(now.entry.hasPrefix("paused "))
        // Reported again, it stays paused.
        #expect(try step().entry.hasPrefix("paused "))
    }
}
