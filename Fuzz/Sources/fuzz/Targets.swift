internal import Dispatch
internal import Foundation
@testable internal import PatchText
@testable internal import PatchCrypto
@testable internal import PatchLint
@testable internal import PatchRunner
internal import Synchronization
@testable internal import patchpack

/// The fuzz targets by name. Each takes bytes, and throws if they are refused.
nonisolated(unsafe) let targets: [String: ([UInt8]) throws -> Void] = [
    "envelope": fuzzEnvelope, "zip": fuzzZip, "manifest": fuzzManifest, "tags": fuzzTags, "ranges": fuzzRanges,
    "arguments": fuzzArguments, "trust": fuzzTrust, "keystore": fuzzKeyStore, "lua": fuzzLua, "metadata": fuzzMetadata,
    "events": fuzzEvents,
    "list": fuzzList, "canonical": fuzzCanonical, "state": fuzzState, "types": fuzzTypes, "spec": fuzzSpec,
    "report": fuzzReport, "repository": fuzzRepository, "sync": fuzzSync,
]

/// Keys that need not be secret.
enum FuzzKeys {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Tests/Vectors/keys")
    static func file(_ name: String) -> [UInt8] {
        (try? Data(contentsOf: folder.appending(path: name))).map { Array($0) } ?? []
    }
    static let scriptKey = must { try ScriptKey(decoding: SecretBytes(file("script.key"))) }
    static let signing = must { try SigningKey(pem: SecretBytes(file("ed25519.private.pem"))) }
    /// The key of the feed's roles that do not need a release key.
    static let online = must {
        let head: [UInt8] = [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20]
        let text = Base64.encode(head + [UInt8](repeating: 1, count: 32))
        return try SigningKey(
            pem: SecretBytes(
                Array("-----BEGIN PRIVATE KEY-----\n".utf8) + text + Array("\n-----END PRIVATE KEY-----\n".utf8)))
    }
    static let trust = must {
        try TrustStore(trusting: [
            signing.verifyingKey, VerifyingKey(pem: file("rsa.pem"), algorithm: .rsaSHA1),
            VerifyingKey(pem: file("rsa-other.pem"), algorithm: .rsaSHA1),
        ])
    }
    static let verifier = must { try EnvelopeVerifier(trustStore: trust, policy: .unchecked) }
    /// Requires two signers, one of whom is revoked.
    static let strict = must {
        try EnvelopeVerifier(
            trustStore: TrustStore(keys: [
                TrustedKey(signing.verifyingKey, name: "old", isRevoked: true),
                TrustedKey(VerifyingKey(pem: file("rsa.pem"), algorithm: .rsaSHA1), name: "build"),
            ]), threshold: 2, policy: .unchecked)
    }

    /// A value that cannot fail to be made in a complete checkout.
    static func must<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { fatalError("\(error)") }
    }
}

/// The prefix of the paths of this process's files.
enum FuzzFolder {
    static let path = FileManager.default.temporaryDirectory.appending(path: "patchpack-fuzz-\(getpid())").path
}

/// An envelope as received from a network.
func fuzzEnvelope(_ bytes: [UInt8]) throws {
    let report = FuzzKeys.verifier.report(on: bytes, scriptKeys: FuzzKeys.scriptKey)
    let envelope = try UnverifiedEnvelope(bytes)
    _ = try? envelope.contents(scriptKeys: FuzzKeys.scriptKey)
    _ = try envelope.payloadDigest()
    _ = FuzzKeys.strict.reportSignatures(on: bytes)
    var signable = SignableEnvelope(try FuzzKeys.verifier.verifySignatures(bytes))
    for signature in envelope.signatures {
        try? signable.attach(signature.signature, from: FuzzKeys.strict.trustStore, at: nil)
    }
    signable.removeSignatures()
    try signable.sign(with: FuzzKeys.signing)
    let resigned = try? FuzzKeys.verifier.verify(try signable.encoded(), scriptKeys: FuzzKeys.scriptKey)
    let patch = try report.result.get()
    require(report.failedStage == nil, "verified, and a stage failed")
    require(resigned?.scripts == patch.scripts, "other scripts once it is signed again")
}

/// A zip from an attacker who can sign: sealed and signed here, so that it passes the signature check.
func fuzzZip(_ bytes: [UInt8]) throws {
    let suite = EnvelopeSuite.aes128CBCMD5
    let payload = try suite.seal(bytes, with: FuzzKeys.scriptKey, label: EnvelopeSuite.envelopeLabel)
    let line = EnvelopeFormat.signatureLine(
        algorithm: .ed25519, keyID: FuzzKeys.signing.verifyingKey.id, signature: try FuzzKeys.signing.sign(payload[...])
    )
    let envelope = payload + EnvelopeFormat.delimiter(suite: suite, scriptKeyID: FuzzKeys.scriptKey.id) + line
    _ = try? UnverifiedEnvelope(envelope).contents(scriptKeys: FuzzKeys.scriptKey)
    let patch = try FuzzKeys.verifier.verify(envelope, scriptKeys: FuzzKeys.scriptKey)
    let packer = try EnvelopePacker(scriptKey: FuzzKeys.scriptKey, signingKeys: [FuzzKeys.signing])
    let packed = try packer.pack(patch.manifest, patch.scripts)
    let again = try? FuzzKeys.verifier.verify(packed, scriptKeys: FuzzKeys.scriptKey)
    require(again?.scripts == patch.scripts, "other scripts once they are packed again")
}

func fuzzManifest(_ bytes: [UInt8]) throws {
    let manifest = try Manifest(decoding: bytes)
    require(manifest.encoded() == bytes, "a manifest of another form was taken")
}

/// A script's head, and the manifest that it makes.
func fuzzTags(_ bytes: [UInt8]) throws {
    let head = try ScriptHead(of: bytes)
    _ = head.doubtfulTags
    let manifest = try ManifestFields().completed(by: ManifestFields(head)).manifest(
        of: [PatchScript(name: "main.lua", bytes: bytes)])
    require((try? Manifest(decoding: manifest.encoded())) != nil, "a manifest of tags that cannot be read")
}

/// Ranges of versions, versions, times, names and ids, one per line.
func fuzzRanges(_ bytes: [UInt8]) throws {
    let texts = bytes.split(separator: 10, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    let versions = texts.compactMap(AppVersion.init(_:))
    for text in texts {
        if let range = VersionRange(text) {
            require(VersionRange(range.description) != nil, "a range that is none once it is written")
            for version in versions { _ = range.contains(version) }
        }
        if let time = Timestamp(text) {
            require(Timestamp(time.description)?.description == text, "a time of another form was taken")
        }
        if let seconds = Int(text), let time = Timestamp(secondsSince1970: seconds) {
            require(Timestamp(time.description) != nil, "seconds that make no time")
        }
        _ = [Manifest.isReplaceable(text), Manifest.Script.isName(text), NameForm.isReverseDNS(text)]
        _ = KeyID(text.utf8)
    }
    _ = texts.first.flatMap { nearest(String($0.prefix(40)), among: Verb.all.map(\.name)) }
}

/// A command line with words separated by NUL.
func fuzzArguments(_ bytes: [UInt8]) throws {
    let words = bytes.split(separator: 0, omittingEmptySubsequences: false).map { Argument(bytes: Array($0)) }
    let request: Request
    do {
        request = try Request(words)
    } catch {
        require(error.code == .usage, "\(error)")
        return
    }
    switch request {
    case .help(let verb): _ = Help.text(for: verb)
    case .version: break
    case .run(let arguments):
        _ = try? ManifestFields(arguments)
        for option in arguments.verb.allOptions {
            _ = try? arguments.texts(of: option)
            _ = try? arguments.number(of: option)
            _ = try? arguments.time(of: option)
            _ = arguments.value(of: option)?.path
        }
    }
}

/// A file of trusted keys, and a PEM file.
func fuzzTrust(_ bytes: [UInt8]) throws {
    _ = try? VerifyingKey(pem: bytes, algorithm: nil, rsaDefault: .rsaSHA1)
    _ = try? TrustStore(decoding: bytes, rsaDefault: .rsaSHA1)
    if let signed = try? SignedTrustStore(bytes) {
        _ = signed.signers(among: FuzzKeys.trust, at: nil)
        require(
            (try? SignedTrustStore(signed.encoded).encoded) == signed.encoded,
            "a signed store that reads as another one")
    }
    var file = try TrustStoreFile(bytes)
    let written = try file.encoded()
    require((try? TrustStoreFile(written).encoded()) == written, "a store that reads as another one")
    let pin = try TrustStoreFile.pin(of: bytes)
    _ = try? TrustStore(decoding: bytes, pinnedTo: pin)
    require((try? TrustStore(decoding: bytes + [10], pinnedTo: pin)) == nil, "a store that is not the pinned one")
    try? file.add(TrustedKey(FuzzKeys.signing.verifyingKey, name: "fuzz"))
    try? file.update("build") { key in
        var key = key
        key.isRevoked.toggle()
        return key
    }
    try? file.update("release") { _ in nil }
    require((try? TrustStoreFile(file.encoded())) != nil, "a changed store that cannot be read")
}

/// A key store: as received if opening it is cheap, and with the input as its contents.
func fuzzKeyStore(_ bytes: [UInt8]) throws {
    let words = bytes.prefix(200).split(separator: 32, maxSplits: 4)
    let costs = words.count > 3 ? words[1...3].map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 } : []
    if costs.isEmpty || costs[0] <= 11 && costs[1] <= 8 {
        _ = try? KeyStoreFile.open(bytes, passphrase: CheapStore.passphrase)
    }
    let sealed = try SymmetricCipher.aes256GCM.seal(
        bytes, key: CheapStore.key, iv: [UInt8](repeating: 0, count: 12), label: CheapStore.header)
    let file = Array(CheapStore.header.utf8) + Base64.encode(sealed) + [10]
    require(KeyStoreFile.isStore(file), "a store that is none")
    let ring = try KeyStoreFile.open(file, passphrase: CheapStore.passphrase)
    for name in ring.scriptKeyNames {
        require(ring.scriptKey(named: name) != nil, "a key without its name")
    }
}

/// A key store with the lowest possible cost.
private enum CheapStore {
    static let passphrase = SecretBytes(Array("fuzz".utf8))
    static let salt = "00112233445566778899aabbccddeeff"
    static let header = "patchpack-keystore-1 10 1 1 \(salt)\n"
    static let key = FuzzKeys.must {
        guard let cost = Scrypt(log2N: 10, r: 1, p: 1), let salt = Hex.decode(salt.utf8) else {
            throw PatchError(.internal, "no scrypt of this cost")
        }
        return try cost.key(passphrase: passphrase, salt: salt, length: 32)
    }
}

/// An object of the host that scripts can use.
private final class Basket: PatchObject {
    let names = Mutex<[String]>([])
}

private struct Item: Codable, PatchValue {
    var name: String
    var price: Double
    var tags: [String]?
}

private struct Refusal: Error {}

/// A script from an attacker who can sign: loaded, applied, called and removed.
func fuzzLua(_ bytes: [UInt8]) throws {
    let registry = PatchRegistry()
    let run = try registry.replaceable("T.run") { (number: Int) throws -> Int in number + 1000 }
    let total = try registry.replaceable("Cart.total") { (price: Double, quantity: Int) -> Double in price }
    let name = try registry.replaceable("Cart.name") { (text: String, flag: Bool) -> String? in text }
    let list = try registry.replaceable("Cart.list") { (numbers: [Int], names: [String: Double]) -> [Int] in numbers }
    let item = try registry.replaceable("Cart.item") { (item: Item) throws -> Item in
        guard item.price > 0 else { throw Refusal() }
        return item
    }
    let fill = try registry.replaceable("Basket.fill") { (basket: Basket, bytes: [UInt8]) -> [UInt8] in bytes }
    let wait = try registry.replaceable("Cart.wait") { (number: Int) async throws -> Int in
        await Task.yield()
        return number
    }
    try registry.expose(Basket.self) { basket in
        basket.method("add") { (basket: Basket, name: String) in basket.names.withLock { $0.append(name) } }
        basket.method("count") { (basket: Basket) in basket.names.withLock { $0.count } }
        basket.method("fail") { (_: Basket) throws -> Int in throw Refusal() }
    }
    var limits = PatchLimits()
    limits.loadFuel = 20_000
    limits.callFuel = 20_000
    limits.memoryBytes = 2 << 20
    limits.peakMemoryBytes = 4 << 20
    let runner = PatchRunner(
        registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"), limits: limits,
        onEvent: { _ in })
    let script = PatchScript(name: "main.lua", bytes: bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    let names = [
        "T.run", "Cart.total", "Cart.name", "Cart.list", "Cart.item", "Basket.fill", "Cart.wait",
    ].filter { text.contains($0) }
    let manifest = try Manifest(
        id: "com.example.fuzz", version: 1, app: "com.example.shop", replaces: names,
        scripts: [.init(name: script.name, byteCount: bytes.count)])
    _ = Linter.findings(in: [script], replaces: names, interface: nil)
    try runner.activate(try runner.load(VerifiedPatch(unverifiedForTesting: manifest, scripts: [script])))
    for round in 0..<3 {
        _ = try? run(round)
        _ = total(9.5, round)
        _ = name("text \(round)", round == 1)
        _ = list([1, 2, round], ["a": 1.5])
        _ = try? item(Item(name: "ink", price: Double(round), tags: round == 2 ? ["blue"] : nil))
        _ = fill(Basket(), [0, 0xFF, UInt8(round)])
    }
    if names.contains("Cart.wait") {
        let done = DispatchSemaphore(value: 0)
        Task {
            // Two at once, so that one waits for the other.
            async let other = wait(1)
            for round in 0..<2 { _ = try? await wait(round) }
            _ = try? await other
            done.signal()
        }
        done.wait()
    }
    runner.deactivateAll()
    require((try? run(3)) == 1003 && total(9.5, 2) == 9.5, "a patch that was removed answers")
}
