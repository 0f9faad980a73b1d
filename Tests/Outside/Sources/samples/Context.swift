// swift-format-ignore-file
// The parts that the samples of README and docs leave out.
import PatchDevice

let host = try! HostInfo(app: "com.example.shop", version: "2.3.1")
let registry = PatchRegistry()
let now = Timestamp(secondsSince1970: 1_800_000_000)!
let envelope: [UInt8] = []
let file: [UInt8] = []
let publicKeyPEM: [UInt8] = []
let keyFile: [UInt8] = []
let pinnedRoot: [UInt8] = []
let scriptKey = try! ScriptKey.generate(.aes128CBCMD5)
let trust = try! TrustStore(trusting: [])
let patches = PatchDevice(
    host: host, registry: registry, folder: supportFolder, feed: .init(root: pinnedRoot, source: FolderSource("feed")),
    trust: PatchTrust(trust, scriptKeys: scriptKey))
let supportFolder = "/tmp"
let userID = "user"
let text = "text"

func expect(_ condition: Bool) {}

@MainActor final class Catalogue {
    static let shared = Catalogue()
    func title(_ count: Int) -> String { "\(count)" }
}

final class Cart: PatchObject {
    func add(_ item: String) {}
}

struct Shop {
    init(registry: PatchRegistry) throws {}
    func total(_ price: Double, _ quantity: Int) -> Double { price * Double(quantity) }
}
