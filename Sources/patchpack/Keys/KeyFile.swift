import PatchCrypto
import PatchFiles

/// The bytes of a key file, or of a variable that holds a key.
///
/// They are wiped when it is released. Its errors name the file.
struct KeyFile {
    let name: KeyName
    let bytes: SecretBytes
    let isOpenToOthers: Bool

    init(_ name: KeyName) throws(PatchError) {
        self.name = name
        if let variable = name.variable {
            isOpenToOthers = false
            bytes = try Self.value(of: variable, for: name.source)
            return
        }
        var isOpen = false
        var bytes: [UInt8]
        do {
            bytes = try InputFile.small(name.path) { isOpen = $0.isRegular && $0.isOpenToOthers }
        } catch {
            guard !Secrets.isKey(name.path.bytes) || FileInfo(name.path, following: true) != nil else {
                throw PatchError(
                    .usage, "\(name.source): a key was given, but a file name is expected",
                    hint: "put the key into a variable and give env:NAME, or give a file or <(…)")
            }
            let isOfUnknownAlgorithm =
                error.code == .noInput && name.algorithm == nil && name.path.bytes.contains(UInt8(ascii: ":"))
            guard isOfUnknownAlgorithm else {
                throw name.source.hasPrefix("PATCHPACK_")
                    ? error.hinting("the variable \(name.source) names this file") : error
            }
            let algorithms = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw error.hinting("the algorithm before a colon must be one of \(algorithms)")
        }
        isOpenToOthers = isOpen
        self.bytes = SecretBytes(wiping: &bytes)
    }

    /// Reads a key from a variable: PEM, a script key, or base64 of a key file.
    ///
    /// The line ends of PEM may be written `\n`, as CI systems store them.
    private static func value(of variable: String, for source: String) throws(PatchError) -> SecretBytes {
        guard var value = Environment[secret: variable] else {
            throw PatchError(
                .noInput,
                "\(source): the variable \(Secrets.isKey(variable.utf8) ? "" : "\(variable) ")is not set or is empty",
                hint: "export the variable that holds the key, and give its name after env:")
        }
        defer { _ = SecretBytes(wiping: &value) }
        if value.firstRange(of: Array("-----BEGIN".utf8)) != nil {
            var lines: [UInt8] = []
            lines.reserveCapacity(value.count)
            var rest = value[...]
            while let byte = rest.popFirst() {
                let isLineEnd = byte == UInt8(ascii: "\\") && rest.first == UInt8(ascii: "n")
                if isLineEnd { rest.removeFirst() }
                lines.append(isLineEnd ? UInt8(ascii: "\n") : byte)
            }
            return SecretBytes(wiping: &lines)
        }
        let isScriptKey = (try? ScriptKey(file: SecretBytes(value))) != nil
        guard !isScriptKey, var decoded = Base64.decode(value.filter { !isSpace($0) }) else {
            return SecretBytes(value)
        }
        return SecretBytes(wiping: &decoded)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    func verifyingKey() throws(PatchError) -> VerifyingKey {
        let pem = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        return try explaining { () throws(PatchError) in try VerifyingKey(pem: pem, algorithm: name.algorithm) }
    }

    func scriptKey() throws(PatchError) -> ScriptKey {
        try explaining { () throws(PatchError) in try ScriptKey(file: bytes) }
    }

    /// Whether it looks like a private key.
    var isPrivate: Bool { bytes.holds("PRIVATE KEY-----") }

    /// Reads a key. An error names the file, and says what the file is instead if that can be recognised.
    private func explaining<Key>(_ body: () throws(PatchError) -> Key) throws(PatchError) -> Key {
        do throws(PatchError) {
            return try body()
        } catch {
            guard error.code == .config, let hint = whatItIs else { throw error.about(name.path) }
            throw error.hinting(hint).about(name.path)
        }
    }

    /// What a file is that does not hold the expected key, and what to do about it.
    private var whatItIs: String? {
        if unsafe bytes.withUnsafeBytes({ $0.isEmpty }) { return "it is empty: is the secret set?" }
        if bytes.holds("ssh-") && !bytes.holds("-----BEGIN") {
            return
                "it is an OpenSSH key; ssh-keygen -e -m PKCS8 -f FILE converts one of RSA, and no tool one of Ed25519"
        }
        if bytes.holds("-----BEGIN OPENSSH") {
            return
                "it is an OpenSSH private key; make one with patchpack keygen, or convert a copy of one of RSA: ssh-keygen -p -m PKCS8 -f COPY"
        }
        let isPEM = bytes.holds("-----BEGIN ")
        if isPEM, bytes.holds("\\n") || !bytes.holds("\n-----END") {
            return "its line ends are lost; give it as env:NAME, which restores \\n, or write the file again"
        }
        if bytes.holds("PUBLIC KEY-----") { return "it is a public key" }
        if isPEM { return nil }
        if unsafe bytes.withUnsafeBytes({ unsafe $0.first == 0x30 && $0.count > 64 }) {
            return "it may be DER or PKCS#12; convert it to PEM with openssl pkey -inform DER or openssl pkcs12 -nodes"
        }
        let text = unsafe bytes.withUnsafeBytes { unsafe Array($0) }.filter { !Self.isSpace($0) }
        if text.starts(with: "LS0tLS1CRUdJTi".utf8) { return "it is base64 of a PEM file; decode it with base64 -d" }
        return nil
    }

    var isKeyStore: Bool { unsafe bytes.withUnsafeBytes { unsafe KeyStoreFile.isStore($0) } }

    func ring(passphrase: SecretBytes) throws(PatchError) -> ScriptKeyRing {
        let store = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        return try name.path.naming { () throws(PatchError) in try KeyStoreFile.open(store, passphrase: passphrase) }
    }

    func signingKey(passphrase: SecretBytes?) throws(PatchError) -> SigningKey {
        try explaining { () throws(PatchError) in
            try SigningKey(pem: bytes, passphrase: passphrase, algorithm: name.algorithm)
        }
    }
}

extension SecretBytes {
    func holds(_ text: String) -> Bool {
        unsafe withUnsafeBytes { unsafe $0.firstRange(of: Array(text.utf8)) != nil }
    }
}
