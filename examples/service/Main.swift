import Foundation
import PatchDevice
import PatchHTTP

/// A service of several workers. Each is a process of its own, and all share a port and a folder. `service job` is a
/// job of the same service, which uses its functions, and so launches its patches, but never syncs.
///
/// `examples/service/run.py` starts four workers, and patches them while they are under load.
@main
struct Main {
    static func main() async throws {
        signal(SIGPIPE, SIG_IGN)  // a client may go
        let settings = try Settings(ProcessInfo.processInfo.environment)

        // What patches can replace: decisions, below the code that speaks HTTP.
        let registry = PatchRegistry()
        let allows = try registry.replaceable("Files.allows") { (path: String) -> Bool in !path.isEmpty }
        let lines = try registry.replaceable("Files.lines") { (path: String) -> Int in 2 }

        let patches = PatchDevice(
            host: try HostInfo(app: "com.example.files", version: "1.0"), registry: registry,
            folder: settings.state + "/patches",
            feed: .init(
                root: settings.root, source: try HTTPSource(settings.feed, settings: HTTPSettings(allowsHTTP: true))),
            trust: PatchTrust(settings.trust, scriptKeys: settings.scriptKey),
            configuration: .init(
                settings: SyncSettings(groups: settings.groups), log: .init(folder: settings.state + "/events"),
                onEvent: { event in
                    // A service has a logger. Its levels have the names of the severities.
                    FileHandle.standardError.write(Data("\(getpid()) \(event.severity) \(event.name): \(event)\n".utf8))
                }))
        // Before the launch, which a signal that ends the process would make a failed one.
        let (sigterm, drained) = (arrival(of: SIGTERM), arrival(of: SIGUSR1))
        let terminated = Task { for await _ in sigterm {} }
        // Before the first request, so that it is answered by the patches that are held.
        patches.launch()
        if CommandLine.arguments.contains("job") {
            await terminated.value
            return patches.end()
        }
        // The feed may have news since this process ended: a patch that closes a hole, or the end of one. If it hangs,
        // a service that is to end does not wait for it.
        let news = Task { await patches.sync() }
        Task {
            await terminated.value
            news.cancel()
        }
        _ = await news.value

        let server = try FileServer(port: settings.port) { path in
            if path == "/metrics" { return (200, PatchMetric.openMetrics(registry.metrics)) }
            if path == "/crash" { fatalError("a fault that no patch touches") }
            guard allows(path) else { return (403, "") }
            return (200, ["first", "second", "third"].prefix(lines(path)).joined(separator: "\n"))
        }
        server.start()

        let service = Task { await patches.run(every: settings.interval, confirmAfter: settings.interval) }
        // A worker that drains answers its connections, and leaves the folder to the others.
        Task {
            for await _ in drained {}
            service.cancel()
        }
        await terminated.value
        // In this order: no request is lost, and the launch ends in an orderly way.
        server.stop()
        service.cancel()
        await service.value
    }

    /// Ends at a signal, such as SIGTERM, which systemd, Kubernetes and Docker send.
    private static func arrival(of number: Int32) -> AsyncStream<Never> {
        let (stream, end) = AsyncStream.makeStream(of: Never.self)
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            source.cancel()
            end.finish()
        }
        source.resume()
        return stream
    }
}

/// The settings of the service, from its environment.
struct Settings {
    let port: UInt16
    let state: String
    let feed: String
    let groups: Set<String>
    let interval: Duration
    let root: [UInt8]
    let trust: TrustStore
    let scriptKey: ScriptKey

    struct Missing: Error {
        let name: String
    }

    init(_ environment: [String: String]) throws {
        func value(_ name: String) throws -> String {
            guard let value = environment[name] else { throw Missing(name: name) }
            return value
        }
        func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: try value(name)))) }
        guard let port = UInt16(try value("PORT")) else { throw Missing(name: "PORT") }
        self.port = port
        // systemd sets it if the unit has StateDirectory=.
        state = try value("STATE_DIRECTORY")
        feed = try value("PATCH_FEED")
        groups = Set((environment["PATCH_GROUPS"] ?? "").split(separator: ",").map(String.init))
        interval = .milliseconds(Int(environment["PATCH_INTERVAL_MILLISECONDS"] ?? "") ?? 60_000)
        root = try bytes("PATCH_ROOT")
        trust = try TrustStore(trusting: [VerifyingKey(pem: bytes("PATCH_TRUSTED_KEY"))])
        scriptKey = try ScriptKey(decoding: SecretBytes(bytes("PATCH_SCRIPT_KEY")))
    }
}
