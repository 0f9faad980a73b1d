import PatchCrypto
import PatchFiles

/// The bytes of a key file, or of a variable that holds a key, wiped when it goes; its errors name the file.
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
                    .usage, "\(name.source): a key was given, and a file's name is expected",
                    hint: "put the key into a variable and name that, as in env:NAME, or give a file, or <(…)")
            }
            let isOfUnknownAlgorithm =
                error.code == .noInput && name.algorithm == nil && name.path.bytes.contains(UInt8(ascii: ":"))
            guard isOfUnknownAlgorithm else { throw error }
            let algorithms = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw error.hinting("the algorithms before a colon are \(algorithms)")
        }
        isOpenToOthers = isOpen
        self.bytes = SecretBytes(wiping: &bytes)
    }

    /// A key that a variable holds: PEM, also with `\n` for its line ends as CI systems store it, a script key, or base64 of a key file.
    private static func value(of variable: String, for source: String) throws(PatchError) -> SecretBytes {
        guard var value = Environment[secret: variable] else {
            throw PatchError(
                .noInput,
                "\(source): the variable \(Secrets.isKey(variable.utf8) ? "" : "\(variable) ")is not set, or empty",
                hint: "export the variable that holds the key, and name it after env:")
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

    /// Reads a key; an error names the file, and what it is instead if that can be seen.
    private func explaining<Key>(_ body: () throws(PatchError) -> Key) throws(PatchError) -> Key {
        do throws(PatchError) {
            return try body()
        } catch {
            guard error.code == .config, let hint = whatItIs else { throw error.about(name.path) }
            throw error.hinting(hint).about(name.path)
        }
    }

    /// What a file that is not the key that was asked for is, and what to do about it.
    private var whatItIs: String? {
        if unsafe bytes.withUnsafeBytes({ $0.isEmpty }) { return "it is empty: is the secret set?" }
        if bytes.holds("ssh-") && !bytes.holds("-----BEGIN") {
            return "it is a key of OpenSSH's: ssh-keygen -e -m PKCS8 -f FILE makes PEM of it"
        }
        if bytes.holds("-----BEGIN OPENSSH") {
            return "it is a key of OpenSSH's, and PEM is expected: ssh-keygen -p -m PKCS8 -f FILE"
        }
        let isPEM = bytes.holds("-----BEGIN ")
        if isPEM, bytes.holds("\\n") || !bytes.holds("\n-----END") {
            return "its line ends are lost: give it as env:NAME, which restores \\n, or write it anew"
        }
        if bytes.holds("PUBLIC KEY-----") { return "it is a public key" }
        if isPEM { return nil }
        if unsafe bytes.withUnsafeBytes({ unsafe $0.first == 0x30 && $0.count > 64 }) {
            return "it may be DER or PKCS#12: openssl pkey -inform DER, or openssl pkcs12 -nodes, makes PEM of it"
        }
        let text = unsafe bytes.withUnsafeBytes { unsafe Array($0) }.filter { !Self.isSpace($0) }
        if text.starts(with: "LS0tLS1CRUdJTi".utf8) { return "it is base64 of a PEM file: base64 -d makes a key of it" }
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
