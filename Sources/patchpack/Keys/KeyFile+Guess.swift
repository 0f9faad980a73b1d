import PatchCrypto
import PatchFiles

extension KeyFile {
    /// The expected kind of key.
    enum Kind {
        case signing, trusted, script
    }

    /// Reads a key. An error names the file, and its hint is the kind of file that was found, if it is recognised.
    func explaining<Key>(_ kind: Kind, _ body: () throws(PatchError) -> Key) throws(PatchError) -> Key {
        do throws(PatchError) {
            return try body()
        } catch {
            guard error.code == .config, let hint = diagnosis(insteadOf: kind) else { throw error.about(name.path) }
            throw error.hinting(hint).about(name.path)
        }
    }

    /// The kind of file that was found instead, and the remedy; nil if the error itself explains it.
    private func diagnosis(insteadOf kind: Kind) -> String? {
        func begins(with text: String) -> Bool {
            unsafe bytes.withUnsafeBytes { unsafe $0.drop(while: Self.isSpace).starts(with: text.utf8) }
        }
        if unsafe bytes.withUnsafeBytes({ unsafe $0.allSatisfy(Self.isSpace) }) {
            return "it is empty: is the secret set?"
        }
        if begins(with: "$") { return "it is the name of a variable or of a secret, and not its value" }
        if begins(with: "***") { return "it is the stars that a log shows in place of a secret" }
        if bytes.holds("untrusted comment:") {
            return "it is a key of minisign or signify; make one with patchpack keygen --profile modern"
        }
        if bytes.holds("-----BEGIN PGP") {
            return "it is an OpenPGP key; make one with patchpack keygen --profile modern"
        }
        if bytes.holds("ssh-") && !bytes.holds("-----BEGIN") {
            return
                "it is an OpenSSH key; ssh-keygen -e -m PKCS8 -f FILE converts one of RSA, and no tool one of Ed25519"
        }
        if bytes.holds("-----BEGIN OPENSSH") {
            return
                "it is an OpenSSH private key; make one with patchpack keygen --profile modern, or convert a copy of one of RSA: ssh-keygen -p -m PKCS8 -f COPY"
        }
        if bytes.holds("-----BEGIN ") {
            return kind == .script ? "it is a key in PEM; a script key is hex digits" : faultOfPEM(kind)
        }
        if unsafe bytes.withUnsafeBytes({ unsafe $0.count > 64 && $0[0] == 0x30 && $0[1] >= 0x80 }) {
            return "it may be DER or PKCS#12; convert it to PEM with openssl pkey -inform DER or openssl pkcs12 -nodes"
        }
        let text = unsafe bytes.withUnsafeBytes { unsafe Array($0) }.filter { !Self.isSpace($0) }
        if text.starts(with: "LS0tLS1CRUdJTi".utf8) { return "it is base64 of a PEM file; decode it with base64 -d" }
        return kind == .script ? faultOfScriptKey : nil
    }

    /// The fault in the lines of a PEM file.
    private func faultOfPEM(_ kind: Kind) -> String? {
        let again =
            name.variable == nil
            ? "give it as env:NAME, which restores them, or write the file again" : "store it as base64 of the file"
        if !bytes.holds("-----END") { return "it is cut off: its line -----END is missing" }
        if bytes.holds("\\n") || bytes.holds("\\r") || !bytes.holds("\n-----END") && !bytes.holds(" -----END") {
            return "its line ends are lost; \(again)"
        }
        let isIndented = unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.split(separator: UInt8(ascii: "\n")).contains {
                unsafe $0.first.map(Self.isSpace) == true && !$0.allSatisfy(Self.isSpace)
            }
        }
        if isIndented { return "its lines are indented; write it without the blanks before them" }
        return kind == .signing && bytes.holds("PUBLIC KEY-----")
            ? "it is a public key; give the private one, which keygen calls signing.pem" : nil
    }

    /// The difference between a string and a script key.
    private var faultOfScriptKey: String? {
        var text = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        defer { _ = SecretBytes(wiping: &text) }
        let digits = "0123456789abcdef".utf8
        func isKey(_ word: some Collection<UInt8>) -> Bool {
            EnvelopeSuite.allCases.contains { 2 * $0.keyLength == word.count } && word.allSatisfy(digits.contains)
        }
        let words = text.split(whereSeparator: Self.isSpace)
        if words.count > 1, words.allSatisfy({ isKey($0) }) {
            return
                "it holds \(words.count) keys; give each its own file, or add them to a key store: patchpack keystore add STORE FILE"
        }
        guard words.count == 1 else { return nil }
        let word = words[0].map { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) ? $0 | 0x20 : $0 }
        if isKey(words[0]) { return "there are blanks or line ends around it; write it as one line" }
        if isKey(word) { return "its hex digits are upper case; write them in lower case" }
        if word.allSatisfy(digits.contains) {
            return "it has \(word.count) hex digits; a key has 32 (aes-128-cbc+md5) or 64 (aes-256-gcm+sha256)"
        }
        let bare = word.starts(with: "0x".utf8) ? word.dropFirst(2) : word.drop { "\"'".utf8.contains($0) }
        if isKey(bare.prefix { digits.contains($0) }) {
            return "there is something around its hex digits, such as 0x or quotes; write the digits alone"
        }
        let decoded = Base64.decode(Array(words[0]))
        if EnvelopeSuite.allCases.contains(where: { $0.keyLength == decoded?.count }) {
            return
                "it is base64; write the key as lower-case hex digits: base64 -d FILE | od -An -v -tx1 | tr -d ' \\n'"
        }
        return nil
    }
}
