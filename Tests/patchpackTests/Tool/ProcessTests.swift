import Foundation
import TestSupport
import Testing

#if os(Linux)
    /// Streams and processes as other programs hand them over.
    @Suite(.ownThreads) struct ProcessTests {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        /// A parent such as Node.js hands a pipe over that does not block.
        @Test func standardOutputPipeThatDoesNotBlockHasTheWholeOutput() throws {
            try folder.write(
                """
                import fcntl, os, subprocess, sys, time
                command = [sys.argv[1], "pack", "--help"]
                whole = subprocess.run(command, capture_output=True).stdout
                reader, writer = os.pipe()
                fcntl.fcntl(writer, 1031, 4096)  # F_SETPIPE_SZ
                os.write(writer, b" " * 4000)
                os.set_blocking(writer, False)
                process = subprocess.Popen(command, stdout=writer, stderr=writer)
                os.close(writer)
                time.sleep(0.5)
                read = b""
                while chunk := os.read(reader, 1000):
                    read += chunk
                    time.sleep(0.01)
                print(process.wait(), len(whole) > 1000, read[4000:] == whole)
                """, to: "slow.py")
            let run = try Tool.shell(#"python3 -I slow.py "$TOOL""#, in: folder.path)
            #expect(run.lines == ["0 True True"], "\(run.text) \(run.error)")
        }

        /// The kernel ends the first process of a container by no signal that it does not handle. Only root makes such
        /// processes.
        @Test(.enabled(if: getuid() == 0), arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
        func signalToTheFirstProcessEndsIt(_ name: String, _ status: Int) throws {
            let run = try Tool.shell(
                """
                unshare --pid --fork true || { echo "no namespaces"; exit; }
                mkfifo input; sleep 60 >input & writer=$!
                unshare --pid --fork env --default-signal=INT,TERM,HUP "$TOOL" lint - <input & parent=$!
                for n in $(seq 200); do
                  read -r child </proc/$parent/task/$parent/children  # without a line end, so its status says nothing
                  [ "$(cat /proc/$child/comm 2>/dev/null)" = patchpack ] && break; sleep 0.05
                done
                # Until the tool has its handlers, the signal is lost.
                while kill -\(name) $child 2>/dev/null; do sleep 0.1; done
                wait $parent; echo $?; kill $writer
                """, in: folder.path)
            #expect(["\(status)", "no namespaces"].contains(run.lines.last), "\(run.text) \(run.error)")
        }
    }
#endif
