import Foundation
import PatchDevice
import PatchHTTP

/// A shop that installs patches when it starts.
///
///     shop [--patches DIR --trusted-key FILE --script-key FILE] [--events]
///     shop --feed URL|DIR --root FILE --store DIR [--environment NAME] [--user ID] [--trusted-key FILE --script-key FILE] [--events]
///          [--event-log DIR]
///     shop --interface
@main
struct Main {
    static func main() async {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            let registry = PatchRegistry()
            let shop = try Shop(registry: registry)
            let host = try HostInfo(app: "com.example.shop", version: "2.3.1")
            guard !options.showsInterface else {
                let json = registry.interface(of: host).encoded()
                return print(String(decoding: json, as: UTF8.self), terminator: "")
            }
            if let feed = options.feed { return try await live(shop, registry, host, feed, options) }
            print("the shop, as it was built:")
            await shop.open()
            guard let patches = options.patches else { return }

            let log = options.log
            let runner = PatchRunner(registry: registry, host: host, onEvent: { log(PatchEvent($0)) })
            print("\nits patches:")
            try install(patches, options, on: runner)
            print("\nthe shop, patched:")
            await shop.open()
            print("\nactive patches:")
            for name in registry.state where !name.patches.isEmpty {
                for standing in name.patches {
                    print(
                        "  \(name.name): \(standing.patch.id) \(standing.patch.version), \(standing.calls) calls, \(standing.failures) failed"
                    )
                }
            }
            withExtendedLifetime(runner) {}  // its patches are active only while it exists
        } catch {
            FileHandle.standardError.write(Data("shop: error: \(error)\n".utf8))
            exit(1)
        }
    }

    /// One run of the app, from its launch to its end, with patches that come from a feed.
    private static func live(
        _ shop: Shop, _ registry: PatchRegistry, _ host: HostInfo, _ feed: String, _ options: Options
    ) async throws {
        let source: any FeedSource = feed.hasPrefix("https://") ? try HTTPSource(feed) : FolderSource(feed)
        let patches = PatchDevice(
            host: host, registry: registry, folder: options.store,
            feed: .init(root: try options.read(options.root), source: source, environment: options.environment),
            trust: try options.trust(),
            configuration: .init(
                settings: SyncSettings(user: options.user),
                log: options.eventLog.map { .init(folder: $0) }, onEvent: options.log))
        let center = ServiceCenter(services: [PatchService(patches: patches), HomeService(shop: shop)])
        try await center.launch()
        await center.ready()
        await center.background()
        await center.foreground()
        center.end()
    }

    /// Installs every patch in a folder. The shop starts even if a patch is refused.
    private static func install(_ folder: String, _ options: Options, on runner: PatchRunner) throws {
        let trust = try options.trust()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".js") {
            let envelope = try options.read("\(folder)/\(name)")
            _ = try? runner.install(envelope, trust: trust)  // an event has the reason
        }
    }
}

/// The options that the shop was started with.
struct Options {
    var patches: String?
    var feed: String?
    var root = "1.root.json"
    var store = "store"
    var environment = "release"
    var user: String?
    var trustedKey = "keys/trusted.pem"
    var scriptKey = "keys/script.key"
    var eventLog: String?
    var showsEvents = false
    var showsInterface = false

    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        func value(of flag: String) throws -> String {
            guard let value = arguments.next() else { throw ShopError(description: "\(flag) needs a value") }
            return value
        }
        while let argument = arguments.next() {
            switch argument {
            case "--patches": patches = try value(of: argument)
            case "--feed": feed = try value(of: argument)
            case "--root": root = try value(of: argument)
            case "--store": store = try value(of: argument)
            case "--environment": environment = try value(of: argument)
            case "--user": user = try value(of: argument)
            case "--trusted-key": trustedKey = try value(of: argument)
            case "--script-key": scriptKey = try value(of: argument)
            case "--event-log": eventLog = try value(of: argument)
            case "--events": showsEvents = true
            case "--interface": showsInterface = true
            default: throw ShopError(description: "\(argument) is not known; see the top of Main.swift")
            }
        }
    }

    var log: @Sendable (PatchEvent) -> Void {
        let showsEvents = showsEvents
        return { event in
            print(showsEvents ? event.jsonLine : "  * \(event)")
            fflush(nil)  // what was printed before a crash is seen
        }
    }

    func trust() throws -> PatchTrust {
        try PatchTrust(
            TrustStore(decoding: read(trustedKey)),  // a trust store, or a key of `keygen --profile modern`
            scriptKeys: ScriptKey(decoding: SecretBytes(read(scriptKey))))
    }

    func read(_ file: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file))) }
}
