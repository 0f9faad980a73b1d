/// Something that the format needs, and whether this machine's libraries can do it.
package struct Capability: Sendable {
    /// The function that was tried, such as `AES-128-CBC`.
    package let name: String
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

    /// Tries everything that the format needs, once each.
    package static func all() -> [Capability] {
        let secret = SecretBytes([UInt8](repeating: 7, count: 32))
        let text = Array("patchpack".utf8)
        func check(_ name: String, _ purpose: String, _ body: () throws(PatchError) -> Bool) -> Capability {
            do {
                let works = try body()
                let failure = PatchError(.internal, "\(name) returns a wrong result", hint: "reinstall the library")
                return Capability(name: name, purpose: purpose, error: works ? nil : failure)
            } catch {
                return Capability(name: name, purpose: purpose, error: error)
            }
        }
        let digests = [(MessageDigest.md5, "aes-128-cbc+md5"), (.sha1, "rsa-sha1"), (.sha256, "key ids")]
        var capabilities = digests.map { digest, purpose in
            check(digest.rawValue, purpose) { () throws(PatchError) in try !digest.hash(text).isEmpty }
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
                return try key.verifyingKey.isValid(key.sign(text[...]), for: text[...])
            }
        }
        return capabilities + [
            check("HMAC-SHA256", "reproducible envelopes") { () throws(PatchError) in
                try hmacSHA256(key: secret, [text]).count == 32
            },
            check("scrypt", "key stores") { () throws(PatchError) in
                guard let cost = Scrypt(log2N: 10, r: 8, p: 1) else { return false }
                return try cost.key(passphrase: secret, salt: text, length: 32).count == 32
            },
            check("zip", "envelopes") { () throws(PatchError) in
                let zip = try ZipArchive.write([(ZipDirectory.manifestName, text)])
                let directory = try ZipDirectory(in: zip, at: 0..<zip.count, limits: EnvelopeLimits())
                return try ZipArchive.inflated(directory, in: zip, at: 0..<zip.count) == [nil]
            },
        ]
    }

    package static var libraries: [String] {
        ["OpenSSL \(OpenSSLLibrary.version)", "libzip \(ZipArchive.version)"]
    }
}
