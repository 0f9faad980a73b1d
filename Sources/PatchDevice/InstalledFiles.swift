public import PatchCrypto
internal import PatchFeed
internal import PatchFiles
public import PatchRunner

/// The three files that a service is installed with, and that an app may have in its bundle.
///
///     let files = try InstalledFiles(in: "/usr/share/files")
///     let patches = PatchDevice(
///         host: host, registry: registry, folder: state, feed: .init(root: files.root, source: source),
///         trust: files.trust)
public struct InstalledFiles: Sendable {
    /// The feed's first root, from `1.root.json`.
    public let root: [UInt8]
    /// The keys of envelopes, from `trusted.pem` and `script.key`.
    public let trust: PatchTrust

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder with `1.root.json`; `trusted.pem`, a public key or a trust store; and
    ///     `script.key`.
    ///   - algorithm: The algorithm of the public key. An RSA key needs one; a trust store has its own.
    /// - Throws: `no-input` if a file cannot be read; `config` if one is larger than a MiB, or is not a key or a trust
    ///   store; `feed-malformed` if the first is not a root; `unavailable` if OpenSSL refuses what reading a key needs.
    ///   The error's place is the file.
    public init(in folder: String, algorithm: SignatureAlgorithm? = nil) throws(PatchError) {
        root = try Self.read("1.root.json", in: folder) { (bytes) throws(PatchError) in
            _ = try SignedMetadata(bytes, name: "1.root.json", type: "root")
            return bytes
        }
        let store = try Self.read("trusted.pem", in: folder) { (bytes) throws(PatchError) in
            try TrustStore(decoding: bytes, rsaDefault: algorithm)
        }
        let scriptKey = try Self.read("script.key", in: folder) { (bytes) throws(PatchError) in
            try ScriptKey(decoding: SecretBytes(wiping: &bytes))
        }
        trust = PatchTrust(store, scriptKeys: scriptKey)
    }

    private static func read<Value>(
        _ name: String, in folder: String, _ make: (inout [UInt8]) throws(PatchError) -> Value
    ) throws(PatchError) -> Value {
        let path = Path(folder).appending(Path(name))
        var bytes = try InputFile.small(path)
        return try path.naming { () throws(PatchError) in try make(&bytes) }
    }
}
