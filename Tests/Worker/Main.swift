import Foundation
import PatchCrypto
import PatchDevice
import PatchFeed
import PatchRunner

/// A worker of a service, for tests with real processes. It follows the commands on its standard input, one word per
/// line, and answers each with a line: its role, the price of 1, and the code of each version of the patch.
///
///     worker FOLDER FEED TRUST SCRIPT-KEY VERSION
///
/// The variable `EVENTS` names a folder for its event log.
@main
struct Main {
    static func main() throws {
        let arguments = CommandLine.arguments
        func read(_ number: Int) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: arguments[number]))) }
        let registry = PatchRegistry()
        let price = try registry.replaceable("Shop.price") { (x: Int) -> Int in x }
        let device = PatchDevice(
            host: try HostInfo(app: "com.example.shop", version: arguments[5]), registry: registry,
            folder: arguments[1],
            feed: .init(
                root: Array(try Data(contentsOf: URL(filePath: "\(arguments[2])/metadata/1.root.json"))),
                source: FolderSource(arguments[2])),
            trust: PatchTrust(
                try TrustStore(decoding: read(3)), scriptKeys: try ScriptKey(decoding: SecretBytes(read(4)))),
            configuration: PatchDevice.Configuration(
                log: ProcessInfo.processInfo.environment["EVENTS"].map { PatchDevice.Log(folder: $0) },
                onEvent: { event in
                    switch event.kind {
                    case .becameFollower(let follower) where follower.isForked: print("forked", terminator: " ")
                    case .storeFailed, .syncFailed: print(event.name, terminator: " ")
                    case .runner(.logged): kill(getpid(), SIGKILL)  // a crash while a script loads
                    default: break
                    }
                }
            )
            // The feeds of the tests are from `ManualClock.start`.
            .with(clock: { Timestamp(nearestTo: 1_790_000_000) }))
        var service: Task<Void, Never>?
        while let line = readLine() {
            switch line {
            case "launch": device.launch()
            case "sync":
                let done = DispatchSemaphore(value: 0)
                Task.detached {
                    _ = await device.sync()
                    done.signal()
                }
                done.wait()
            case "confirm": device.confirm()
            case "leave": _ = FileManager.default.changeCurrentDirectoryPath("elsewhere")
            case "request":
                // The app crashes on a price below zero.
                if price(1) < 0 { kill(getpid(), SIGKILL) }
            case "run":
                service = Task.detached {
                    await device.run(every: .milliseconds(500), confirmAfter: .milliseconds(500))
                }
            case "end":
                guard let service else {
                    device.end()
                    exit(0)
                }
                service.cancel()
                Task.detached {
                    await service.value
                    exit(0)
                }
                dispatchMain()
            case "fork":
                guard try fork() == 0 else { break }
                // The rest is the child's. Its parent answers nothing until the child has ended.
                device.confirm()
                print("child", terminator: " ")
            default: print("unknown", terminator: " ")
            }
            let role = device.role == .follower ? "follower" : "writer"
            let codes = device.why("com.example.shop.price").map {
                "\($0.patch?.version ?? 0)-\($0.code.rawValue)\($0.isActive ? "-runs" : "")"
            }
            print(role, price(1), codes.joined(separator: " "))
            fflush(nil)
        }
    }

    /// Swift does not offer it, because only the calling thread continues in the child.
    private static func fork() throws -> Int32 {
        guard let symbol = unsafe dlsym(nil, "fork") else { throw PatchError(.unavailable, "no fork") }
        let child = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
        if child > 0 {
            var status: Int32 = 0
            while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        }
        return child
    }
}
