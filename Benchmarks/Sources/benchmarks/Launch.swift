import Foundation
import PatchCrypto
import PatchDevice
import PatchRunner

/// A launch with five good patches in a store, against installing the same five envelopes from memory.
///
/// A launch also notes durably that it has begun, reads the state and the envelopes, and compares their hashes.
enum Launch {
    static func run(_ workshop: Workshop, _ tools: Tools) throws -> [Row] {
        let memory = try Device(workshop, tools, in: "\(workshop.folder)/launch")
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchpack-bench-\(getpid())").path
        let disk = try Device(workshop, tools, in: folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try Rounds(
            work: "a launch with five good patches of 5 KB each", count: 10,
            ways: [
                .init("five installs from memory") { for _ in 0..<$0 { try memory.install() } },
                .init("a store in memory", against: "five installs from memory", target: .ratio(1.3)) {
                    for _ in 0..<$0 { try memory.launch() }
                },
                .init("a store on the disk", against: "five installs from memory") {
                    for _ in 0..<$0 { try disk.launch() }
                },
                .init("a store on the disk, pages not cached", against: "five installs from memory") {
                    for _ in 0..<$0 {
                        Device.forgetPages()
                        try disk.launch()
                    }
                },
                .init("only forgetting the pages") { for _ in 0..<$0 { Device.forgetPages() } },
            ]
        ).run()
    }

    /// A store with five good patches.
    private struct Device {
        let folder: String
        let trust: PatchTrust
        let envelopes: [[UInt8]]
        let host: HostInfo

        init(_ workshop: Workshop, _ tools: Tools, in folder: String) throws {
            self.folder = folder
            host = try HostInfo(app: "com.example.app", version: "1")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            func tool(_ arguments: String...) throws { _ = try Processes.run([tools.patchpack] + arguments) }
            for name in ["signing", "root", "release", "online"] {
                try tool("keygen", "-q", "--algorithm", "ed25519", "-o", "\(folder)/\(name)")
            }
            var files: [String] = []
            for number in 1...5 {
                let script = Workshop.script(of: 5000, number: number)
                try Data(String(decoding: script, as: UTF8.self).replacing("Bench.f", with: "Bench.f\(number)").utf8)
                    .write(to: URL(filePath: "\(folder)/p\(number).lua"))
                try tool(
                    "pack", "-q", "--no-lint", "\(folder)/p\(number).lua", "-o", "\(folder)/p\(number).js",
                    "--signing-key",
                    "\(folder)/signing/signing.pem", "--script-key", "\(folder)/signing/script.key")
                files.append("\(folder)/p\(number).js")
            }
            let (release, online) = ("\(folder)/release/signing.pem", "\(folder)/online/signing.pem")
            try tool(
                "feed", "init", "-q", "\(folder)/feed", "--app", "com.example.app", "--root-key",
                "\(folder)/root/signing.pem", "--release-key", release, "--online-key", online)
            _ = try Processes.run(
                [tools.patchpack, "feed", "publish", "-q", "\(folder)/feed"] + files + [
                    "--key", release, "--key", online, "--trusted-key", "\(folder)/signing/trusted.pem", "--script-key",
                    "\(folder)/signing/script.key",
                ])
            func read(_ name: String) throws -> [UInt8] {
                [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
            }
            envelopes = try (1...5).map { try read("p\($0).js") }
            trust = PatchTrust(
                try TrustStore([VerifyingKey(pem: read("signing/trusted.pem"))]),
                scriptKeys: try ScriptKey(file: SecretBytes(read("signing/script.key"))))
            let (root, this) = (try read("feed/metadata/1.root.json"), self)
            for _ in 0..<2 {
                var (store, runner) = try make()
                // The last task may hold its store for a moment.
                while store.isReadOnly { (store, runner) = try make() }
                store.launch(on: runner, trust: trust)
                let done = DispatchSemaphore(value: 0)
                Task.detached { [store, runner] in
                    await PatchSync(
                        feed: root, at: FolderSource("\(this.folder)/feed"), store: store, runner: runner,
                        trust: this.trust
                    ).launch()
                    done.signal()
                }
                done.wait()
                store.confirm()
            }
            guard try make().0.patches.count(where: { $0.code == "good" }) == 5 else {
                throw Failure(message: "the five patches did not become good")
            }
        }

        private func make() throws -> (PatchStore, PatchRunner) {
            let registry = PatchRegistry()
            for number in 1...5 { _ = try registry.replaceable("Bench.f\(number)") { (x: Int) -> Int in x } }
            // The launches are not confirmed, so that each writes once.
            var limits = StoreLimits()
            limits.failures = .max
            let clock: @Sendable () -> Timestamp? = { Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)) }
            return (
                PatchStore(folder: "\(folder)/store", host: host, limits: limits, clock: clock),
                PatchRunner(registry: registry, host: host, clock: clock)
            )
        }

        func launch() throws {
            let (store, runner) = try make()
            guard store.launch(on: runner, trust: trust).count == 5 else { throw Failure(message: "not all run") }
        }

        func install() throws {
            let registry = PatchRegistry()
            for number in 1...5 { _ = try registry.replaceable("Bench.f\(number)") { (x: Int) -> Int in x } }
            let runner = PatchRunner(registry: registry, host: host, clock: { nil })
            for envelope in envelopes { try runner.install(envelope, trust: trust.store, keys: trust.scriptKeys) }
        }

        /// Empties the system's cache of pages, if this process may.
        static func forgetPages() { try? Data("3".utf8).write(to: URL(filePath: "/proc/sys/vm/drop_caches")) }
    }
}
