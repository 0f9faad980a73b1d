import Foundation
import Synchronization

/// A server that ended or did not listen in time, and its output.
struct NotListening: Error {
    let log: String
}

/// A server from Debian's packages on loopback, which ends with the test.
public final class WebServer: Sendable {
    public let port: Int
    private let process: Mutex<pid_t?>

    /// The ports that this process has used. Each is used once, so no test connects to another test's server.
    private static let used = Mutex<Set<Int>>([])

    /// Starts a server, and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - folder: Its working folder.
    ///   - command: Makes a line of shell that runs it in the foreground on a port.
    public init(in folder: String, _ command: (Int) throws -> String) throws {
        OwnThreads.areRequired()
        let environment = Tool.environment.map { "\($0)=\($1)" }
        var log = ""
        // A server of another process may take a port at any moment.
        for _ in 0..<20 {
            let port = Self.unusedPort()
            let process = try Tool.spawn(
                ["/bin/bash", "-c", "cd \"$0\" && exec \(try command(port)) 2>&1", folder], environment,
                streams: ["/dev/null", "\(folder)/server-\(port).log", "/dev/null"])
            defer { log = (try? String(contentsOfFile: "\(folder)/server-\(port).log", encoding: .utf8)) ?? "" }
            let end = ContinuousClock.now + .seconds(30)
            var isRunning = true
            while isRunning, ContinuousClock.now < end {
                if Self.listens(process, on: port) {
                    self.port = port
                    self.process = Mutex(process)
                    return
                }
                isRunning = waitpid(process, nil, WNOHANG) == 0
                usleep(20_000)
            }
            if isRunning { Self.end(process) }
        }
        throw NotListening(log: log)
    }

    deinit { stop() }

    /// Ends the server before the test ends.
    public func stop() {
        // After it is reaped, the number may belong to another process.
        guard let process = process.withLock({ $0.take() }), waitpid(process, nil, WNOHANG) == 0 else { return }
        Self.end(process)
    }

    private static func unusedPort() -> Int {
        while true {
            let port = Int.random(in: 20_000...32_000)  // below the ports that the system gives to clients
            if used.withLock({ $0.insert(port).inserted }) { return port }
        }
    }

    /// Whether the process itself listens on a port. A reply from another server must not count.
    private static func listens(_ process: pid_t, on port: Int) -> Bool {
        let sockets = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { table -> [String] in
            guard let text = try? String(contentsOfFile: table, encoding: .utf8) else { return [] }
            return text.split(separator: "\n").dropFirst().compactMap { line in
                let fields = line.split(separator: " ")
                guard fields.count > 9, fields[3] == "0A" else { return nil }  // the state of a listening socket
                guard fields[1].split(separator: ":").last.flatMap({ Int($0, radix: 16) }) == port else { return nil }
                return "socket:[\(fields[9])]"
            }
        }
        let folder = "/proc/\(process)/fd"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.contains { file in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(file)")).map(sockets.contains)
                ?? false
        }
    }

    private static func end(_ process: pid_t) {
        kill(process, SIGTERM)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }
}
