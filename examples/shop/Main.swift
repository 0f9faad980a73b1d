import Foundation
import PatchCrypto
import PatchRunner

/// A shop that installs patches when it starts.
///
///     shop [--patches DIR --trusted-key FILE --script-key FILE] [--events]
///     shop --interface
@main
struct Main {
    static func main() async {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            let registry = PatchRegistry()
            let shop = try Shop(registry: registry)
            let host = try HostInfo(app: "com.example.shop", version: "2.3.1")
            guard !options.showsInterface else { return print(registry.interface(of: host).json, terminator: "") }
            print("the shop, as it was built:")
            await shop.open()
            guard let patches = options.patches else { return }

            let runner = PatchRunner(
                registry: registry, host: host,
                clock: { Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)) },
                events: { event in print(options.showsEvents ? event.jsonLine : "  * \(event)") })
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

    /// Installs every patch in a folder. The shop starts even if a patch is refused.
    private static func install(_ folder: String, _ options: Options, on runner: PatchRunner) throws {
        let trust = try TrustStore([VerifyingKey(pem: options.read(options.trustedKey))])
        let key = try ScriptKey(file: SecretBytes(options.read(options.scriptKey)))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".js") {
            let envelope = try options.read("\(folder)/\(name)")
            _ = try? runner.install(envelope, trust: trust, keys: key)  // an event says why not
        }
    }
}

/// The options that the shop was started with.
struct Options {
    var patches: String?
    var trustedKey = "keys/trusted.pem"
    var scriptKey = "keys/script.key"
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
            case "--trusted-key": trustedKey = try value(of: argument)
            case "--script-key": scriptKey = try value(of: argument)
            case "--events": showsEvents = true
            case "--interface": showsInterface = true
            default: throw ShopError(description: "\(argument) is not known; see the top of Main.swift")
            }
        }
    }

    func read(_ file: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file))) }
}
