import Dispatch
import PatchCrypto
import TestSupport
import Testing

/// Tests of keys. `openssl` makes the keys, so that this code reads another program's output.
@Suite(.ownThreads) struct KeyTests {
    /// If the line of a revoked key lost its name, it would become the line of a trusted key named `revoked`.
    @Test(arguments: ["", "revoked", "Revoked", "revoked-2026", "not-after", "not-after=2027-01-01T00:00:00Z"])
    func noKeyIsCalledByAWordOfAStore(_ name: String) {
        #expect(throws: PatchError(.config, "")) { try TrustedKey(TestKeys.signing.verifyingKey, name: name) }
    }

    private let folder: TestFolder

    /// RSA keys are slow to make, so most tests share this one.
    init() throws {
        folder = try TestFolder()
        try folder.write(TestKeys.signing.pem().exposed, to: "rsa.pem", mode: 0o600)
    }

    /// Runs a line of shell in the folder, and returns the bytes that it wrote to the file `key`.
    private func made(by line: String) throws -> [UInt8] {
        let run = try Tool.shell("{ \(line); } 2>&1", in: folder.path)
        try #require(run.status == 0, "\(run.text)")
        return try folder.read("key")
    }

    @Test func publicKeyIDIsTheHashOfItsDER() throws {
        let pem = try made(by: "openssl genrsa -out private 2048 && openssl pkey -in private -pubout -out key")
        let id = try Tool.shell("openssl pkey -pubin -in key -outform DER | sha256sum | cut -c1-16", in: folder.path)
        let key = try VerifyingKey(pem: pem, algorithm: .rsaSHA256)
        #expect(key.id.description == id.lines.first)
        #expect(key.algorithm == .rsaSHA256)
        #expect(key.bits == 2048)
        #expect(try VerifyingKey(pem: pem, algorithm: .rsaSHA1).id == key.id)
        #expect(try key.pem() == pem)
    }

    /// SHA-1 is the format's default, and no default of the library.
    @Test func anRSAKeyNeedsAnAlgorithm() throws {
        let signing = TestKeys.signing
        let verifying = signing.verifyingKey
        let ofPublic = #expect(throws: PatchError(.config, "")) { try VerifyingKey(pem: verifying.pem()) }
        let ofPrivate = #expect(throws: PatchError(.config, "")) { try SigningKey(pem: signing.pem()) }
        let ofStore = #expect(throws: PatchError(.config, "")) { try TrustStore(decoding: verifying.pem()) }
        for error in [ofPublic, ofPrivate, ofStore] { #expect(error?.message == "an RSA key without an algorithm") }
        for algorithm in [SignatureAlgorithm.rsaSHA1, .rsaSHA256] {
            #expect(try VerifyingKey(pem: verifying.pem(), algorithm: algorithm).algorithm == algorithm)
            #expect(try SigningKey(pem: signing.pem(), algorithm: algorithm).verifyingKey.algorithm == algorithm)
        }
        #expect(try VerifyingKey(pem: verifying.pem(), algorithm: nil, rsaDefault: .rsaSHA1).algorithm == .rsaSHA1)
    }

    @Test func anAlgorithmIsFoundByItsName() {
        #expect(SignatureAlgorithm(rawValue: "rsa-sha256") == .rsaSHA256)
        #expect(SignatureAlgorithm(rawValue: "ml-dsa-65") == nil && SignatureAlgorithm(rawValue: "") == nil)
        #expect(EnvelopeSuite(rawValue: "aes-256-gcm+sha256") == .aes256GCMSHA256)
        #expect(EnvelopeSuite(rawValue: "aes-256-gcm") == nil)
        #expect("\(SignatureAlgorithm.ed25519) \(EnvelopeSuite.aes128CBCMD5)" == "ed25519 aes-128-cbc+md5")
        #expect(Set(SignatureAlgorithm.allCases).count == 3 && Set(EnvelopeSuite.allCases).count == 2)
    }

    @Test func ed25519KeyIsReadAndSigns() throws {
        let pem = try made(by: "openssl genpkey -algorithm ed25519 -out key")
        let key = try SigningKey(pem: SecretBytes(pem))
        let id = try Tool.shell("openssl pkey -in key -pubout -outform DER | sha256sum | cut -c1-16", in: folder.path)
        #expect(key.verifyingKey.id.description == id.lines.first)
        #expect(key.verifyingKey.algorithm == .ed25519)
        let signature = try key.sign([1, 2, 3])
        #expect(try key.verifyingKey.isValid(signature, for: [1, 2, 3]))
        #expect(try !key.verifyingKey.isValid(signature, for: [1, 2]))
        #expect(throws: PatchError(.config, "")) { try SigningKey(pem: SecretBytes(pem), algorithm: .rsaSHA1) }
    }

    /// The example of RFC 8410, section 10.3, and the same key encrypted with PBES2.
    private static let version2 = [
        """
        -----BEGIN PRIVATE KEY-----
        MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
        oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
        Z9w7lshQhqowtrbLDFw4rXAxZuE=
        -----END PRIVATE KEY-----
        """,
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHkMF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBAAAQIDBAUGBwgJCgsM
        DQ4PAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQEBESExQVFhcYGRob
        HB0eHwSBgJkMcy/rPJFQ+hp2ynPwa8lOk2aXOFrDss8j82ltyti345wZ5hq4gD63
        AlmzwMD/WbQ649PPM3FDM4zPj+OprpIm5G9d/8dKucGUFaVnFuq1aBrGEy1yNgvG
        wIWta4bOE90WAt8ROMB5W1FbVqnP6/6ieLcB0Wsr9KBdTfD1g+/o
        -----END ENCRYPTED PRIVATE KEY-----
        """,
    ]

    @Test(arguments: version2) func privateKeyVersion2IsRead(_ pem: String) throws {
        let key = try SigningKey(pem: SecretBytes(pem.utf8), passphrase: SecretBytes("open-sesame".utf8))
        #expect(
            try String(decoding: key.verifyingKey.pem(), as: UTF8.self)
                .contains("MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="))
        #expect(try key.verifyingKey.isValid(key.sign([1, 2]), for: [1, 2]))
    }

    @Test func privateKeyOtherPublicKeyInsideIsRefused() throws {
        let pem = Self.version2[0].replacing("gSEAGb9E", with: "gSEAGb9F")
        let error = #expect(throws: PatchError(.config, "")) { try SigningKey(pem: SecretBytes(pem.utf8)) }
        #expect(error?.message == "the public key in the file is not the private key's")
    }

    /// As in version 1, a set, and a sequence of another class, are no sequence. There is no version 3.
    @Test(arguments: ["MXICAQEw", "sHICAQEw", "MHICAQIw"])
    func privateKeyVersion2OtherBeginIsRefused(_ begin: String) {
        #expect(throws: PatchError(.config, "")) {
            try SigningKey(pem: SecretBytes(Self.version2[0].replacing("MHICAQEw", with: begin).utf8))
        }
    }

    @Test func privateKeyTwoInOneFileAreRefused() throws {
        let pem = Self.version2[0] + "\n"
        let error = #expect(throws: PatchError(.config, "")) { try SigningKey(pem: SecretBytes((pem + pem).utf8)) }
        #expect(error?.message == "2 private keys in one file")
    }

    /// A key reuses the state of its first verification for the next one, on any thread.
    @Test(arguments: [SignatureAlgorithm.rsaSHA1, .rsaSHA256, .ed25519])
    func eachSignatureIsCheckedForItself(algorithm: SignatureAlgorithm) throws {
        let signing = try SigningKey.generate(algorithm, bits: 2048)
        let key = signing.verifyingKey
        let messages = (0..<4).map { number in (0..<1000 * number).map { UInt8(truncatingIfNeeded: $0 + number) } }
        let signatures = try messages.map { try signing.sign($0[...]) }
        DispatchQueue.concurrentPerform(iterations: 64) { round in
            for (index, message) in messages.enumerated() {
                for (other, signature) in signatures.enumerated() {
                    #expect((try? key.isValid(signature, for: message[...])) == (index == other))
                }
                var broken = signatures[index]
                broken[round % broken.count] ^= 1
                #expect((try? key.isValid(broken, for: message[...])) == false)
            }
        }
    }

    @Test(arguments: [
        "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key",
        "openssl genrsa -traditional -out key 2048",
        "openssl genrsa 2048 | sed 's/$/\\r/' >key",
    ])
    func privateKeyIsReadInItsForms(line: String) throws {
        let key = try SigningKey(pem: SecretBytes(try made(by: line)), algorithm: .rsaSHA256)
        let signature = try key.sign(Array("payload".utf8)[...])
        #expect(try key.verifyingKey.isValid(signature, for: Array("payload".utf8)[...]))
    }

    @Test func passphraseOpensAnEncryptedKey() throws {
        let pem = SecretBytes(try made(by: "openssl genrsa -aes256 -passout pass:open-sesame -out key 2048"))
        let passphrase = SecretBytes(Array("open-sesame".utf8))
        let key = try SigningKey(pem: pem, passphrase: passphrase, algorithm: .rsaSHA256)
        #expect(throws: PatchError(.passphrase, "")) { try SigningKey(pem: pem) }
        #expect(throws: PatchError(.passphrase, "")) {
            try SigningKey(pem: pem, passphrase: SecretBytes(Array("open".utf8)))
        }
        let locked = try key.pem(passphrase: passphrase)
        try folder.write(locked.exposed, to: "locked")
        let opened = try Tool.shell("openssl pkey -in locked -passin pass:open-sesame -pubout", in: folder.path)
        #expect(opened.output == (try key.verifyingKey.pem()))
    }

    @Test(arguments: [
        "cp rsa.pem key", "openssl pkey -in rsa.pem -aes128 -passout pass:x -out key",
        "openssl rsa -in rsa.pem -traditional -aes128 -passout pass:x -out key",
        "openssl rsa -in rsa.pem -RSAPublicKey_out -out key",
        "openssl req -x509 -key rsa.pem -subj /CN=x -out key",
        "openssl genrsa 1024 | openssl pkey -pubout -out key",
        "openssl ecparam -name prime256v1 -genkey | openssl pkey -pubout -out key",
        "openssl genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 | openssl pkey -pubout -out key",
        "openssl genpkey -algorithm x25519 | openssl pkey -pubout -out key",
        "openssl pkey -in rsa.pem -pubout -out one; cat one one >key",
        "openssl pkey -in rsa.pem -pubout | head -n -1 >key",
        "openssl pkey -in rsa.pem -pubout | sed '3s/./!/' >key",
        "openssl pkey -in rsa.pem -pubout | sed '1a Proc-Type: 4,ENCRYPTED\\n' >key",
        "openssl rand -hex 16 >key", ": >key", "head -c 4096 /dev/zero >key",
        "openssl pkey -in rsa.pem -pubout | sed 's/PUBLIC KEY/PUBLIC \u{212A}EY/' >key",
    ])
    func verifyingKeyWrongPEMIsRefused(line: String) throws {
        let pem = try made(by: line)
        #expect(throws: PatchError(.config, "")) { try VerifyingKey(pem: pem, algorithm: nil, rsaDefault: .rsaSHA1) }
    }

    @Test(arguments: [
        "openssl genrsa 1024 >key", "openssl ecparam -name prime256v1 -genkey -noout >key",
        "openssl pkey -in rsa.pem -pubout >key", "echo hello >key", ": >key",
    ])
    func signingKeyWrongPEMIsRefused(line: String) throws {
        let pem = SecretBytes(try made(by: line))
        #expect(throws: PatchError(.config, "")) { try SigningKey(pem: pem, rsaDefault: .rsaSHA1) }
    }

    @Test func textAroundATrustedKeyIsAllowed() throws {
        let pem = try made(by: "openssl genrsa 2048 | openssl rsa -pubout -text | sed '$a the end' >key")
        #expect(try VerifyingKey(pem: pem, algorithm: .rsaSHA256).bits == 2048)
        let carriageReturns = try made(by: "openssl pkey -in rsa.pem -pubout | sed 's/$/\\r/' >key")
        #expect(try VerifyingKey(pem: carriageReturns, algorithm: .rsaSHA256).bits == 2048)
    }

    @Test func aKeyIsWrittenAndReadBack() throws {
        let key = TestKeys.signing
        #expect(try SigningKey(pem: key.pem(), algorithm: .rsaSHA256).verifyingKey.id == key.verifyingKey.id)
        #expect(throws: PatchError(.config, "")) { try SigningKey.generate(.rsaSHA1, bits: 1024) }
    }

    @Test func noDescriptionShowsASecret() throws {
        let secret = SecretBytes(Array("open-sesame".utf8))
        let texts = ["\(secret)", String(reflecting: secret), "\(TestKeys.script)", "\(TestKeys.signing)"]
        let hex = String(decoding: TestKeys.script.encoded().exposed, as: UTF8.self)
        for text in texts {
            #expect(!text.contains("sesame"))
            #expect(!text.contains(hex.dropLast()))
        }
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("115"))
    }

    @Test func movingASecretWipesItsSource() {
        var bytes = Array("open-sesame".utf8)
        let secret = SecretBytes(wiping: &bytes)
        #expect(bytes == Array(repeating: 0, count: 11))
        #expect(secret.exposed == Array("open-sesame".utf8))
        var other = secret.exposed
        other.wipe()
        #expect(other == bytes && secret.exposed == Array("open-sesame".utf8))
        var empty: [UInt8] = []
        empty.wipe()
        #expect(empty.isEmpty)
    }
}

@Suite(.ownThreads) struct ScriptKeyTests {
    private static let hex = String(repeating: "0123456789abcdef", count: 2)

    @Test func idIsTheHashOfTheLabelledKey() throws {
        let folder = try TestFolder()
        try folder.write(Self.hex + "\n", to: "key")
        let id = try Tool.shell(
            "{ printf 'patchpack script key\\n'; printf \"$(sed 's/../\\\\x&/g' key)\"; } | sha256sum | cut -c1-16",
            in: folder.path)
        let key = try ScriptKey(decoding: SecretBytes(Array(Self.hex.utf8)))
        #expect(key.id.description == id.lines.first)
        #expect(key.suite == .aes128CBCMD5)
    }

    @Test func aKeyThatAnEditorChangedIsCalledSo() {
        let marked = #expect(throws: PatchError(.config, "")) {
            try ScriptKey(decoding: SecretBytes(Array("\u{FEFF}\(Self.hex)".utf8)))
        }
        #expect(marked?.message == "a script key that was changed: it begins with a byte order mark")
        for (text, change) in [("\(Self.hex)\r\n", "CR and LF"), (Self.hex.uppercased(), "capital letters")] {
            let changed = #expect(throws: PatchError(.config, "")) {
                try ScriptKey(decoding: SecretBytes(Array(text.utf8)))
            }
            #expect(changed?.message.contains(change) == true, "\(changed?.message ?? "")")
        }
    }

    @Test(arguments: [hex, hex + "\n", hex + hex, hex + hex + "\n"])
    func aLineOfHexIsAKey(text: String) throws {
        let key = try ScriptKey(decoding: SecretBytes(Array(text.utf8)))
        #expect(key.suite.keyLength * 2 == text.utf8.filter { $0 != 10 }.count)
        #expect(key.encoded().exposed == Array(text.utf8.filter { $0 != 10 }) + [10])
    }

    private static let noKeys: [String] = [
        "", "\n", String(hex.dropLast()), hex + "0", hex + "00", hex.uppercased(), hex + "\n\n", hex + "\r\n",
        " " + hex,
        hex + " ", "0x" + hex.dropLast(2), String(hex.dropLast()) + "g", String(hex.dropLast()) + "٣",
    ]

    @Test(arguments: noKeys)
    func scriptKeyWrongTextIsRefused(text: String) {
        #expect(throws: PatchError(.config, "")) { try ScriptKey(decoding: SecretBytes(Array(text.utf8))) }
    }

    @Test func aKeyHasAsManyBytesAsItsSuiteAsks() throws {
        for count in [0, 15, 17, 24, 32] {
            #expect(throws: PatchError(.config, "")) {
                try ScriptKey(bytes: SecretBytes([UInt8](repeating: 7, count: count)), suite: .aes128CBCMD5)
            }
        }
        #expect(try ScriptKey.generate(.aes256GCMSHA256).suite == .aes256GCMSHA256)
    }
}
