import Foundation
import PatchCrypto
import PatchDevice
import PatchRunner

/// A launch with good patches in a store, against installing the same envelopes from memory.
///
/// A launch also records durably that it has begun, reads the state and the envelopes, and compares their hashes. Other
/// threads check its patches ahead of the one that activates them.
enum Launch {
    static func run(_ workshop: ReleaseFixture, _ tools: Tools) throws -> [Row] {
        let memory = try Device(workshop, tools, in: "\(workshop.folder)/launch")
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchpack-bench-\(getpid())").path
        let disk = try Device(workshop, tools, in: folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var ways: [Rounds.Way] = [
            .init("five installs from memory") { for _ in 0..<$0 { try memory.install() } },
            .init("a store in memory", against: "five installs from memory", target: .ratio(1.3)) {
                for _ in 0..<$0 { try memory.launch() }
            },
            .init("a store on the disk", against: "five installs from memory") {
                for _ in 0..<$0 { try disk.launch() }
            },
        ]
        if Device.forgetPages() {
            ways += [
                .init("a store on the disk, pages not cached", against: "five installs from memory") {
                    for _ in 0..<$0 {
                        Device.forgetPages()
                        try disk.launch()
                    }
                },
                .init("only forgetting the pages") { for _ in 0..<$0 { Device.forgetPages() } },
            ]
        } else {
            print("launch: without pages that are not cached, because only root may empty the system's cache")
        }
        return try Rounds(work: "a launch with five good patches of 5 KB each", count: 10, ways: ways).run()
    }

    /// A launch with fifty patches, which two processors share.
    static func fifty(_ workshop: ReleaseFixture, _ tools: Tools) throws -> [Row] {
        let device = try Device(workshop, tools, in: "\(workshop.folder)/launch-50", patches: 50)
        return try Rounds(
            work: "a launch with fifty good patches of 5 KB each", count: 5,
            ways: [
                .init("fifty installs from memory, on one thread") { for _ in 0..<$0 { try device.install() } },
                .init(
                    "a store in memory, checks on other threads", against: "fifty installs from memory, on one thread",
                    target: .most(8e6)
                ) { for _ in 0..<$0 { try device.launch() } },
            ]
        ).run()
    }

    /// Makes a folder with good patches, for ``only(_:_:)``.
    static func prepare(_ patches: Int, _ tools: Tools, in folder: String) throws {
        _ = try Device(
            ReleaseFixture(patchpack: tools.patchpack, algorithm: "ed25519"), tools, in: folder, patches: patches)
    }

    /// Only launches of a device with good patches, to count their instructions: `launch-10` with ten, in the prepared
    /// folder `launch-10`. nil if it is another kind.
    static func only(_ kind: String, _ count: Int) throws -> Void? {
        guard kind.hasPrefix("launch-"), let patches = Int(kind.dropFirst(7)) else { return nil }
        let device = try Device(in: kind, patches: patches)
        for _ in 0..<count { try device.launch(confirming: true) }
        return ()
    }

    /// A folder with good patches.
    private struct Device {
        let folder: String
        let root: [UInt8]
        let patches: Int
        let trust: PatchTrust
        let envelopes: [[UInt8]]
        let host: HostInfo

        /// - Parameter folder: A prepared folder.
        init(in folder: String, patches: Int) throws {
            self.folder = folder
            self.patches = patches
            host = try HostInfo(app: "com.example.app", version: "1")
            func read(_ name: String) throws -> [UInt8] {
                [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
            }
            envelopes = try (1..<patches + 1).map { try read("p\($0).js") }
            trust = PatchTrust(
                try TrustStore(trusting: [VerifyingKey(pem: read("signing/trusted.pem"))]),
                scriptKeys: try ScriptKey(decoding: SecretBytes(read("signing/script.key"))))
            root = try read("feed/metadata/1.root.json")
        }

        init(_ workshop: ReleaseFixture, _ tools: Tools, in folder: String, patches: Int = 5) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            func tool(_ arguments: String...) throws { _ = try Processes.run([tools.patchpack] + arguments) }
            for name in ["signing", "root", "release", "online"] {
                try tool("keygen", "-q", "--profile", "mpaas", "-o", "\(folder)/\(name)")
                try tool(
                    "keygen", "-q", "--profile", "modern", "--signing-only", "--force", "-o", "\(folder)/\(name)")
            }
            var files: [String] = []
            for number in 1..<patches + 1 {
                try Data(ReleaseFixture.code(number: number, replacing: "Bench.f\(number)"))
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
            if !files.isEmpty {
                _ = try Processes.run(
                    [tools.patchpack, "feed", "publish", "-q", "\(folder)/feed"] + files + [
                        "--rollout", "100%", "--key", release, "--key", online, "--trusted-key",
                        "\(folder)/signing/trusted.pem",
                        "--script-key", "\(folder)/signing/script.key",
                    ])
            }
            try self.init(in: folder, patches: patches)
            // A patch is downloaded, then used and confirmed as good, and then proved by a normal end, which is
            // recorded once.
            for _ in 0..<3 {
                var device = try make()
                // The previous device may hold its folder for a moment.
                while device.role != .writer { device = try make() }
                device.launch()
                let done = DispatchSemaphore(value: 0)
                Task.detached { [device] in
                    await device.sync()
                    done.signal()
                }
                done.wait()
                device.confirm()
                device.end()
            }
            let device = try make()
            device.launch()
            defer { device.end() }
            guard device.patches.count(where: { $0.code == .good }) == patches else {
                throw Failure(message: "the patches did not become good: \(device.patches)")
            }
        }

        private func make() throws -> PatchDevice {
            let registry = PatchRegistry()
            for number in 1..<patches + 1 { _ = try registry.replaceable("Bench.f\(number)") { (x: Int) -> Int in x } }
            // Some launches are not confirmed.
            var limits = CrashLimits()
            limits.trialFailures = .max
            return PatchDevice(
                host: host, registry: registry, folder: "\(folder)/store",
                feed: .init(root: root, source: FolderSource("\(folder)/feed")), trust: trust,
                configuration: .init(crashLimits: limits))
        }

        func launch(confirming: Bool = false) throws {
            let device = try make()
            guard device.launch().count == patches else { throw Failure(message: "not all run") }
            if confirming { device.confirm() }
        }

        func install() throws {
            let registry = PatchRegistry()
            for number in 1..<patches + 1 { _ = try registry.replaceable("Bench.f\(number)") { (x: Int) -> Int in x } }
            let runner = PatchRunner(registry: registry, host: host)
            for envelope in envelopes { try runner.install(envelope, trust: trust) }
        }

        /// Empties the system's page cache.
        ///
        /// - Returns: Whether this process may.
        @discardableResult
        static func forgetPages() -> Bool {
            (try? Data("3".utf8).write(to: URL(filePath: "/proc/sys/vm/drop_caches"))) != nil
        }
    }
}
