import TestSupport
import Testing

@Suite(.ownThreads) struct MainTests {
    #if os(Linux)
        /// On a crash, the Swift runtime would start any `./swift-backtrace`.
        @Test func aCrashRunsNothing() throws {
            let run = try Tool.shell(
                """
                mkfifo pipe; SWIFT_BACKTRACE=enable=yes patchpack inspect pipe &
                exec 3>pipe # once the tool reads it
                pid=$(pgrep -P $! -f inspect || echo $!); grep SigCgt /proc/$pid/status; kill $pid
                """)
            let mask = try #require(run.lines.last?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) })
            for crash in [3, 4, 5, 6, 7, 8, 11] {
                #expect(mask & 1 << (crash - 1) == 0, "signal \(crash): \(run.text)")
            }
        }

        /// The tool opens libzip by one of its names. Here both names are of another library.
        @Test func aMissingLibzipIsReported() throws {
            let run = try Tool.shell(
                """
                zlib=$(ldd "$TOOL" | sed -n 's/.*libz\\.so.* => \\([^ ]*\\).*/\\1/p'); cp "$zlib" libzip.so.4; cp "$zlib" libzip.so.5
                LD_LIBRARY_PATH=$PWD:$LD_LIBRARY_PATH "$TOOL" inspect cart.js
                """)
            #expect(run.status == 69 && run.error.contains("libzip cannot be used: "), "\(run.error)")
        }
    #endif
}
