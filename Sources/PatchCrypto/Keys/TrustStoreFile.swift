/// A trust store as a text file with a line for each key. It can be read, committed and compared.
///
///     # the release team
///     ed25519 MCowBQYDK2VwAyEA… alice
///     rsa-sha1 MIIBojANBgkq… build-2019 not-after=2027-01-01T00:00:00Z
///     ed25519 MCowBQYDK2VwAyEA… bob revoked
///
/// A line is an algorithm, the key's DER SubjectPublicKeyInfo in base64, a name, and any limits of the trust. Empty
/// lines and lines that begin with `#` are for people, and stay in their places.
package struct TrustStoreFile: Sendable {
    private enum Line: Sendable {
        case comment(String)
        case key(TrustedKey)
    }

    private var lines: [Line] = []
    /// The names and the ids of the keys. None may occur twice.
    private var taken: Set<String> = []

    /// The keys, in the file's order.
    package var keys: [TrustedKey] {
        lines.compactMap { line in
            if case .key(let key) = line { key } else { nil }
        }
    }

    package init() {}

    /// Reads a file.
    ///
    /// - Parameter file: UTF-8; lines end in LF.
    /// - Throws: `config`, naming the line, if a line has another form, a key or a name is given twice, or the format
    ///   does not allow a key; `unavailable` if OpenSSL refuses SHA-256 or the kind of a key, or has no memory.
    package init(_ file: [UInt8]) throws(PatchError) {
        var rest = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if rest.last?.isEmpty == true { rest.removeLast() }
        for (number, line) in zip(1..., rest) {
            guard let text = String(validating: line, as: UTF8.self) else {
                throw PatchError(.config, "not UTF-8 text", at: .init(line: number))
            }
            // Signatures are left out, because they are over the bytes that were read (`SignedTrustStore`). The label
            // is kept, because the next number follows from it.
            guard !line.starts(with: "# signature ".utf8) else { continue }
            guard !line.isEmpty, line.first != UInt8(ascii: "#") else {
                lines.append(.comment(text))
                continue
            }
            do {
                try add(Self.key(text))
            } catch {
                throw error.at(line: number)
            }
        }
    }

    /// What precedes the time after which a key is no longer trusted.
    private static let end = "not-after="

    private static func key(_ line: String) throws(PatchError) -> TrustedKey {
        let fields = line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard fields.count >= 3, let algorithm = SignatureAlgorithm(fields[0]), let der = Base64.decode(fields[1]),
            let info = SubjectPublicKeyInfo(der: der)
        else {
            throw PatchError(
                .config, "not an algorithm, a public key in base64 and a name",
                hint: "remove the line, and add the key to the store again")
        }
        var isRevoked = false
        var expires: Timestamp?
        for field in fields[3...] {
            if field.starts(with: Self.end.utf8), expires == nil {
                let text = String(Substring(field.dropFirst(Self.end.utf8.count)))
                guard let end = Timestamp(text) else {
                    throw PatchError(
                        .config, "\(Self.end)\(text) \(Timestamp.fault(in: text) ?? "is wrong")",
                        hint: "write a time in UTC such as 2027-01-01T00:00:00Z")
                }
                expires = end
            } else if field.elementsEqual("revoked".utf8), !isRevoked {
                isRevoked = true
            } else {
                throw PatchError(
                    .config, "unexpected \(Substring(field)) after the name",
                    hint: "only revoked and not-after=TIME may follow the name, each once")
            }
        }
        return try TrustedKey(
            VerifyingKey(AsymmetricKey(info), algorithm: algorithm),
            name: fields[2].isEmpty ? nil : String(Substring(fields[2])), isRevoked: isRevoked, expires: expires)
    }

    /// Adds a key at the end.
    ///
    /// - Throws: `config` if the key or its name is already in the store, or the key has no name.
    package mutating func add(_ key: TrustedKey) throws(PatchError) {
        guard let name = key.name else { throw PatchError(.config, "a key in a trust store needs a name") }
        guard !taken.contains(key.key.id.description) else {
            throw PatchError(.config, "the key \(key.key.id) is already in the store", hint: "remove it first")
        }
        guard !taken.contains(name) else {
            throw PatchError(
                .config, "another key named \(name) is already in the store",
                hint: "give it another name")
        }
        taken.formUnion(Self.names(of: key))
        lines.append(.key(key))
    }

    /// The names by which a key can be changed: its name, if it has one, and its id.
    private static func names(of key: TrustedKey) -> [String] {
        [key.name, key.key.id.description].compactMap(\.self)
    }

    /// Changes or removes a key.
    ///
    /// - Parameters:
    ///   - name: Its name or its id, in the same bytes.
    ///   - change: Returns the key to put in its place; nil removes the key.
    /// - Throws: `config` if the store has no such key.
    package mutating func update(_ name: String, _ change: (TrustedKey) -> TrustedKey?) throws(PatchError) {
        for (index, line) in lines.enumerated() {
            guard case .key(let key) = line, Self.names(of: key).contains(where: { $0.isByteEqual(to: name) })
            else { continue }
            if let changed = change(key) {
                lines[index] = .key(changed)
            } else {
                lines.remove(at: index)
                taken.subtract(Self.names(of: key))
            }
            return
        }
        let names = keys.compactMap(\.name).joined(separator: ", ")
        throw PatchError(
            .config, "no key named \(name) in the store",
            hint: names.isEmpty ? "it has no key" : "the names are \(names)")
    }

    /// The file's bytes.
    ///
    /// - Throws: `config` if OpenSSL cannot write a key.
    package func encoded() throws(PatchError) -> [UInt8] {
        var file: [UInt8] = []
        for line in lines {
            switch line {
            case .comment(let text): file += Array(text.utf8)
            case .key(let key):
                file += Array("\(key.key.algorithm.rawValue) ".utf8) + Base64.encode(try key.key.subjectPublicKeyInfo())
                if let name = key.name { file += Array(" \(name)".utf8) }
                if let expires = key.expires { file += Array(" \(Self.end)\(expires)".utf8) }
                if key.isRevoked { file += Array(" revoked".utf8) }
            }
            file.append(UInt8(ascii: "\n"))
        }
        return file
    }

    /// The SHA-256 of a trust store or of a public key in PEM. An app that it is built into notices if the file is
    /// changed.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses SHA-256.
    package static func pin(of file: [UInt8]) throws(PatchError) -> String {
        try MessageDigest.sha256.text(of: file)
    }
}

extension TrustStore {
    /// Reads a trust store, or a single public key in PEM, which must be Ed25519: a trust store names each key's
    /// algorithm.
    ///
    /// - Parameters:
    ///   - file: The file's bytes.
    ///   - pin: The digest that was built into the app (`patchpack trust pin`); nil accepts any file.
    /// - Throws: `modifiedTrust` if the file does not have the pinned digest, before anything in it is read; `config`
    ///   if the file is not a trust store, the pin is not a digest, or the key in PEM is RSA; `unavailable` if OpenSSL
    ///   refuses SHA-256 or the kind of a key, or has no memory.
    public init(decoding file: [UInt8], pinnedTo pin: String? = nil) throws(PatchError) {
        try self.init(decoding: file, pinnedTo: pin, rsaDefault: nil)
    }

    /// Does the same for a file that may be an RSA key in PEM, which names no algorithm.
    ///
    /// - Parameter rsaDefault: The algorithm of that key; nil to refuse it.
    package init(
        decoding file: [UInt8], pinnedTo pin: String? = nil, rsaDefault: SignatureAlgorithm?
    ) throws(PatchError) {
        if let pin {
            guard pin.utf8.count == 64, pin.utf8.allSatisfy(Hex.isLowercaseDigit) else {
                throw PatchError(
                    .config, "pin must be 64 lower-case hex digits",
                    hint: "use the SHA-256 digest of the trust store file")
            }
            let found = try TrustStoreFile.pin(of: file)
            guard pin.isByteEqual(to: found) else {
                throw PatchError(
                    .modifiedTrust, "the trusted keys were modified: their digest is \(found), but the pin is \(pin)",
                    hint: "restore the file, or build the app with the new pin")
            }
        }
        let pemLine = Array("\n-----BEGIN ".utf8)
        if file.starts(with: pemLine.dropFirst()) || file.firstRange(of: pemLine) != nil {
            try self.init(trusting: [VerifyingKey(pem: file, algorithm: nil, rsaDefault: rsaDefault)])
        } else {
            try self.init(keys: TrustStoreFile(file).keys)
        }
    }
}
