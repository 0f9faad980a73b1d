import Foundation

/// A server of Debian's packages on loopback, which ends with the test.
public final class WebServer: Sendable {
    public let port: Int
    private let process: pid_t

    /// Starts a server, and waits until it takes connections.
    ///
    /// - Parameters:
    ///   - folder: Its working folder.
    ///   - command: Makes a line of shell that runs it in the foreground on a port.
    public init(in folder: String, _ command: (Int) throws -> String) throws {
        let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        // Another process may take a port at any moment.
        for _ in 0..<20 {
            let port = Int.random(in: 20_000...50_000)
            let process = try Tool.spawn(
                ["/bin/bash", "-c", "cd \"$0\" && exec \(try command(port)) 2>&1", folder], environment,
                streams: ["/dev/null", "\(folder)/server-\(port).log", "/dev/null"])
            let wait = try Tool.shell(
                """
                for i in {1..600}; do
                  (exec 3<>/dev/tcp/127.0.0.1/\(port)) 2>/dev/null && exit 0
                  kill -0 \(process) && ! grep -q '^State:.Z' /proc/\(process)/status || exit 1
                  sleep 0.05
                done
                exit 1
                """)
            if wait.status == 0 {
                self.port = port
                self.process = process
                return
            }
            Self.end(process)
        }
        throw CocoaError(.executableLoad)
    }

    deinit { Self.end(process) }

    /// Ends the server before the test does.
    public func stop() { Self.end(process) }

    private static func end(_ process: pid_t) {
        // Once it is reaped, the number may be another process's.
        guard waitpid(process, nil, WNOHANG) == 0 else { return }
        kill(process, SIGTERM)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }
}
