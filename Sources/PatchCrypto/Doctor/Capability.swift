/// Something that patchpack needs of this machine's libraries, and whether they can do it.
package struct Capability: Sendable {
    /// The function that was tried, such as `AES-128-CBC`.
    package let name: String
    /// What needs it: a suite, an algorithm, or words such as `key stores`.
    package let purpose: String
    /// Why it is not available; nil if it works.
    package let error: PatchError?
    /// Whether everything else works without it.
    package let isOptional: Bool

    package init(name: String, purpose: String, error: PatchError?, isOptional: Bool = false) {
        self.name = name
        self.purpose = purpose
        self.error = error
        self.isOptional = isOptional
    }

    /// Tries once what envelopes, signatures and keys need of OpenSSL and libzip.
    package static func all() -> [Capability] {
        let secret = SecretBytes([UInt8](repeating: 7, count: 32))
        let text = Array("patchpack".utf8)
        // The body returns whether the result is right: a known one, or what was put in.
        func check(_ name: String, _ purpose: String, _ body: () throws(PatchError) -> Bool) -> Capability {
            do {
                let works = try body()
                let failure = PatchError(.internal, "\(name) returns a wrong result", hint: "reinstall the library")
                return Capability(name: name, purpose: purpose, error: works ? nil : failure)
            } catch {
                return Capability(name: name, purpose: purpose, error: error)
            }
        }
        let digests: [(MessageDigest, purpose: String, known: String)] = [
            (.md5, "aes-128-cbc+md5", "385c6aba9b04f6e1d403ecfc61cd0986"),
            (.sha1, "rsa-sha1", "a19c746d32ac7a1c5ee2c39794544b75b25cc23a"),
            (.sha256, "key ids", "5226105b216564af380170dc0a7abeddd8c2724544f5827eb40ad47190e0f36e"),
        ]
        var capabilities = digests.map { digest, purpose, known in
            check(digest.rawValue, purpose) { () throws(PatchError) in try digest.text(of: text) == known }
        }
        capabilities += EnvelopeSuite.allCases.map { suite in
            check(suite.cipher.rawValue, suite.rawValue) { () throws(PatchError) in
                let key = try ScriptKey(bytes: SecretBytes([UInt8](repeating: 7, count: suite.keyLength)), suite: suite)
                var sealed = try suite.seal(text, with: key, label: "x")
                let opened = try suite.cipher.open(0..<sealed.count, of: &sealed, key: key.bytes, label: "x")
                return opened.map { Array(sealed[$0]) } == text
            }
        }
        capabilities += SignatureAlgorithm.allCases.map { algorithm in
            check(algorithm.rawValue, "signatures") { () throws(PatchError) in
                let key = try SigningKey.generate(algorithm, bits: 2048)
                let signature = try key.sign(text[...])
                let acceptsOther = try key.verifyingKey.isValid(signature, for: text.dropLast())
                return try key.verifyingKey.isValid(signature, for: text[...]) && !acceptsOther
            }
        }
        return capabilities + [
            check("HMAC-SHA256", "reproducible envelopes") { () throws(PatchError) in
                let known = "145f8eb36aaccf02fdf53383c30e84cd4bb613580785b9c6881452b6c2be09e7"
                return try hmacSHA256(key: secret, [text]) == Hex.decode(known.utf8)
            },
            check("scrypt", "key stores") { () throws(PatchError) in
                guard let cost = Scrypt(log2N: 10, r: 8, p: 1) else { return false }
                let known = "1edc8d44497f033c3e112e343995fac523c2f8253207a41c820ee0a8457dda1b"
                return try cost.key(passphrase: secret, salt: text, length: 32).copy() == Hex.decode(known.utf8)
            },
            check("AES-256-CBC", "encrypted signing keys") { () throws(PatchError) in
                let key = try anyKey()
                let pem = try key.privateKeyPEM(passphrase: secret, rounds: 1000)
                return try AsymmetricKey(privateKeyPEM: pem, passphrase: secret).isEqual(to: key)
            },
            check("zip", "envelopes") { () throws(PatchError) in
                let written = try ZipArchive.write([(ZipDirectory.manifestName, text)])
                guard try members(of: written) == [nil] else { return false }
                return try members(of: deflatedZip) == [Array("patchpackpatchpackpatchpackpatchpack".utf8)]
            },
        ]
    }

    /// A key of an algorithm that OpenSSL does not refuse. A refused one is the finding of another check.
    private static func anyKey() throws(PatchError) -> AsymmetricKey {
        do {
            return try AsymmetricKey.generate(.ed25519, bits: 256)
        } catch {
            return try AsymmetricKey.generate(.rsa, bits: 2048)
        }
    }

    private static func members(of zip: [UInt8]) throws(PatchError) -> [[UInt8]?] {
        let directory = try ZipDirectory(in: zip, at: 0..<zip.count, limits: EnvelopeLimits())
        return try ZipArchive.inflated(directory, in: zip, at: 0..<zip.count)
    }

    /// A zip of one deflated member, as other packers make it. This library stores all members.
    private static let deflatedZip =
        Hex.decode(
            """
            504b030414000000080000002100bef46c800e000000240000000d0000006d616e69666573742e6a736f6e2b482c49ce28484cce2e\
            c0cd0000504b0102140314000000080000002100bef46c800e000000240000000d0000000000000000000000a481000000006d616e\
            69666573742e6a736f6e504b050600000000010001003b000000390000000000
            """.utf8) ?? []

    /// The names and versions of the libraries that are loaded.
    package static var libraries: [String] {
        ["OpenSSL \(OpenSSLLibrary.version)", "libzip \(ZipArchive.version)"]
    }
}
