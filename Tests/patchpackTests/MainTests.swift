import TestSupport
import Testing

@Suite(.ownThreads) struct MainTests {
    #if os(Linux)
        /// On a crash, the Swift runtime would start any `./swift-backtrace`.
        @Test func aCrashRunsNothing() throws {
            let run = try Tool.shell(
                """
                mkfifo pipe; SWIFT_BACKTRACE=enable=yes patchpack inspect pipe & exec 3>pipe
                while ! grep -q SigCgt /proc/$!/status; do :; done; sleep 0.3
                pid=$(pgrep -P $! -f inspect || echo $!); grep SigCgt /proc/$pid/status; kill $pid
                """)
            let mask = try #require(run.lines.last?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) })
            for crash in [3, 4, 5, 6, 7, 8, 11] {
                #expect(mask & 1 << (crash - 1) == 0, "signal \(crash): \(run.text)")
            }
        }
    #endif
}
