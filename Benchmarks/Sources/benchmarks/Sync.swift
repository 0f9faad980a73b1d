import Foundation
import PatchCrypto
import PatchFeed
import PatchHTTP

/// A sync with a feed on nginx on this machine: the metadata and the list.
enum Sync {
    static func run(_ workshop: ReleaseFixture, _ tools: Tools) throws -> [Row] {
        let folder = "\(workshop.folder)/sync"
        guard Tools.has("nginx") || FileManager.default.fileExists(atPath: "/usr/sbin/nginx") else {
            print("sync: left out, because there is no nginx")
            return []
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in ["root", "release", "online"] {
            _ = try Processes.run([
                tools.patchpack, "keygen", "-q", "--profile", "modern", "-o", "\(folder)/\(name)",
            ])
        }
        _ = try Processes.run([
            tools.patchpack, "feed", "init", "-q", "\(folder)/feed", "--app", "com.example.app", "--root-key",
            "\(folder)/root/signing.pem", "--release-key", "\(folder)/release/signing.pem", "--online-key",
            "\(folder)/online/signing.pem",
        ])
        let (server, url) = try serve(folder)
        defer { server.stop() }
        var settings = HTTPSettings()
        settings.allowsHTTP = true
        let root = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/feed/metadata/1.root.json")))
        let source = try HTTPSource(url, settings: settings)
        let key = try SigningKey.generate(.ed25519)
        let payload = [UInt8](repeating: 7, count: 500)
        let envelope = try Self.signed(payload, key)
        let verifier = try EnvelopeVerifier(trustStore: TrustStore(trusting: [key.verifyingKey]), policy: .unchecked)
        let storage = Items()
        let ways: [Rounds.Way] = [
            .init("five Ed25519 signatures: verify") { count in
                for _ in 0..<count * 5 { keep(try verifier.verifySignatures(envelope)) }
            },
            .init("PatchFeed: first", against: "five Ed25519 signatures: verify") { count in
                for _ in 0..<count {
                    storage.clear()
                    try Self.sync(root, source, storage)
                }
            },
            .init("PatchFeed: nothing changed") { count in for _ in 0..<count { try Self.sync(root, source, storage) }
            },
        ]
        return try Rounds(work: "a sync on this machine", count: 10, ways: ways).run()
    }

    /// Starts nginx on a free port, and waits until it listens.
    private static func serve(_ folder: String) throws -> (Child, url: String) {
        for _ in 0..<5 {
            let port = Int.random(in: 20_000...50_000)
            try Data(
                """
                worker_processes 1; daemon off; pid nginx.pid; error_log stderr;
                events {}
                http {
                  access_log off; keepalive_requests 1000000;
                  client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
                  server { listen 127.0.0.1:\(port); root feed; }
                }
                """.utf8
            ).write(to: URL(filePath: "\(folder)/nginx.conf"))
            let server = try Child([
                "/usr/sbin/nginx", "-c", "\(folder)/nginx.conf", "-p", folder, "-g", getuid() == 0 ? "user root;" : "",
            ])
            // nginx writes this file once it listens. It ends if the port is taken.
            for _ in 0..<1000 where server.isRunning {
                if FileManager.default.fileExists(atPath: "\(folder)/nginx.pid") {
                    return (server, "http://127.0.0.1:\(port)")
                }
                Thread.sleep(forTimeInterval: 0.01)
            }
            server.stop()
        }
        throw Failure(message: "nginx does not start in \(folder)")
    }

    /// An envelope with a signature over a small payload.
    private static func signed(_ payload: [UInt8], _ key: SigningKey) throws -> [UInt8] {
        let script = PatchScript(name: "main.lua", bytes: payload)
        let manifest = try Manifest(
            id: "com.example.bench", version: 1, app: "com.example.app", replaces: ["a.b"],
            scripts: [.init(name: script.name, byteCount: script.bytes.count)])
        return try EnvelopePacker(scriptKey: .generate(.aes128CBCMD5), signingKeys: [key]).pack(manifest, [script])
    }

    private static func sync(_ root: [UInt8], _ source: HTTPSource, _ storage: Items) throws {
        guard let now = Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)) else { return }
        let done = DispatchSemaphore(value: 0)
        let fault = Fault()
        Task.detached {
            do {
                var client = try FeedClient(root: root, source: source, storage: storage, at: now)
                try await client.update()
                guard let target = try await client.target(PatchList.path(for: "com.example.app")) else {
                    throw Failure(message: "no list")
                }
                if let kept = storage.read("list.json", limit: 1 << 20), (try? target.check(kept)) != nil {
                    _ = try PatchList(decoding: kept)
                } else {
                    let bytes = try await client.contents(of: target, limit: PatchList.byteLimit)
                    try storage.write("list.json", bytes)
                    _ = try PatchList(decoding: bytes)
                }
            } catch {
                fault.error = error
            }
            done.signal()
        }
        done.wait()
        if let error = fault.error { throw error }
    }

    private final class Fault: @unchecked Sendable {
        var error: (any Error)?
    }

    /// A device's storage in memory.
    private final class Items: FeedStorage, @unchecked Sendable {
        private let lock = NSLock()
        private var items: [String: [UInt8]] = [:]

        func clear() { lock.withLock { items = [:] } }
        func read(_ name: String, limit: Int) -> [UInt8]? { lock.withLock { items[name] } }
        func write(_ name: String, _ bytes: [UInt8]) throws(PatchError) { lock.withLock { items[name] = bytes } }
        func remove(_ name: String) throws(PatchError) { lock.withLock { items[name] = nil } }
    }

    /// A program that runs in parallel.
    private final class Child {
        private let process = Process()

        init(_ command: [String]) throws {
            process.executableURL = URL(filePath: command[0])
            process.arguments = Array(command.dropFirst())
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
        }

        var isRunning: Bool { process.isRunning }

        func stop() {
            if isRunning { process.terminate() }
            process.waitUntilExit()
        }
    }
}
